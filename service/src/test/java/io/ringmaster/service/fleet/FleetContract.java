package io.ringmaster.service.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringmaster.service.testing.Api;
import io.ringmaster.service.testing.Awaiting;
import io.ringmaster.service.testing.TestService;
import io.ringmaster.worker.job.JobReport;
import io.ringmaster.worker.job.ReportJson;
import io.ringmaster.worker.job.Verdict;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import tools.jackson.databind.JsonNode;

/** The protocol of the workers, spoken by hand, whichever database is below. */
@TestInstance(Lifecycle.PER_CLASS)
abstract class FleetContract {

  static final String[] OPTIONS = {
    "--ringmaster.workers.embedded=0",
    "--ringmaster.workers.heartbeat=200ms",
    "--ringmaster.workers.lost-after=3s"
  };

  private static final String WORKERS = "/api/v1/workers";
  private static final String JOBS = "/api/v1/jobs";

  private final TestService service;
  private final Api api;

  FleetContract(TestService service) {
    this.service = service;
    this.api = service.api();
  }

  @AfterAll
  void stop() {
    service.close();
  }

  /** No test finds another's jobs. */
  @AfterEach
  void endEverything() {
    for (var state : List.of("QUEUED", "RUNNING")) {
      for (var job : api.get(JOBS + "?state=" + state).expect(200).json().get("jobs")) {
        api.post(JOBS + "/" + job.get("id").asString() + "/cancel");
      }
    }
    for (var worker : api.get(WORKERS).expect(200).json().get("workers")) {
      api.delete(WORKERS + "/" + worker.get("id").asString()).expect(204);
    }
  }

  private String register(String name, String platforms, String devices) {
    return api.postJson(
            WORKERS,
            """
            {"name": "%s", "pool": "sim", "platforms": %s, "devices": %s, "version": "test"}
            """
                .formatted(name, platforms, devices))
        .expect(201)
        .get("id");
  }

  private String register() {
    return register("hand", "[\"a2a3sim\"]", "[[0, 63]]");
  }

  private JsonNode lease(String worker) {
    while (true) {
      var reply = api.post(WORKERS + "/" + worker + "/leases?wait=10");
      if (reply.status() != 204) {
        return reply.expect(200).json();
      }
    }
  }

  private Api.Reply tell(String worker, JsonNode lease, String what, String body) {
    var path = WORKERS + "/" + worker + "/leases/" + lease.get("id").asString() + "/" + what;
    return what.equals("heartbeat") ? api.putJson(path, body) : api.postJson(path, body);
  }

  private static String result(int attempt) {
    return "{\"attempt\": %d, \"report\": %s}"
        .formatted(
            attempt,
            ReportJson.write(
                new JobReport(Verdict.NOT_VERIFIED, "nothing compared", List.of(), List.of())));
  }

  private String state(String job) {
    return api.get(JOBS + "/" + job).expect(200).get("state");
  }

  @Test
  void aRunGoesToAWorkerAndItsResultComesBack() {
    var worker = register();
    var job = api.submit("x = 1\n", "\"arguments\": [\"--mode\", \"hand\"]");
    var lease = lease(worker);
    assertThat(lease.get("jobId").asString()).isEqualTo(job);
    assertThat(lease.get("script").asString()).isEqualTo("x = 1\n");
    assertThat(lease.at("/arguments/1").asString()).isEqualTo("hand");
    assertThat(lease.at("/limits/wallSeconds").asLong()).isPositive();
    assertThat(api.get(WORKERS).expect(200).json().at("/workers/0/runs/0").asString())
        .isEqualTo(lease.get("runId").asString());

    tell(worker, lease, "heartbeat", "{\"attempt\": 1, \"phase\": \"compiling\"}").expect(200);
    tell(worker, lease, "events", "{\"attempt\": 1, \"logOffset\": 0, \"log\": \"one \"}")
        .expect(204);
    tell(worker, lease, "events", "{\"attempt\": 1, \"logOffset\": 2, \"log\": \"e two\"}")
        .expect(204);
    assertThat(api.get(JOBS + "/" + job + "/runs/1/log").expect(200).text()).isEqualTo("one two");
    tell(worker, lease, "events", "{\"attempt\": 1, \"logOffset\": 7, \"log\": \"\\u0000!\"}")
        .expect(204);
    tell(worker, lease, "events", "{\"attempt\": 1, \"logOffset\": 9, \"log\": \" three\"}")
        .expect(204);
    assertThat(api.get(JOBS + "/" + job + "/runs/1/log").expect(200).text())
        .isEqualTo("one two\uFFFD! three");
    assertThat(api.get(JOBS + "/" + job).expect(200).json().at("/runs/0/phase").asString())
        .isEqualTo("compiling");

    tell(worker, lease, "result", result(1)).expect(204);
    var done = api.get(JOBS + "/" + job).expect(200);
    assertThat(done.get("state")).isEqualTo("FINISHED");
    assertThat(done.get("sentence")).isEqualTo("nothing compared");
    assertThat(done.json().at("/runs/0/worker").asString()).isEqualTo("hand");
    assertThat(tell(worker, lease, "result", result(1)).expect(409).get("code"))
        .isEqualTo("LEASE_ENDED");
  }

