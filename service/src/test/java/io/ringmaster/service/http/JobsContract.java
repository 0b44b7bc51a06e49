package io.ringmaster.service.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringmaster.service.testing.Api;
import io.ringmaster.service.testing.Api.Form;
import io.ringmaster.service.testing.Awaiting;
import io.ringmaster.service.testing.TestService;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;

/** What holds for jobs, whichever database is below. */
@TestInstance(Lifecycle.PER_CLASS)
abstract class JobsContract {

  static final String JOBS = "/api/v1/jobs";

  private final TestService service;
  private final Api api;

  JobsContract(TestService service) {
    this.service = service;
    this.api = service.api();
  }

  @AfterAll
  void stop() {
    service.close();
  }

  private void awaitHeld(String script) {
    Awaiting.until(script + " is held", () -> service.runner().holding().contains(script));
  }

  private static String unique() {
    return "n" + UUID.randomUUID();
  }

  @Test
  void aFormIsAnsweredWithTheFinishedJob() {
    var form =
        new Form()
            .file("script", "kernel.py", "x = 1\n".getBytes(StandardCharsets.UTF_8))
            .field("platform", "a2a3sim")
            .field("devices", "4,9,2")
            .field("arguments", "--mode")
            .field("arguments", "hand")
            .field("labels", "branch:main")
            .field("limits.wallSeconds", "30");
    var reply = api.postForm(JOBS + "?wait=30", form).expect(200);
    assertThat(reply.get("verdict")).isEqualTo("PASSED");
    assertThat(reply.get("name")).isEqualTo("kernel.py");
    assertThat(reply.json().at("/devices/0").toString()).isEqualTo("[4,9,2]");
    assertThat(reply.json().at("/arguments").toString()).isEqualTo("[\"--mode\",\"hand\"]");
    assertThat(reply.json().at("/limits/wallSeconds").asInt()).isEqualTo(30);
    assertThat(reply.json().at("/labels/branch").asString()).isEqualTo("main");
  }

  @Test
  void jsonIsAcceptedAtOnceAndSaysWhereTheJobIs() {
    var reply = api.postJson(JOBS, Api.job("# hold\n", "")).expect(202);
    assertThat(reply.header("Location")).contains(JOBS + "/" + reply.get("id"));
    assertThat(reply.header("Retry-After")).isPresent();
    awaitHeld("kernel.py");
    service.runner().release(1);
    var finished = api.get(JOBS + "/" + reply.get("id") + "?wait=30").expect(200);
    assertThat(finished.get("state")).isEqualTo("FINISHED");
  }

  @Test
  void aPreferenceForWaitingIsAcknowledged() {
    var reply =
        api.postJson(JOBS, Api.job("x = 1\n", ""), "Prefer", "respond-async, wait=30").expect(200);
    assertThat(reply.header("Preference-Applied")).contains("wait=30");
  }

  @Test
  void severalDeviceListsAreOneRunEach() {
    var body =
        """
        {"script": "x = 1", "platform": "a2a3sim", "devices": [[0, 1], [0, 1, 2, 3]]}
        """;
    var job = api.postJson(JOBS + "?wait=30", body).expect(200);
    assertThat(job.json().get("runs")).hasSize(2);
    assertThat(job.json().at("/runs/1/devices").toString()).isEqualTo("[0,1,2,3]");
    var report = api.get(JOBS + "/" + job.get("id") + "/report").expect(200);
    assertThat(report.json().get("runs")).hasSize(2);
  }

  @Test
  void everyPartOfARunCanBeRead() {
    var job = api.run("# verdict: RACE\n# log: hello\n");
    assertThat(job.get("verdict")).isEqualTo("RACE");
    var run = JOBS + "/" + job.get("id") + "/runs/1";
    assertThat(api.get(run).expect(200).get("verdict")).isEqualTo("RACE");
    assertThat(api.get(run + "/report").expect(200).json().at("/timings/compileNanos").asLong())
        .isEqualTo(1_000_000);
    assertThat(api.get(run + "/checks").expect(200).json().get("checks")).hasSize(1);
    assertThat(api.get(run + "/findings").expect(200).json().at("/findings/0/kind").asString())
        .isEqualTo("RACE");
    assertThat(api.get(run + "/barriers").expect(200).json().get("barriers")).hasSize(1);
    assertThat(api.get(run + "/traffic").expect(200).json().at("/collectives/0/op").asString())
        .isEqualTo("allgather");
    assertThat(api.get(run + "/log").expect(200).text()).isEqualTo("hello");
    assertThat(api.get(run + "/ir").expect(200).text()).startsWith("program LOWERED");
    assertThat(api.get(run + "/ir?stage=SOURCE").expect(200).text()).startsWith("program SOURCE");
    assertThat(api.get(run + "/outputs").expect(200).json().get("outputs")).isEmpty();
    assertThat(api.get(JOBS + "/" + job.get("id") + "/junit").expect(200).text())
        .contains("<testsuite ");
    assertThat(api.get(JOBS + "/" + job.get("id") + "/source").expect(200).text())
        .isEqualTo("# verdict: RACE\n# log: hello\n");
    api.get(run + "/outputs/none.npy").expect(404);
    api.get(run + "/timeline").expect(404);
    api.get(JOBS + "/" + job.get("id") + "/runs/2").expect(404);
  }

