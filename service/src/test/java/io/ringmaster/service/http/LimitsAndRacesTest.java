package io.ringmaster.service.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringmaster.service.testing.Api;
import io.ringmaster.service.testing.Awaiting;
import io.ringmaster.service.testing.MovableClock;
import io.ringmaster.service.testing.TestService;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;

/** Runs that end in unusual ways end once, and free what they held. */
@TestInstance(Lifecycle.PER_CLASS)
class LimitsAndRacesTest {

  private static final String JOBS = "/api/v1/jobs";
  private static final int RACES = 100;

  private final TestService service =
      TestService.inMemory(
          "--ringmaster.placement.simulated-devices=SHARED",
          "--ringmaster.workers.embedded=3",
          "--ringmaster.workers.stop-grace=300ms");
  private final Api api = service.api();

  @AfterAll
  void stop() {
    service.close();
  }

  private static String on(String devices, String script, String more) {
    return "{\"script\":\"%s\",\"platform\":\"a5sim\",\"devices\":%s%s}"
        .formatted(script, devices, more);
  }

  private long leases() {
    return service.jdbc().sql("select count(*) from device_lease").query(Long.class).single();
  }

  @Test
  void theRunLimitEndsARun() {
    var body = on("[100]", "# hold", ",\"limits\":{\"wallSeconds\":1}");
    var job = api.postJson(JOBS + "?wait=30", body).expect(200);
    assertThat(job.get("verdict")).isEqualTo("TIMED_OUT");
    assertThat(job.get("sentence")).contains("limit of 1 s");
  }

  /** A queued hour doesn't eat a limit of seconds, and devices are held from the start on. */
  @Test
  void theRunLimitCountsFromTheStartOfTheRun() {
    try (var small =
        TestService.inMemory(
            "--ringmaster.workers.embedded=1", "--ringmaster.placement.simulated-devices=SHARED")) {
      var first = small.api().submit("# hold", "\"limits\":{\"wallSeconds\":3600}");
      Awaiting.until("the first runs", () -> !small.runner().holding().isEmpty());
      var limit = "\"scriptName\":\"second.py\",\"limits\":{\"wallSeconds\":30}";
      var second = small.api().submit("# hold", limit);
      small.bean(MovableClock.class).moveBy(Duration.ofHours(2));
      small.runner().release(1);
      Awaiting.until("the second runs", () -> small.runner().holding().contains("second.py"));
      assertThat(small.api().get(JOBS + "/" + first + "?wait=30").get("verdict"))
          .isEqualTo("PASSED");
      var until =
          small.jdbc().sql("select max(until) from device_lease").query(Instant.class).single();
      assertThat(until).isAfter(small.bean(MovableClock.class).instant());
      small.runner().release(1);
      var ended = small.api().get(JOBS + "/" + second + "?wait=30").expect(200);
      assertThat(ended.get("verdict")).as(ended.text()).isEqualTo("PASSED");
    }
  }

  /** Whoever is told 202 by a process that ends would wait for another to find the job. */
  @Test
  void aProcessThatEndsTakesNoNewJobsAndSaysWhen() throws InterruptedException {
    var small =
        TestService.inMemory(
            "--ringmaster.workers.embedded=1", "--ringmaster.workers.stop-grace=60s");
    var api = small.api();
    var first = api.submit("# deaf", "");
    Awaiting.until("it runs", () -> !small.runner().executed().isEmpty());
    var end = Thread.ofVirtual().start(small::close);
    try {
      Awaiting.until(
          "submissions are refused",
          () -> api.postJson(JOBS, Api.job("x = 1", "")).status() == 503);
      var refused = api.postJson(JOBS, Api.job("x = 1", "")).expect(503);
      assertThat(refused.get("code")).isEqualTo("UNAVAILABLE");
      assertThat(refused.get("detail")).contains("shutting down");
      assertThat(refused.header("Retry-After")).contains("5");
      api.post(JOBS + "/" + first + "/rerun").expect(503);
      assertThat(api.get(JOBS + "/" + first).expect(200).get("state")).isEqualTo("RUNNING");
    } finally {
      small.runner().hear(1);
      end.join();
    }
  }

  @Test
  void aRunThatIgnoresTheOrderToStopIsGivenUpAndItsWorkerReplaced() {
    var body = on("[110,111]", "# deaf", ",\"limits\":{\"wallSeconds\":1}");
    for (int i = 0; i < 4; i++) {
      var job = api.postJson(JOBS + "?wait=30", body).expect(200);
      assertThat(job.get("verdict")).isEqualTo("TIMED_OUT");
    }
    var next = api.postJson(JOBS + "?wait=30", on("[110]", "x = 1", "")).expect(200);
    assertThat(next.get("verdict")).isEqualTo("PASSED");
  }

