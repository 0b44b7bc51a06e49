package io.ringmaster.service.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringmaster.service.testing.Api;
import io.ringmaster.service.testing.Awaiting;
import io.ringmaster.service.testing.ContractCheck;
import io.ringmaster.service.testing.EventStream;
import io.ringmaster.service.testing.TestService;
import java.util.ArrayList;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Following jobs live. */
interface EventTests {

  String JOBS = "/api/v1/jobs";

  TestService service();

  private Api api() {
    return service().api();
  }

  private EventStream follow(String job, String lastId) {
    return EventStream.open(service().port(), job, lastId);
  }

  private static String named(String script) {
    return "\"scriptName\": \"" + script + "\"";
  }

  /** A19. */
  @Test
  default void whatHappensIsToldAsItHappensAndTheStreamEnds() {
    var script = UUID.randomUUID() + ".py";
    var job = api().submit("# hold\n", named(script));
    try (var stream = follow(job, "")) {
      Awaiting.until("it runs", () -> service().runner().holding().contains(script));
      Awaiting.until("told", () -> stream.names().contains("run-started"));
      Awaiting.until("a heartbeat came", () -> stream.heartbeats() > 0);
      Awaiting.until("progress came", () -> stream.names().contains("progress"));
      service().runner().release(1);
      stream.awaitEnd();
      assertThat(stream.names().stream().filter(name -> !name.equals("progress")))
          .containsExactly("queued", "run-started", "run-finished", "finished");
      var ids = new ArrayList<>(stream.ids());
      assertThat(ids).isSorted().doesNotHaveDuplicates().hasSize(4);
      var contract = new ContractCheck();
      stream.data().forEach(data -> contract.validate("JobEvent", data));
      assertThat(stream.data().getLast()).contains("\"verdict\":\"PASSED\"");
    }
  }

  @Test
  default void whoComesBackGetsEachEventOnce() {
    var job = api().run("x = 1").get("id");
    try (var all = follow(job, "")) {
      all.awaitEnd();
      var ids = all.ids();
      for (int known = 0; known < ids.size(); known++) {
        try (var rest = follow(job, Long.toString(ids.get(known)))) {
          rest.awaitEnd();
          assertThat(rest.ids()).isEqualTo(ids.subList(known + 1, ids.size()));
        }
      }
      var last = Long.toString(ids.getLast());
      api().get(JOBS + "/" + job + "/events", "Last-Event-ID", last).expect(204);
    }
  }

  @Test
  default void whoSaysToHaveWhatComesStillSeesTheEnd() {
    var script = UUID.randomUUID() + ".py";
    var job = api().submit("# hold\n", named(script));
    try (var stream = follow(job, "999999999999999999")) {
      Awaiting.until("it runs", () -> service().runner().holding().contains(script));
      Awaiting.until("it is followed", () -> stream.heartbeats() > 0);
      service().runner().release(1);
      stream.awaitEnd();
      assertThat(stream.ids()).isEmpty();
    }
  }

  @Test
  default void aJobThatEndedBeforeEventsWereKeptHasNone() {
    var job = api().run("x = 1").get("id");
    var _ =
        service()
            .jdbc()
            .sql("delete from job_event where job_id = :job")
            .param("job", job)
            .update();
    api().get(JOBS + "/" + job + "/events").expect(204);
  }

  @Test
  default void theProgressOfEachRunIsToldOnce() {
    var script = UUID.randomUUID() + ".py";
    var body =
        """
        {"script": "# hold\\n", "scriptName": "%s", "platform": "a2a3sim", "devices": [[0, 1], [2, 3]]}
        """
            .formatted(script);
    var job = api().postJson(JOBS, body).expect(202).get("id");
    try (var stream = follow(job, "")) {
      Awaiting.until(
          "both run",
          () -> stream.names().stream().filter(name -> name.equals("run-started")).count() == 2);
      Awaiting.until("the progress of one came", () -> hasProgress(stream, 1));
      Awaiting.until("the progress of the other came", () -> hasProgress(stream, 2));
      int beats = stream.heartbeats();
      Awaiting.until("it was looked several times more", () -> stream.heartbeats() > beats + 5);
      assertThat(stream.data()).doesNotHaveDuplicates();
      service().runner().release(2);
      stream.awaitEnd();
    }
  }

  private static boolean hasProgress(EventStream stream, int run) {
    return stream.data().stream()
        .anyMatch(
            data -> data.contains("\"type\":\"progress\"") && data.contains("\"run\":" + run));
  }

  @Test
  default void aCancelInTheQueueIsTold() {
    var job = api().submit("# hold\n", named("c.py"));
    try (var stream = follow(job, "")) {
      api().post(JOBS + "/" + job + "/cancel");
      stream.awaitEnd();
      assertThat(stream.names()).contains("cancel-requested", "run-finished").endsWith("finished");
    }
  }

  @Test
  default void whatIsNoStreamIsAProblem() {
    api().get(JOBS + "/job_00000000-0000-0000-0000-000000000000/events").expect(404);
    var job = api().run("x = 1").get("id");
    var refused = api().get(JOBS + "/" + job + "/events", "Last-Event-ID", "seven").expect(400);
    assertThat(refused.places()).containsExactly("Last-Event-ID");
    assertThat(api().get(JOBS + "/" + job + "/events").expect(200).text())
        .contains("event:finished");
  }
}