  @Test
  void onlyWhoHoldsTheLeaseCanSpeakForTheRun() {
    var worker = register();
    var other = register();
    api.submit("x = 1\n", "");
    var lease = lease(worker);
    tell(other, lease, "result", result(1)).expect(409);
    tell(worker, lease, "result", result(2)).expect(409);
    tell(worker, lease, "events", "{\"attempt\": 1, \"logOffset\": 9, \"log\": \"late\"}")
        .expect(400);
    tell(worker, lease, "result", result(1)).expect(204);
  }

  @Test
  void aSilentWorkersRunGoesToAnotherAndItsLateResultIsRefused() {
    var silent = register();
    var job = api.submit("x = 1\n", "");
    var lost = lease(silent);
    var next = register();
    var again = lease(next);
    assertThat(again.get("jobId").asString()).isEqualTo(job);
    assertThat(again.get("attempt").asInt()).isEqualTo(2);
    tell(silent, lost, "result", result(1)).expect(404);
    tell(next, again, "result", result(2)).expect(204);
    assertThat(state(job)).isEqualTo("FINISHED");
  }

  /** The worker asks on and on, so it lives; it just never heard of the run that it was given. */
  @Test
  void aLeaseWhoseReplyIsLostIsGivenAgainThoughItsWorkerLives() {
    var worker = register();
    var job = api.submit("x = 1\n", "");
    var lost = lease(worker);
    var again = lease(worker);
    assertThat(again.get("runId").asString()).isEqualTo(lost.get("runId").asString());
    assertThat(again.get("attempt").asInt()).isEqualTo(2);
    tell(worker, lost, "heartbeat", "{\"attempt\": 1}").expect(409);
    tell(worker, lost, "result", result(1)).expect(409);
    tell(worker, again, "result", result(2)).expect(204);
    assertThat(state(job)).isEqualTo("FINISHED");
  }

  @Test
  void aRunThatSaysThatItLivesIsNotTaken() {
    var worker = register();
    api.submit("x = 1\n", "");
    var lease = lease(worker);
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(3);
    while (System.nanoTime() < end) {
      tell(worker, lease, "heartbeat", "{\"attempt\": 1}").expect(200);
      api.post(WORKERS + "/" + worker + "/leases?wait=0").expect(204);
    }
    tell(worker, lease, "result", result(1)).expect(204);
  }

  @Test
  void aRunThatLosesTwoWorkersIsLost() {
    var job = api.submit("x = 1\n", "");
    assertThat(lease(register()).get("attempt").asInt()).isEqualTo(1);
    assertThat(lease(register()).get("attempt").asInt()).isEqualTo(2);
    Awaiting.until("the job is given up", () -> state(job).equals("FINISHED"));
    assertThat(api.get(JOBS + "/" + job).expect(200).get("verdict")).isEqualTo("WORKER_LOST");
  }

