package io.ringmaster.service.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringmaster.service.testing.Api;
import io.ringmaster.service.testing.Awaiting;
import io.ringmaster.service.testing.ServiceProcess;
import io.ringmaster.service.testing.TestService;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a restart keeps, and what it takes up again. */
class RestartTest {

  private static final String JOBS = "/api/v1/jobs";

  @Test
  void resultsAreThereAfterARestartAndStoppedRunsGoOn(@TempDir Path folder) {
    String passed;
    String held;
    var key = "nightly-1";
    try (var service = TestService.inFolder(folder)) {
      var api = service.api();
      passed =
          api.postJson(JOBS + "?wait=30", Api.job("x = 1\n", ""), "Idempotency-Key", key)
              .expect(200)
              .get("id");
      held = api.submit("# hold\n", "\"scriptName\":\"held.py\"");
      Awaiting.until("the run is held", () -> service.runner().holding().contains("held.py"));
    }
    try (var service = TestService.inFolder(folder)) {
      var api = service.api();
      var again = api.postJson(JOBS, Api.job("x = 1\n", ""), "Idempotency-Key", key).expect(200);
      assertThat(again.get("id")).isEqualTo(passed);
      assertThat(api.get("/api/v1/golden-results").expect(200).json().get("goldenResults"))
          .hasSize(1);
      service.runner().release(1);
      var ended = api.get(JOBS + "/" + held + "?wait=30").expect(200);
      assertThat(ended.get("verdict")).isEqualTo("PASSED");
      assertThat(ended.json().at("/runs/0/attempt").asInt()).isEqualTo(2);
    }
  }

  /** A warning that is always there hides the one that isn't. */
  @Test
  void aHealthyStartWarnsOfNothingTheFirstTimeAndTheSecond(@TempDir Path folder) {
    for (int start = 1; start <= 2; start++) {
      try (var process = ServiceProcess.start(folder, 2)) {
        assertThat(process.api().run("x = 1\n").get("verdict")).isEqualTo("PASSED");
        assertThat(process.said())
            .as("start " + start)
            .doesNotContain(" WARN ", " ERROR ", "WARNING", "Exception");
      }
    }
  }

  /** S07 in small: nobody calls the API after the restart, and yet everything ends, once. */
  @Test
  void everythingEndsAfterAKillWithoutAnybodyAsking(@TempDir Path folder) {
    var ids = new ArrayList<String>();
    try (var process = ServiceProcess.start(folder, 4)) {
      for (int i = 0; i < 12; i++) {
        ids.add(process.api().submit("# hold\n", ""));
      }
      Awaiting.until(
          "four runs are running",
          () -> process.api().get(JOBS + "?state=RUNNING").json().get("jobs").size() == 4);
      process.kill();
    }
    try (var service = TestService.inFolder(folder, "--ringmaster.workers.embedded=4")) {
      service.runner().release(ids.size());
      Awaiting.until(
          "all jobs are finished",
          () ->
              service
                      .jdbc()
                      .sql("select count(*) from job where state = 'FINISHED'")
                      .query(Integer.class)
                      .single()
                  == ids.size());
      assertThat(service.runner().executed()).hasSize(ids.size());
      var attempts =
          service
              .jdbc()
              .sql("select attempt from run order by attempt")
              .query((row, _) -> row.getInt(1))
              .list();
      assertThat(attempts).hasSize(ids.size()).filteredOn(a -> a == 2).hasSize(4);
      assertThat(attempts).filteredOn(a -> a == 1).hasSize(8);
    }
  }

  @Test
  void aRunThatLosesItsWorkerTwiceEnds(@TempDir Path folder) {
    String id = "";
    for (int attempt = 1; attempt <= 2; attempt++) {
      try (var process = ServiceProcess.start(folder, 1)) {
        if (attempt == 1) {
          id = process.api().submit("# hold\n", "");
        }
        Awaiting.until(
            "the run is running",
            () -> process.api().get(JOBS + "?state=RUNNING").json().get("jobs").size() == 1);
        process.kill();
      }
    }
    try (var service = TestService.inFolder(folder)) {
      var ended = service.api().get(JOBS + "/" + id + "?wait=30").expect(200);
      assertThat(ended.get("verdict")).isEqualTo("WORKER_LOST");
      assertThat(service.runner().executed()).isEqualTo(List.of());
    }
  }