  /** A thread that cannot be stopped takes a processor; there must be an end to starting more. */
  @Test
  void workersThatAreLostForGoodAreSaidByTheHealth() {
    try (var small =
        TestService.inMemory(
            "--ringmaster.workers.embedded=1",
            "--ringmaster.workers.most-abandoned=0",
            "--ringmaster.workers.stop-grace=100ms")) {
      var deaf = Api.job("# deaf", "\"limits\":{\"wallSeconds\":1}");
      small.api().get("/actuator/health/liveness").expect(200);
      small.api().postJson(JOBS + "?wait=30", deaf).expect(200);
      Awaiting.until(
          "no worker is left", () -> small.api().get("/actuator/health/liveness").status() == 503);
      var queued = small.api().submit("x = 1", "");
      assertThat(small.api().get(JOBS + "/" + queued).json().at("/waiting/detail").asString())
          .contains("lost to a run that does not stop. Restart the service");
      small.runner().hear(1);
      Awaiting.until(
          "it came back", () -> small.api().get("/actuator/health/liveness").status() == 200);
      assertThat(small.api().run("x = 1").get("verdict")).isEqualTo("PASSED");
    }
  }

  /** S12: all devices or none; who waits holds nothing. */
  @Test
  void sharedDevicesAreHeldByOneRunAtATime() {
    var first = on("[0,1,2,3,4,5]", "# hold", ",\"scriptName\":\"first.py\"");
    var one = api.postJson(JOBS, first).expect(202).get("id");
    Awaiting.until("the first runs", () -> service.runner().holding().contains("first.py"));
    var two = api.postJson(JOBS, on("[5,6,7]", "x = 1", "")).expect(202).get("id");
    // Devices 6 and 7 are kept for the second, so only what is done in time may have them.
    var quick = on("[6,7]", "x = 1", ",\"limits\":{\"wallSeconds\":10}");
    var other = api.postJson(JOBS + "?wait=30", quick).expect(200);
    assertThat(other.get("verdict")).isEqualTo("PASSED");
    var waiting = api.get(JOBS + "/" + two).expect(200).json();
    assertThat(waiting.at("/waiting/reason").asString()).isEqualTo("NO_FREE_DEVICE");
    assertThat(waiting.at("/waiting/detail").asString()).contains("device [5]");
    service.runner().release(1);
    assertThat(api.get(JOBS + "/" + two + "?wait=30").get("verdict")).isEqualTo("PASSED");
    assertThat(api.get(JOBS + "/" + one + "?wait=30").get("verdict")).isEqualTo("PASSED");
  }

  /** S03 in small: one terminal state, one step of one counter each. */
  @Test
  void cancelAndCompletionAtTheSameMomentEndARunOnce() throws Exception {
    double before = finishedCounters();
    var ids = new ArrayList<String>();
    for (int i = 0; i < RACES; i++) {
      ids.add(api.postJson(JOBS, on("[20%d]".formatted(i % 3), "x = 1", "")).expect(202).get("id"));
    }
    try (var threads = Executors.newFixedThreadPool(4)) {
      List<Callable<Integer>> cancels =
          ids.reversed().stream()
              .map(id -> (Callable<Integer>) () -> api.post(JOBS + "/" + id + "/cancel").status())
              .toList();
      for (var cancel : threads.invokeAll(cancels)) {
        assertThat(cancel.get()).isIn(200, 202);
      }
    }
    for (var id : ids) {
      var job = api.get(JOBS + "/" + id + "?wait=30").expect(200);
      assertThat(job.get("state")).isEqualTo("FINISHED");
      assertThat(job.get("verdict")).isIn("PASSED", "CANCELLED");
      assertThat(job.json().at("/runs/0/verdict").asString()).isEqualTo(job.get("verdict"));
    }
    Awaiting.until("every end is counted", () -> finishedCounters() - before == RACES);
    assertThat(leases()).isZero();
  }

  private double finishedCounters() {
    return api.get("/actuator/prometheus")
        .text()
        .lines()
        .filter(line -> line.startsWith("ringmaster_jobs_finished_total{"))
        .filter(line -> line.contains("a5sim"))
        .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' '))))
        .sum();
  }
}