  /** What its owner wanted comes before what became of its worker. */
  @Test
  void aCancelledRunThatLosesItsLastWorkerIsCancelled() {
    var job = api.submit("x = 1\n", "");
    assertThat(lease(register()).get("attempt").asInt()).isEqualTo(1);
    assertThat(lease(register()).get("attempt").asInt()).isEqualTo(2);
    api.post(JOBS + "/" + job + "/cancel").expect(202);
    Awaiting.until("the job is given up", () -> state(job).equals("FINISHED"));
    assertThat(api.get(JOBS + "/" + job).expect(200).get("verdict")).isEqualTo("CANCELLED");
  }

  @Test
  void whoSignsOffGivesItsRunsBackAtOnce() {
    var leaving = register();
    var job = api.submit("x = 1\n", "");
    lease(leaving);
    api.delete(WORKERS + "/" + leaving).expect(204);
    assertThat(state(job)).isEqualTo("QUEUED");
    api.post(WORKERS + "/" + leaving + "/leases").expect(404);
  }

  @Test
  void aCancelReachesTheWorkerWithItsNextSignOfLife() {
    var worker = register();
    var job = api.submit("x = 1\n", "");
    var lease = lease(worker);
    var beat = "{\"attempt\": 1}";
    assertThat(tell(worker, lease, "heartbeat", beat).expect(200).json().get("stop").asBoolean())
        .isFalse();
    api.post(JOBS + "/" + job + "/cancel").expect(202);
    assertThat(tell(worker, lease, "heartbeat", beat).expect(200).json().get("stop").asBoolean())
        .isTrue();
  }

  @Test
  void aWorkerGetsOnlyWhatItOffers() {
    var few = register("few", "[\"a2a3sim\"]", "[[0, 1], [8, 8]]");
    var other = register("other", "[\"a5sim\"]", "[[0, 63]]");
    var all = register();
    var job = api.submit("x = 1\n", "");
    api.post(WORKERS + "/" + few + "/leases").expect(204);
    api.post(WORKERS + "/" + other + "/leases").expect(204);
    assertThat(lease(all).get("jobId").asString()).isEqualTo(job);
  }

  @Test
  void aPlatformIsOfferedAsLongAsAWorkerDoes() {
    var opencl = "{\"script\": \"x = 1\\n\", \"platform\": \"opencl\", \"devices\": [0]}";
    assertThat(api.postJson(JOBS, opencl).expect(422).get("code")).isEqualTo("CANNOT_BE_PLACED");
    var worker = register("gpu", "[\"opencl\"]", "[[0, 0]]");
    var job = api.postJson(JOBS, opencl).expect(202).get("id");
    assertThat(lease(worker).get("jobId").asString()).isEqualTo(job);
  }

  @Test
  void whatMakesNoSenseIsNamed() {
    var refused =
        api.postJson(
                WORKERS,
                """
                {"name": "x", "pool": "sim", "platforms": ["a9sim"], "devices": [[4, 1]],
                 "version": "1"}
                """)
            .expect(400);
    assertThat(refused.places()).containsExactly("/platforms/0", "/devices/0");
    api.post(WORKERS + "/worker_00000000-0000-0000-0000-000000000000/leases").expect(404);
    api.post(WORKERS + "/nobody/leases").expect(404);
  }

  /** Many workers at once never get the same run. */
  @Test
  void everyRunIsGivenOnce() throws Exception {
    var jobs = new HashSet<String>();
    for (int i = 0; i < 40; i++) {
      jobs.add(api.submit("x = " + i + "\n", ""));
    }
    var takers = new ArrayList<Callable<List<String>>>();
    for (int i = 0; i < 8; i++) {
      takers.add(() -> takeAndFinish(register()));
    }
    var taken = new ArrayList<String>();
    try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      for (var result : threads.invokeAll(takers)) {
        taken.addAll(result.get());
      }
    }
    assertThat(taken).containsExactlyInAnyOrderElementsOf(jobs);
  }

  private List<String> takeAndFinish(String worker) {
    var taken = new ArrayList<String>();
    while (true) {
      var reply = api.post(WORKERS + "/" + worker + "/leases?wait=1");
      if (reply.status() == 204) {
        return taken;
      }
      var lease = reply.expect(200).json();
      taken.add(lease.get("jobId").asString());
      tell(worker, lease, "result", result(1)).expect(204);
    }
  }
}