  /** Commits are written together; all the same nobody is told of one that isn't written. */
  @Test
  void whatWasAcknowledgedIsThereAfterAKill(@TempDir Path folder) throws InterruptedException {
    var queued = ConcurrentHashMap.<String>newKeySet();
    var passed = ConcurrentHashMap.<String>newKeySet();
    try (var process = ServiceProcess.start(folder, 2)) {
      var clients = new ArrayList<Thread>();
      for (int i = 0; i < 4; i++) {
        var high = "\"priority\":\"HIGH\"";
        clients.add(client(() -> submit(process.api(), "?wait=30", high), passed));
        clients.add(client(() -> submit(process.api(), "", ""), queued));
      }
      Awaiting.until("many are in", () -> queued.size() > 40 && passed.size() > 40);
      process.kill();
      for (var client : clients) {
        client.join();
      }
    }
    try (var service = TestService.inFolder(folder, "--ringmaster.workers.embedded=0")) {
      assertThat(ids(service, "")).containsAll(queued);
      assertThat(ids(service, "where state = 'FINISHED' and verdict = 'PASSED'"))
          .containsAll(passed);
      assertThat(ids(service, "where state = 'FINISHED'"))
          .as("a finished job has its finished runs, their reports and the ends of their attempts")
          .hasSameElementsAs(
              ids(
                  service,
                  """
                  where id in (
                    select r.job_id from run r
                      join artifact f on f.run_id = r.id and f.name = 'report.json'
                      join attempt a on a.run_id = r.id and a.ended_at is not null
                    where r.state = 'FINISHED')
                  """));
    }
  }

  /** The id of a job that ended in time, or that isn't waited for. */
  private static Optional<String> submit(Api api, String wait, String more) {
    var reply = api.postJson(JOBS + wait, Api.job("x = 1\n", more));
    return reply.status() == (wait.isEmpty() ? 202 : 200)
        ? Optional.of(reply.get("id"))
        : Optional.empty();
  }

  private static Thread client(Supplier<Optional<String>> submit, Set<String> acknowledged) {
    return Thread.ofVirtual()
        .start(
            () -> {
              try {
                while (true) {
                  submit.get().ifPresent(acknowledged::add);
                }
              } catch (UncheckedIOException e) {
                // The process was killed, which is what this waits for.
                assertThat(acknowledged).isNotEmpty();
              }
            });
  }

  private static List<String> ids(TestService service, String where) {
    return service
        .jdbc()
        .sql("select id from job " + where)
        .query((row, _) -> row.getString(1))
        .list();
  }

  /** Each is killed right after the reply: nothing else can have written it down. */
  @Test
  void changesOfOtherKindsAreThereAfterAKill(@TempDir Path folder) {
    var held = changed(folder, api -> api.submit("# hold\n", ""));
    var ended = changed(folder, api -> api.submit("# hold\n", ""));
    changed(folder, api -> api.post(JOBS + "/" + ended + "/cancel").expect(200).text());
    changed(folder, api -> api.delete(JOBS + "/" + ended).expect(204).text());
    changed(
        folder, api -> api.putJson("/api/v1/maintenance", "{\"enabled\":true}").expect(200).text());
    try (var service = TestService.inFolder(folder)) {
      assertThat(service.api().get(JOBS + "/" + ended).status()).isEqualTo(404);
      assertThat(ids(service, "")).containsExactly(held);
      assertThat(service.jdbc().sql("select pool from maintenance").query(String.class).list())
          .hasSize(1);
    }
  }

  private static String changed(Path folder, Function<Api, String> change) {
    try (var process = ServiceProcess.start(folder, 0)) {
      var answer = change.apply(process.api());
      process.kill();
      return answer;
    }
  }
}