  @Test
  void aRejectedScriptIsAJobThatKeepsItsDiagnostics() {
    var job = api.run("# verdict: REJECTED\n");
    assertThat(job.get("verdict")).isEqualTo("REJECTED");
    assertThat(job.json().at("/diagnostics/0/line").asInt()).isEqualTo(3);
    var report = api.get(JOBS + "/" + job.get("id") + "/report").expect(200);
    assertThat(report.json().at("/diagnostics/0/message").asString())
        .isEqualTo("expected an expression");
    assertThat(report.json().at("/runs/0/verdict").asString()).isEqualTo("REJECTED");
    assertThat(report.json().at("/runs/0/diagnostics")).isEqualTo(report.json().at("/diagnostics"));
    var run = api.get(JOBS + "/" + job.get("id") + "/runs/1/report").expect(200);
    assertThat(run.json().at("/diagnostics/0/line").asInt()).isEqualTo(3);
  }

  @Test
  void aScriptThatCannotRunIsRefusedAndLeavesNothing() {
    long before = service.rows();
    var refused = api.postJson(JOBS, Api.job("# broken", "")).expect(422);
    assertThat(refused.get("code")).isEqualTo("SOURCE_REJECTED");
    assertThat(refused.get("detail")).isEqualTo("Line 3: expected an expression");
    assertThat(refused.json().at("/diagnostics/0/column").asInt()).isEqualTo(9);
    assertThat(service.rows()).isEqualTo(before);
  }

  @Test
  void compilingKeepsNothing() {
    long before = service.rows();
    var good = api.postJson("/api/v1/compile", Api.job("x = 1", "")).expect(200);
    assertThat(good.get("ir")).contains("LOWERED");
    var bad = api.postJson("/api/v1/compile", Api.job("# verdict: REJECTED", "")).expect(422);
    assertThat(bad.json().at("/diagnostics/0/line").asInt()).isEqualTo(3);
    assertThat(service.rows()).isEqualTo(before);
  }

  @Test
  void numbersThatJsonLacksAreSpelled() {
    var job = api.run("# verdict: WRONG_RESULT\n");
    var check = api.get(JOBS + "/" + job.get("id") + "/runs/1/checks").expect(200).json();
    assertThat(check.at("/checks/0/maxAbsDifference").asString()).isEqualTo("NaN");
    var golden = api.get("/api/v1/golden-results?jobId=" + job.get("id")).expect(200).json();
    assertThat(golden.at("/goldenResults/0/check/maxAbsDifference").asString()).isEqualTo("NaN");
    assertThat(golden.at("/goldenResults/0/check/passed").asBoolean()).isFalse();
  }

  @Test
  void listsFilterAndPage() {
    var name = unique();
    var ids = new ArrayList<String>();
    for (int i = 0; i < 5; i++) {
      var more = "\"name\":\"" + name + "\",\"labels\":{\"number\":\"" + (i % 2) + "\"}";
      ids.add(api.postJson(JOBS + "?wait=30", Api.job("x = " + i, more)).expect(200).get("id"));
    }
    var first = api.get(JOBS + "?pageSize=2&name=" + name).expect(200);
    assertThat(first.json().at("/jobs/0/id").asString()).isEqualTo(ids.get(4));
    var seen = new ArrayList<String>();
    var page = first;
    while (true) {
      page.json().get("jobs").forEach(job -> seen.add(job.get("id").asString()));
      if (page.header("Link").isEmpty()) {
        break;
      }
      var link = page.header("Link").orElseThrow();
      page = api.get(link.substring(1, link.indexOf('>'))).expect(200);
    }
    assertThat(seen).containsExactlyElementsOf(ids.reversed());
    assertThat(api.get(JOBS + "?name=" + name + "&label=number:1").json().get("jobs")).hasSize(2);
    assertThat(api.get(JOBS + "?name=" + name + "&state=QUEUED").json().get("jobs")).isEmpty();
    assertThat(api.get(JOBS + "?name=" + name + "&verdict=PASSED").json().get("jobs")).hasSize(5);
    assertThat(api.get(JOBS + "?name=" + name + "&platform=a5sim").json().get("jobs")).isEmpty();
    assertThat(
            api.get(JOBS + "?name=" + name + "&createdAfter=2999-01-01T00:00:00Z")
                .json()
                .get("jobs"))
        .isEmpty();
    assertThat(api.get("/api/v1/golden-results?name=" + name).json().get("goldenResults"))
        .hasSize(5);
    var token = first.get("nextPageToken");
    api.get(JOBS + "?pageSize=2&name=other&pageToken=" + token).expect(400);
  }

