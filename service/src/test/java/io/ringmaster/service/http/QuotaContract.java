package io.ringmaster.service.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringmaster.service.testing.Api;
import io.ringmaster.service.testing.Awaiting;
import io.ringmaster.service.testing.TestService;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;

/** Quotas seen from outside, whichever database is below. */
@TestInstance(Lifecycle.PER_CLASS)
abstract class QuotaContract {

  static final String[] OPTIONS = {
    "--ringmaster.workers.embedded=3",
    "--ringmaster.quotas.queued-jobs=3",
    "--ringmaster.quotas.running-jobs=2",
    "--ringmaster.quotas.devices=5",
    "--ringmaster.quotas.owners.nightly.queued-jobs=1000"
  };

  private static final String JOBS = "/api/v1/jobs";

  private final TestService service;
  private final Api api;

  QuotaContract(TestService service) {
    this.service = service;
    this.api = service.api();
  }

  @AfterAll
  void stop() {
    service.close();
  }

  @AfterEach
  void endEverything() {
    for (var state : List.of("QUEUED", "RUNNING")) {
      for (var job :
          api.get(JOBS + "?pageSize=200&state=" + state).expect(200).json().get("jobs")) {
        var id = job.get("id").asString();
        api.post(JOBS + "/" + id + "/cancel");
        api.get(JOBS + "/" + id + "?wait=30").expect(200);
      }
    }
  }

  private Api.Reply ask(String devices) {
    return api.postJson(
        JOBS,
        "{\"script\": \"# hold\\n\", \"platform\": \"sim\", \"devices\": %s}".formatted(devices));
  }

  private String running(String devices) {
    var id = ask(devices).expect(202).get("id");
    awaitRunning(id);
    return id;
  }

  private void awaitRunning(String id) {
    Awaiting.until("the job runs", () -> state(id).equals("RUNNING"));
  }

  private String state(String id) {
    return api.get(JOBS + "/" + id).expect(200).get("state");
  }

  private String explained(String id, String what) {
    return api.get(JOBS + "/" + id + "/explain")
        .expect(200)
        .json()
        .at("/runs/0/" + what)
        .asString();
  }

  @Test
  void aRunWaitsForItsOwnersDevicesAndStartsWhenTheyAreFree() {
    var first = running("[0, 1, 2]");
    var second = ask("[7, 8, 9]").expect(202).get("id");
    assertThat(explained(second, "reason")).isEqualTo("QUOTA");
    assertThat(explained(second, "detail"))
        .isEqualTo("local has 3 devices in use or kept, this run asks for 3, and the quota is 5.");
    assertThat(api.get(JOBS + "/" + second).json().at("/waiting/reason").asString())
        .isEqualTo("QUOTA");
    service.runner().release(1);
    api.get(JOBS + "/" + first + "?wait=30");
    awaitRunning(second);
    assertThat(api.get("/actuator/prometheus").text())
        .containsPattern(
            "ringmaster_gang_allocation_total\\{reason=\"quota\",result=\"waiting\"} [1-9]");
  }

  @Test
  void aThirdJobWaitsForOneOfTheTwoThatRun() {
    running("[0]");
    running("[1]");
    var third = ask("[2]").expect(202).get("id");
    assertThat(explained(third, "detail"))
        .isEqualTo("local has 2 running jobs, and the quota is 2.");
    service.runner().release(1);
    awaitRunning(third);
  }

  @Test
  void whatNeverFitsIsRefusedAtOnce() {
    var refused = ask("[0, 1, 2, 3, 4, 5]").expect(422);
    assertThat(refused.get("code")).isEqualTo("BEYOND_QUOTA");
    assertThat(refused.places()).containsExactly("/devices");
    assertThat(refused.get("detail"))
        .isEqualTo(
            "6 devices are asked for; the quota of local is 5 devices at once. Ask for fewer, or"
                + " the operator for more.");
    assertThat(refused.json().at("/quota/limit").asInt()).isEqualTo(5);
    assertThat(ask("\"auto:6\"").expect(422).get("code")).isEqualTo("BEYOND_QUOTA");
    assertThat(ask("[[0], \"auto:6\"]").expect(422).places()).containsExactly("/devices/1");
    assertThat(api.get("/actuator/prometheus").text())
        .containsPattern("ringmaster_quota_refusals_total\\{quota=\"devices\"} [1-9]");
  }

  @Test
  void tooManyWaitingJobsAreRefusedWithTheNumbersAndATime() {
    running("[0]");
    running("[1]");
    var waiting = new ArrayList<String>();
    for (int i = 0; i < 3; i++) {
      waiting.add(ask("[0]").expect(202).get("id"));
    }
    long rows = service.rows();
    var refused = ask("[0]").expect(429);
    assertThat(service.rows()).isEqualTo(rows);
    assertThat(refused.get("code")).isEqualTo("QUOTA_EXCEEDED");
    assertThat(refused.header("Retry-After")).contains("10");
    assertThat(refused.get("detail"))
        .isEqualTo(
            "local has 3 queued jobs, and the quota is 3. Wait until some have started, or cancel"
                + " some.");
    var quota = refused.json().get("quota");
    assertThat(quota.get("name").asString()).isEqualTo("queued-jobs");
    assertThat(quota.get("limit").asInt()).isEqualTo(3);
    assertThat(quota.get("current").asInt()).isEqualTo(3);
    api.post(JOBS + "/" + waiting.getFirst() + "/rerun").expect(429);
    api.post(JOBS + "/" + waiting.getFirst() + "/cancel");
    ask("[0]").expect(202);
    assertThat(api.get("/actuator/prometheus").text())
        .containsPattern("ringmaster_quota_refusals_total\\{quota=\"queued_jobs\"} [1-9]");
  }

  /** A retry of something that is in already asks for nothing. */
  @Test
  void aKeyThatWasUsedIsAnsweredWhateverTheQuota() {
    running("[0]");
    running("[1]");
    var body = Api.job("# hold\n", "\"name\": \"once\"");
    var first = api.postJson(JOBS, body, "Idempotency-Key", "k").expect(202).get("id");
    ask("[0]").expect(202);
    ask("[0]").expect(202);
    assertThat(api.postJson(JOBS, body, "Idempotency-Key", "k").expect(202).get("id"))
        .isEqualTo(first);
    api.postJson(JOBS, body, "Idempotency-Key", "k2").expect(429);
  }

  @Test
  void ofManyAtOnceExactlyAsManyGetInAsTheQuotaAllows() throws Exception {
    running("[0]");
    running("[1]");
    var calls = new ArrayList<Callable<Integer>>();
    for (int i = 0; i < 24; i++) {
      calls.add(() -> ask("[0]").status());
    }
    var statuses = new ArrayList<Integer>();
    try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      for (var one : threads.invokeAll(calls)) {
        statuses.add(one.get());
      }
    }
    assertThat(statuses).containsOnly(202, 429);
    assertThat(statuses.stream().filter(status -> status == 202)).hasSize(3);
  }
}
