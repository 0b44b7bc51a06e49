package io.ringmaster.worker.job;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringmaster.worker.engine.Condition;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The timeline keeps the rules of the Chrome trace format and shows what happened. */
class TimelineTest {

  private static final double ROUNDING = 1e-6;

  private static final class Recorder implements RunControl {
    private final int most;
    private String json = "";

    Recorder(int most) {
      this.most = most;
    }

    @Override
    public boolean isCancelled() {
      return false;
    }

    @Override
    public int timelineEvents() {
      return most;
    }

    @Override
    public void timeline(int runIndex, String written) {
      json = written;
    }
  }

  private static JsonNode trace(String example, int ranks, int most, String... conditions) {
    var recorder = new Recorder(most);
    var spec =
        new JobSpec(
                Examples.source(java.nio.file.Path.of("..", "examples", example)),
                "a2a3sim",
                List.of(Examples.firstDevices(ranks)),
                List.of(),
                JobSpec.Limits.DEFAULT,
                0)
            .under(List.of(conditions).stream().map(Condition::parse).toList());
    new JobRunner().run(spec, recorder);
    return JsonMapper.shared().readTree(recorder.json);
  }

  private static List<JsonNode> events(JsonNode trace, String phase) {
    List<JsonNode> found = new ArrayList<>();
    for (JsonNode event : trace.get("traceEvents")) {
      if (event.get("ph").asString().equals(phase)) {
        found.add(event);
      }
    }
    return found;
  }

  private static double start(JsonNode event) {
    return event.get("ts").asDouble();
  }

  private static double end(JsonNode slice) {
    return start(slice) + slice.get("dur").asDouble();
  }

  private static Map<Integer, List<JsonNode>> tracks(JsonNode trace) {
    Map<Integer, List<JsonNode>> tracks = new TreeMap<>();
    for (JsonNode slice : events(trace, "X")) {
      tracks.computeIfAbsent(slice.get("tid").asInt(), _ -> new ArrayList<>()).add(slice);
    }
    return tracks;
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "ladder/10_allreduce_ring.py",
        "ladder/16_putting_it_together.py",
        "models/moe_dispatch_combine.py",
        "wrong/wait_nobody_notifies.py"
      })
  void everyEventKeepsTheRulesOfTheFormat(String example) {
    JsonNode trace = trace(example, 4, 100_000);

    assertThat(trace.get("displayTimeUnit").asString()).isEqualTo("ns");
    assertThat(trace.get("otherData").get("complete").asString()).isEqualTo("yes");
    for (JsonNode event : trace.get("traceEvents")) {
      assertThat(event.get("ph").asString()).isIn("M", "X", "s", "f");
      assertThat(event.get("pid").isInt() && event.get("tid").isInt()).isTrue();
      assertThat(event.get("name").asString()).isNotBlank();
      if (!event.get("ph").asString().equals("M")) {
        assertThat(start(event)).isNotNegative();
      }
    }
    assertThat(events(trace, "M"))
        .extracting(event -> event.get("args").get("name").asString())
        .contains("rank 0", "rank 1", "rank 2", "rank 3");
    tracks(trace).values().forEach(TimelineTest::requireNested);
    requireArrows(trace);
  }

  /** Slices of a track lie inside each other or apart, and outer ones come first. */
  private static void requireNested(List<JsonNode> track) {
    Deque<JsonNode> open = new ArrayDeque<>();
    double last = 0;
    for (JsonNode slice : track) {
      assertThat(slice.get("dur").asDouble()).isNotNegative();
      assertThat(start(slice)).isGreaterThanOrEqualTo(last);
      last = start(slice);
      while (!open.isEmpty() && end(open.peek()) <= start(slice) + ROUNDING) {
        open.pop();
      }
      if (!open.isEmpty()) {
        assertThat(end(slice))
            .as(slice + " inside " + open.peek())
            .isLessThanOrEqualTo(end(open.peek()) + ROUNDING);
      }
      open.push(slice);
    }
  }

  /** Each arrow has one tail and one head, goes forward, and begins and ends on a slice. */
  private static void requireArrows(JsonNode trace) {
    Map<Integer, JsonNode> heads = new HashMap<>();
    events(trace, "f").forEach(f -> assertThat(heads.put(f.get("id").asInt(), f)).isNull());
    List<JsonNode> tails = events(trace, "s");
    assertThat(tails).hasSameSizeAs(heads.keySet());
    Map<Integer, List<JsonNode>> tracks = tracks(trace);
    for (JsonNode tail : tails) {
      JsonNode head = Objects.requireNonNull(heads.get(tail.get("id").asInt()), "a head");
      assertThat(head.get("bp").asString()).isEqualTo("e");
      assertThat(start(head)).isGreaterThanOrEqualTo(start(tail));
      assertThat(head.get("tid")).isNotEqualTo(tail.get("tid"));
      for (JsonNode point : new JsonNode[] {tail, head}) {
        assertThat(tracks.get(point.get("tid").asInt()))
            .as("slices around " + point)
            .anyMatch(
                slice ->
                    start(slice) <= start(point) + ROUNDING
                        && end(slice) >= start(point) - ROUNDING);
      }
    }
  }

  @Test
  void collectivesBarriersAndTransfersAreSpans() {
    JsonNode trace = trace("ladder/16_putting_it_together.py", 4, 100_000);

    assertThat(events(trace, "X"))
        .extracting(slice -> slice.get("cat").asString())
        .contains("dispatch", "collective", "barrier", "transfer", "notify", "wait");
    assertThat(events(trace, "X"))
        .filteredOn(slice -> slice.get("cat").asString().equals("collective"))
        .extracting(slice -> slice.get("name").asString())
        .contains("broadcast pull", "allreduce mesh", "allgather push");
    assertThat(events(trace, "s")).isNotEmpty();
  }

  @Test
  void aStragglersTrackBeginsLater() {
    JsonNode trace = trace("ladder/10_allreduce_ring.py", 4, 100_000, "straggler=2:5us");

    Map<Integer, List<JsonNode>> tracks = tracks(trace);
    double late = start(tracks.getOrDefault(2, List.of()).getFirst());
    double others = start(tracks.getOrDefault(0, List.of()).getFirst());
    assertThat(late - others).isEqualTo(5.0);
  }

  @Test
  void aLongTimelineIsCutAndSaysSo() {
    JsonNode trace = trace("ladder/10_allreduce_ring.py", 4, 20);

    assertThat(trace.get("otherData").get("complete").asString()).isEqualTo("no");
    assertThat(events(trace, "X").size() + events(trace, "s").size()).isEqualTo(20);
  }
}