  @Test
  void goldenResultsAreFoundByScript() {
    var job = api.run("x = '" + unique() + "'\n");
    var digest = job.json().at("/script/digest").asString();
    var found = api.get("/api/v1/golden-results?scriptDigest=" + digest).expect(200).json();
    assertThat(found.get("goldenResults")).hasSize(1);
    assertThat(found.at("/goldenResults/0/check/elements").asLong()).isEqualTo(64);
    assertThat(found.at("/goldenResults/0/ranks").asInt()).isEqualTo(4);
  }

  @Test
  void aQueuedJobIsCancelledAtOnceAndARunningOneWhenItNotices() {
    var scripts = List.of(unique(), unique());
    var running = new ArrayList<String>();
    for (var script : scripts) {
      running.add(api.submit("# hold\n", "\"scriptName\":\"" + script + "\""));
    }
    scripts.forEach(this::awaitHeld);
    var queued = api.submit("x = 1\n", "");
    var waiting = api.get(JOBS + "/" + queued).expect(200).json();
    assertThat(waiting.at("/waiting/reason").asString()).isEqualTo("NO_WORKER");
    api.delete(JOBS + "/" + queued).expect(409);
    api.get(JOBS + "/" + running.getFirst() + "/report").expect(409);
    assertThat(api.post(JOBS + "/" + queued + "/cancel").expect(200).get("verdict"))
        .isEqualTo("CANCELLED");
    for (var id : running) {
      api.post(JOBS + "/" + id + "/cancel");
      var ended = api.get(JOBS + "/" + id + "?wait=30").expect(200);
      assertThat(ended.get("verdict")).isEqualTo("CANCELLED");
      api.post(JOBS + "/" + id + "/cancel").expect(200);
    }
    assertThat(api.get(JOBS + "/" + queued + "/report").expect(200).get("verdict"))
        .isEqualTo("CANCELLED");
    api.delete(JOBS + "/" + queued).expect(204);
    api.get(JOBS + "/" + queued).expect(404);
  }

  /** A15. */
  @Test
  void oneKeyIsOneJobHoweverOftenItIsSent() throws Exception {
    var key = UUID.randomUUID().toString();
    var calls = new ArrayList<Callable<String>>();
    for (int i = 0; i < 20; i++) {
      calls.add(
          () ->
              api.postJson(JOBS + "?wait=30", Api.job("x = 1\n", ""), "Idempotency-Key", key)
                  .expect(200)
                  .get("id"));
    }
    var ids = new HashSet<String>();
    try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      for (Future<String> id : threads.invokeAll(calls)) {
        ids.add(id.get());
      }
    }
    assertThat(ids).hasSize(1);
    var again = api.postJson(JOBS, Api.job("x = 1\n", ""), "Idempotency-Key", key);
    assertThat(again.header("Idempotency-Replayed")).contains("true");
    var other = api.postJson(JOBS, Api.job("x = 2\n", ""), "Idempotency-Key", key).expect(422);
    assertThat(other.get("code")).isEqualTo("IDEMPOTENCY_KEY_REUSED");
  }

  @Test
  void anUnchangedJobIsNotSentAgain() {
    var job = api.run("x = 1\n");
    var path = JOBS + "/" + job.get("id");
    var tag = api.get(path).expect(200).header("ETag").orElseThrow();
    assertThat(api.get(path, "If-None-Match", tag).expect(304).text()).isEmpty();
    api.get(path, "If-None-Match", "\"0\"").expect(200);
  }

  @Test
  void whatAWorkerBreaksOnIsNotTheKernelsFault() {
    assertThat(api.run("# explode\n").get("verdict")).isEqualTo("INFRA");
    assertThat(api.run("x = 1\n").get("verdict")).isEqualTo("PASSED");
  }

  /** A10. */
  @Test
  void aScriptOfExactlyTheLimitIsAcceptedAndOneByteMoreIsNot() {
    var script = new byte[10 << 20];
    Arrays.fill(script, (byte) '#');
    var job = api.postForm(JOBS + "?wait=60", form("big.py", script)).expect(200);
    assertThat(job.json().at("/script/sizeBytes").asLong()).isEqualTo(10 << 20);
    var tooLarge = Arrays.copyOf(script, script.length + 1);
    long before = service.rows();
    for (var reply :
        List.of(
            api.postForm(JOBS, form("big.py", tooLarge)),
            api.postJson(JOBS, Api.job(new String(tooLarge, StandardCharsets.UTF_8), "")))) {
      reply.expect(413);
      assertThat(reply.json().get("limitBytes").asLong()).isEqualTo(10 << 20);
      assertThat(reply.json().get("actualBytes").asLong()).isEqualTo((10 << 20) + 1);
    }
    var far = api.postForm(JOBS, form("big.py", new byte[40 << 20])).expect(413);
    assertThat(far.json().get("actualBytes").asLong()).isGreaterThan(40 << 20);
    assertThat(service.rows()).isEqualTo(before);
  }

  private static Form form(String name, byte[] script) {
    return new Form()
        .file("script", name, script)
        .field("platform", "a2a3sim")
        .field("devices", "0,1");
  }
}
