package io.ringmaster.worker.job;

import io.ringmaster.worker.observe.Timeline;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.json.JsonFactory;

/**
 * A timeline in the Chrome trace format, which Perfetto opens: one track a rank, complete events
 * for what took time, flow events from notify to wait. Times are microseconds of the virtual clock.
 */
public final class TimelineJson {

  private TimelineJson() {}

  /**
   * Writes it.
   *
   * @param title what ran
   * @param costModel the model behind the times
   */
  public static String write(Timeline timeline, String title, String costModel) {
    var text = new StringWriter();
    try (JsonGenerator json = new JsonFactory().createGenerator(ObjectWriteContext.empty(), text)) {
      json.writeStartObject();
      json.writeStringProperty("displayTimeUnit", "ns");
      json.writeName("otherData");
      json.writeStartObject();
      json.writeStringProperty("title", title);
      json.writeStringProperty("clock", "virtual");
      json.writeStringProperty("costModel", costModel);
      json.writeStringProperty("complete", timeline.isTruncated() ? "no" : "yes");
      json.writeEndObject();
      json.writeName("traceEvents");
      json.writeStartArray();
      metadata(json, "process_name", 0, title);
      for (int rank = 0; rank < timeline.ranks(); rank++) {
        metadata(json, "thread_name", rank, "rank " + rank);
      }
      for (Timeline.Slice slice : outerFirst(timeline.slices())) {
        slice(json, slice);
      }
      int id = 0;
      for (Timeline.Arrow arrow : timeline.arrows()) {
        id++;
        flow(json, "s", id, arrow.from(), arrow.fromNanos());
        flow(json, "f", id, arrow.to(), arrow.toNanos());
      }
      json.writeEndArray();
      json.writeEndObject();
    }
    return text.toString();
  }

  /** Of slices that begin together the longer one comes first: it is the outer one. */
  private static List<Timeline.Slice> outerFirst(List<Timeline.Slice> slices) {
    List<Timeline.Slice> sorted = new ArrayList<>(slices);
    sorted.sort(
        Comparator.comparingInt(Timeline.Slice::rank)
            .thenComparingLong(Timeline.Slice::fromNanos)
            .thenComparing(Comparator.comparingLong(Timeline.Slice::toNanos).reversed())
            .thenComparing(Timeline.Slice::category));
    return sorted;
  }

  private static void metadata(JsonGenerator json, String what, int rank, String name) {
    json.writeStartObject();
    json.writeStringProperty("ph", "M");
    json.writeStringProperty("name", what);
    json.writeNumberProperty("pid", 0);
    json.writeNumberProperty("tid", rank);
    json.writeName("args");
    json.writeStartObject();
    json.writeStringProperty("name", name);
    json.writeEndObject();
    json.writeEndObject();
  }

  private static void slice(JsonGenerator json, Timeline.Slice slice) {
    json.writeStartObject();
    json.writeStringProperty("ph", "X");
    json.writeStringProperty("name", slice.name());
    json.writeStringProperty("cat", slice.category().name().toLowerCase(Locale.ROOT));
    json.writeNumberProperty("pid", 0);
    json.writeNumberProperty("tid", slice.rank());
    json.writeNumberProperty("ts", slice.fromNanos() / 1e3);
    json.writeNumberProperty("dur", (slice.toNanos() - slice.fromNanos()) / 1e3);
    json.writeName("args");
    json.writeStartObject();
    json.writeStringProperty("what", slice.detail());
    if (slice.span().isKnown()) {
      json.writeNumberProperty("line", slice.span().line());
    }
    json.writeEndObject();
    json.writeEndObject();
  }

  private static void flow(JsonGenerator json, String phase, int id, int rank, long nanos) {
    json.writeStartObject();
    json.writeStringProperty("ph", phase);
    json.writeStringProperty("name", "signal");
    json.writeStringProperty("cat", "signal");
    json.writeNumberProperty("id", id);
    json.writeNumberProperty("pid", 0);
    json.writeNumberProperty("tid", rank);
    json.writeNumberProperty("ts", nanos / 1e3);
    if (phase.equals("f")) {
      json.writeStringProperty("bp", "e");
    }
    json.writeEndObject();
  }
}
