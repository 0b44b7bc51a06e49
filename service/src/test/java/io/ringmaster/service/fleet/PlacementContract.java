package io.ringmaster.service.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringmaster.service.testing.Api;
import io.ringmaster.service.testing.HandWorker;
import io.ringmaster.service.testing.MovableClock;
import io.ringmaster.service.testing.TestService;
import io.ringmaster.service.workers.Returns;
import io.ringmaster.worker.job.Verdict;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;

/** Who gets which devices, seen from outside, whichever database is below. */
@TestInstance(Lifecycle.PER_CLASS)
abstract class PlacementContract {

  static final String[] OPTIONS = {
    "--ringmaster.workers.embedded=0",
    "--ringmaster.workers.heartbeat=1h",
    "--ringmaster.workers.lost-after=1h"
  };

  private static final String JOBS = "/api/v1/jobs";
  private static final String CARDS = "[\"opencl\"]";

  private final TestService service;
  private final Api api;
  private final List<HandWorker> workers = new ArrayList<>();
  private JsonNode last = JsonNodeFactory.instance.objectNode();

  PlacementContract(TestService service) {
    this.service = service;
    this.api = service.api();
  }

  @AfterAll
  void stop() {
    service.close();
  }

  /** No test finds another's jobs, workers or devices out of use. */
  @AfterEach
  void endEverything() {
    for (var state : List.of("QUEUED", "RUNNING")) {
      for (var job :
          api.get(JOBS + "?pageSize=200&state=" + state).expect(200).json().get("jobs")) {
        api.post(JOBS + "/" + job.get("id").asString() + "/cancel");
      }
    }
    for (var device : api.get("/api/v1/devices").expect(200).json().get("devices")) {
      change(device.get("id").asString(), "RELEASE");
    }
    maintain("{\"enabled\": false}");
    workers.forEach(HandWorker::signOff);
    workers.clear();
  }

  private HandWorker worker(String pool, String devices, String groups) {
    var worker = HandWorker.register(api, "hand-" + pool, pool, CARDS, devices, groups);
    workers.add(worker);
    return worker;
  }

  private Api.Reply ask(String devices, String more) {
    return api.postJson(
        JOBS,
        "{\"script\": \"x = 1\\n\", \"platform\": \"opencl\", \"devices\": %s%s}"
            .formatted(devices, more));
  }

  private String submit(String devices) {
    return ask(devices, "").expect(202).get("id");
  }

  private JsonNode job(String id) {
    return api.get(JOBS + "/" + id).expect(200).json();
  }

  private String waiting(String id) {
    return job(id).at("/waiting/reason").asString("");
  }

  private JsonNode change(String device, String action) {
    return api.patchJson("/api/v1/devices/" + device, "{\"action\": \"%s\"}".formatted(action))
        .expect(200)
        .json();
  }

  private void maintain(String body) {
    api.putJson("/api/v1/maintenance", body).expect(200);
  }

  private static List<Integer> devices(JsonNode lease) {
    var devices = new ArrayList<Integer>();
    lease.get("devices").forEach(device -> devices.add(device.asInt()));
    return devices;
  }

  @Test
  void aNumberOfDevicesIsGivenInOneGroupAndTheRunKnowsWhich() {
    var worker = worker("cards", "[[0, 7]]", "[[0, 3], [4, 7]]");
    submit("[0]");
    var small = worker.lease();
    var id = submit("\"auto:4\"");
    assertThat(job(id).at("/runs/0/devices")).isEmpty();
    var lease = worker.lease();
    assertThat(devices(lease)).containsExactly(4, 5, 6, 7);
    var run = job(id).at("/runs/0");
    assertThat(run.get("devices")).isEqualTo(lease.get("devices"));
    assertThat(run.get("request").asString()).isEqualTo("auto:4");
    assertThat(run.get("pool").asString()).isEqualTo("cards");
    var next = submit("\"auto:4\"");
    assertThat(worker.tryLease()).isEmpty();
    assertThat(waiting(next)).isEqualTo("NO_FREE_GROUP");
    worker.finish(small, Verdict.NOT_VERIFIED);
    assertThat(devices(worker.lease())).containsExactly(0, 1, 2, 3);
  }

  /** The bound of the queue: after two hours nothing that comes later goes first. */
  @Test
  void whatWaitsForLongIsRaisedAndIsNotOvertakenForEver() {
    var worker = worker("cards", "[[0, 7]]", "[]");
    var running = submit("[0]");
    var held = worker.lease();
    assertThat(held.get("jobId").asString()).isEqualTo(running);
    var low = ask("[0]", ", \"priority\": \"LOW\"").expect(202).get("id");
    var clock = service.bean(MovableClock.class);
    clock.moveBy(Duration.ofMinutes(61));
    var normal = submit("[0]");
    var high = ask("[0]", ", \"priority\": \"HIGH\"").expect(202).get("id");
    assertThat(next(worker, held)).isEqualTo(high);
    var second = ask("[0]", ", \"priority\": \"HIGH\"").expect(202).get("id");
    clock.moveBy(Duration.ofMinutes(60));
    var third = ask("[0]", ", \"priority\": \"HIGH\"").expect(202).get("id");
    // Raised twice it was submitted before all of them; the normal one, raised once, comes next.
    assertThat(next(worker, last)).isEqualTo(low);
    assertThat(job(low).get("priority").asString()).isEqualTo("LOW");
    assertThat(next(worker, last)).isEqualTo(normal);
    assertThat(next(worker, last)).isEqualTo(second);
    assertThat(next(worker, last)).isEqualTo(third);
  }

  /** Ends what runs, and says which job is next. */
  private String next(HandWorker worker, JsonNode held) {
    worker.finish(held, Verdict.NOT_VERIFIED);
    last = worker.lease();
    return last.get("jobId").asString();
  }

  @Test
  void formsAskForANumberToo() {
    var worker = worker("cards", "[[0, 7]]", "[]");
    var form =
        new Api.Form()
            .field("script", "x = 1\n")
            .field("platform", "opencl")
            .field("pool", "cards")
            .field("devices", "auto:3");
    api.postForm(JOBS, form).expect(202);
    assertThat(devices(worker.lease())).containsExactly(0, 1, 2);
    var several = ask("[[6, 7], \"auto:2\"]", "").expect(202);
    assertThat(several.json().get("runs")).hasSize(2);
    assertThat(ask("\"auto:0\"", "").expect(400).places()).containsExactly("/devices");
    assertThat(ask("\"auto:x\"", "").expect(400).text()).contains("auto:4");
  }

  /** A device is known by its pool and its id. */
  @Test
  void deviceZeroOfOnePoolIsNotDeviceZeroOfAnother() {
    var red = worker("red", "[[0, 0]]", "[]");
    var blue = worker("blue", "[[0, 0]]", "[]");
    submit("[0]");
    submit("[0]");
    var third = submit("[0]");
    red.lease();
    blue.lease();
    assertThat(red.tryLease()).isEmpty();
    assertThat(waiting(third)).isEqualTo("NO_FREE_DEVICE");
    var held = api.get("/api/v1/devices").expect(200).json().get("devices");
    assertThat(held).hasSize(2);
    assertThat(held.get(0).get("id").asString()).isEqualTo("blue:0");
    assertThat(api.get("/api/v1/devices?pool=red&state=HELD").json().get("devices")).hasSize(1);
    assertThat(api.get("/api/v1/devices?pool=red&state=SUSPECT").json().get("devices")).isEmpty();
  }

  /** Also jobs that didn't ask for it, once they are there. */
  @Test
  void jobsAreFoundByTheirPool() {
    var red = worker("red", "[[0, 3]]", "[]");
    worker("blue", "[[0, 3]]", "[]");
    var wanted = ask("[0]", ", \"pool\": \"blue\"").expect(202).get("id");
    var given = submit("[1]");
    assertThat(ofPool("blue")).containsExactly(wanted);
    assertThat(ofPool("red")).isEmpty();
    red.lease();
    assertThat(ofPool("red")).containsExactly(given);
    assertThat(ofPool("green")).isEmpty();
  }

  private List<String> ofPool(String pool) {
    var ids = new ArrayList<String>();
    api.get(JOBS + "?state=QUEUED&pool=" + pool)
        .expect(200)
        .json()
        .get("jobs")
        .forEach(job -> ids.add(job.get("id").asString()));
    api.get(JOBS + "?state=RUNNING&pool=" + pool)
        .expect(200)
        .json()
        .get("jobs")
        .forEach(job -> ids.add(job.get("id").asString()));
    return ids;
  }

  @Test
  void aRunMayInsistOnAPool() {
    var red = worker("red", "[[0, 3]]", "[]");
    var blue = worker("blue", "[[0, 3]]", "[]");
    ask("[0]", ", \"pool\": \"blue\"").expect(202);
    assertThat(red.tryLease()).isEmpty();
    blue.lease();
    var refused = ask("[0]", ", \"pool\": \"green\"").expect(422);
    assertThat(refused.get("code")).isEqualTo("CANNOT_BE_PLACED");
    assertThat(refused.text()).contains("blue, red");
  }

  /** S13. */
  @Test
  void whatCanNeverFitIsRefusedAtSubmission() {
    worker("cards", "[[0, 7]]", "[[0, 3], [4, 7]]");
    assertThat(ask("[0,1,2,3,4,5,6,7,8]", "").expect(422).text()).contains("0-7 of pool cards");
    assertThat(ask("\"auto:5\"", "").expect(422).text()).contains("the largest group has 4");
    assertThat(
            service
                .jdbc()
                .sql("select count(*) from run where state = 'QUEUED'")
                .query(Long.class)
                .single())
        .isZero();
  }

  /** More than a hundred of them hid everything behind, once. */
  @Test
  void blockedRunsAtTheHeadHideNothing() {
    var worker = worker("cards", "[[0, 7]]", "[]");
    submit("[0]");
    var first = worker.lease();
    for (int i = 0; i < 120; i++) {
      submit("[0, %d]".formatted(1 + i % 3));
    }
    var id = submit("[7]");
    assertThat(worker.lease().get("jobId").asString()).isEqualTo(id);
    worker.finish(first, Verdict.NOT_VERIFIED);
    assertThat(devices(worker.lease())).containsExactly(0, 1);
  }

  @Test
  void devicesAreKeptForAWideRunAndTheExplanationSaysSo() {
    var worker = worker("cards", "[[0, 3]]", "[]");
    submit("[0]");
    var running = worker.lease();
    var wide = submit("\"auto:4\"");
    var later = submit("[1]");
    assertThat(worker.tryLease()).isEmpty();
    assertThat(waiting(later)).isEqualTo("BEHIND_RESERVATION");
    var why = api.get(JOBS + "/" + wide + "/explain").expect(200).json().at("/runs/0");
    assertThat(why.get("reason").asString()).isEqualTo("NO_FREE_DEVICE");
    assertThat(why.at("/held/0/id").asString()).isEqualTo("cards:0");
    assertThat(why.get("keptDevices")).hasSize(4);
    assertThat(why.get("keptFrom")).isEqualTo(why.at("/held/0/heldUntil"));
    var short_ = ask("[2]", ", \"limits\": {\"wallSeconds\": 1}").expect(202).get("id");
    assertThat(worker.lease().get("jobId").asString()).isEqualTo(short_);
    worker.finish(running, Verdict.NOT_VERIFIED);
    assertThat(api.get(JOBS + "/" + later + "/explain").json().at("/runs/0/position").asInt())
        .isEqualTo(1);
  }

  @Test
  void whatAnOperatorTakesOutOfUseGetsNothingNew() {
    var worker = worker("cards", "[[0, 3]]", "[]");
    change("cards:1", "DRAIN");
    change("cards:2", "QUARANTINE");
    var on = submit("[1]");
    assertThat(worker.tryLease()).isEmpty();
    assertThat(waiting(on)).isEqualTo("POOL_DRAINING");
    submit("\"auto:2\"");
    assertThat(devices(worker.lease())).containsExactly(0, 3);
    var pool = api.get("/api/v1/pools").expect(200).json().at("/pools/0");
    assertThat(pool.get("drainingDevices").asInt()).isEqualTo(1);
    assertThat(pool.get("quarantinedDevices").asInt()).isEqualTo(1);
    assertThat(pool.get("held").asInt()).isEqualTo(2);
    change("cards:1", "RELEASE");
    assertThat(worker.lease().get("jobId").asString()).isEqualTo(on);
    api.patchJson("/api/v1/devices/cards:9", "{\"action\": \"DRAIN\"}").expect(404);
    api.patchJson("/api/v1/devices/cards:1", "{\"action\": \"PAINT\"}").expect(400);
  }

  @Test
  void aWorkerOrAPoolCanBeTakenOutOfUse() {
    var worker = worker("cards", "[[0, 3]]", "[]");
    worker.change("DRAIN");
    var id = submit("[0]");
    assertThat(worker.tryLease()).isEmpty();
    assertThat(waiting(id)).isEqualTo("POOL_DRAINING");
    worker.change("RELEASE");
    maintain("{\"enabled\": true, \"pool\": \"cards\", \"reason\": \"a new fan\"}");
    assertThat(worker.tryLease()).isEmpty();
    assertThat(job(id).at("/waiting/detail").asString()).contains("maintenance");
    maintain("{\"enabled\": false, \"pool\": \"cards\"}");
    assertThat(worker.lease().get("jobId").asString()).isEqualTo(id);
  }

  @Test
  void theEndOfAllMaintenanceIsTheEndOfEachPools() {
    var worker = worker("cards", "[[0, 3]]", "[]");
    maintain("{\"enabled\": true, \"pool\": \"cards\"}");
    maintain("{\"enabled\": true}");
    maintain("{\"enabled\": false, \"pool\": \"cards\"}");
    maintain("{\"enabled\": true, \"pool\": \"cards\"}");
    var left = api.putJson("/api/v1/maintenance", "{\"enabled\": false}").expect(200);
    assertThat(left.json().get("maintenance")).isEmpty();
    submit("[0]");
    worker.lease();
    var typo = api.putJson("/api/v1/maintenance", "{\"enabled\": false, \"pool\": \"car ds\"}");
    assertThat(typo.expect(400).places()).containsExactly("/pool");
  }

  @Test
  void theExplanationNamesOnlyDevicesThatTheRunCouldHave() {
    var cards = worker("cards", "[[0, 0]]", "[]");
    var more = worker("more", "[[0, 0]]", "[]");
    var others = HandWorker.register(api, "vendor", "others", "[\"a2a3\"]", "[[0, 0]]", "[]");
    workers.add(others);
    api.postJson(JOBS, "{\"script\": \"x = 1\\n\", \"platform\": \"a2a3\", \"devices\": [0]}")
        .expect(202);
    others.lease();
    for (int i = 0; i < 6; i++) {
      submit("[0]");
    }
    cards.lease();
    more.lease();
    var any = submit("[0]");
    var wanted = ask("[0]", ", \"pool\": \"more\"").expect(202).get("id");
    assertThat(held(any)).containsExactly("cards:0", "more:0");
    assertThat(held(wanted)).containsExactly("more:0");
  }

  private List<String> held(String id) {
    var held = api.get(JOBS + "/" + id + "/explain").expect(200).json().at("/runs/0/held");
    return held.valueStream().map(device -> device.get("id").asString()).sorted().toList();
  }

  private List<String> suspects() {
    var devices = api.get("/api/v1/devices?state=SUSPECT").expect(200).json().get("devices");
    return devices.valueStream().map(device -> device.get("id").asString()).toList();
  }

  private List<String> outcomes(String id) {
    var attempts = api.get(JOBS + "/" + id + "/runs/1/attempts").expect(200).json();
    return attempts
        .get("attempts")
        .valueStream()
        .map(attempt -> attempt.get("outcome").asString())
        .toList();
  }

  /** A cancel says nothing about devices, nor does a run that ended before its kernel did. */
  @Test
  void onlyAKernelsVerdictMakesDevicesTrustedAgain() {
    var worker = worker("cards", "[[0, 0]]", "[]");
    var broken = submit("[0]");
    var lease = worker.lease();
    api.post(JOBS + "/" + broken + "/cancel").expect(202);
    worker.finish(lease, Verdict.INFRA);
    assertThat(job(broken).get("verdict").asString()).isEqualTo("CANCELLED");
    assertThat(outcomes(broken)).containsExactly("INFRA");
    assertThat(suspects()).containsExactly("cards:0");
    for (var verdict :
        List.of(
            Verdict.CANCELLED,
            Verdict.REJECTED,
            Verdict.ERROR,
            Verdict.TIMED_OUT,
            Verdict.RESOURCE)) {
      var id = submit("[0]");
      var suspect = worker.lease();
      assertThat(suspect.get("probe").asBoolean()).isTrue();
      worker.finish(suspect, verdict);
      assertThat(outcomes(id)).containsExactly("FINISHED");
      assertThat(suspects()).as(verdict.name()).containsExactly("cards:0");
    }
    submit("[0]");
    worker.finish(worker.lease(), Verdict.WRONG_RESULT);
    assertThat(suspects()).isEmpty();
    submit("[0]");
    assertThat(worker.lease().get("probe").asBoolean()).isFalse();
  }

  @Test
  void aRunThatBrokeItsWorkerIsProbedThoughItWasHandedBackSince() {
    var worker = worker("cards", "[[0, 1]]", "[]");
    submit("\"auto:1\"");
    worker.finish(worker.lease(), Verdict.INFRA);
    change("cards:0", "QUARANTINE");
    var leaving = HandWorker.register(api, "leaving", "cards", CARDS, "[[0, 1]]", "[]");
    assertThat(leaving.lease().get("probe").asBoolean()).isTrue();
    leaving.signOff();
    var again = worker.lease();
    assertThat(devices(again)).containsExactly(1);
    assertThat(again.get("attempt").asInt()).isEqualTo(3);
    assertThat(again.get("probe").asBoolean()).isTrue();
  }

  /** A worker that hands back is not a device that fails. */
  @Test
  void onlyFailedProbesCountAsFailedProbes() {
    var worker = worker("cards", "[[0, 9]]", "[]");
    var job = submit("\"auto:1\"");
    for (int i = 0; i < 8; i++) {
      var leaving = HandWorker.register(api, "leaving", "cards", CARDS, "[[0, 9]]", "[]");
      leaving.lease();
      leaving.signOff();
    }
    for (int i = 0; i < 7; i++) {
      failProbe(worker, worker.lease());
      assertThat(job(job).get("state").asString()).isEqualTo("QUEUED");
    }
    failProbe(worker, worker.lease());
    assertThat(job(job).get("verdict").asString()).isEqualTo("INFRA");
    assertThat(job(job).get("sentence").asString()).contains("8 times");
    assertThat(outcomes(job)).hasSize(16).last().isEqualTo("PROBE_FAILED");
    assertThat(suspects()).isEmpty();
  }

  private static void failProbe(HandWorker worker, JsonNode lease) {
    worker.tell(
        lease,
        "probe",
        "{\"attempt\": %d, \"devices\": %s, \"message\": \"no answer\"}"
            .formatted(lease.get("attempt").asInt(), lease.get("devices")));
  }

  /** Whoever held devices before the one that holds them now says nothing about them any more. */
  @Test
  void aLateProbeQuarantinesNothing() {
    var worker = worker("cards", "[[0, 0]]", "[]");
    var id = submit("[0]");
    worker.finish(worker.lease(), Verdict.INFRA);
    var lease = worker.lease();
    var returns = service.bean(Returns.class);
    assertThat(returns.probeFailed(id, lease.get("runId").asString(), 1, List.of(0), "late"))
        .isFalse();
    assertThat(api.get("/api/v1/devices?state=QUARANTINED").json().get("devices")).isEmpty();
    worker.finish(lease, Verdict.NOT_VERIFIED);
    assertThat(outcomes(id)).containsExactly("INFRA", "FINISHED");
  }

  /** S16: the probe fails, the device goes into quarantine, the run goes elsewhere. */
  @Test
  void aDeviceThatFailsItsProbeIsQuarantinedAndTheRunGoesElsewhere() {
    var worker = worker("cards", "[[0, 1]]", "[]");
    submit("[0]");
    var broken = worker.lease();
    assertThat(broken.get("probe").asBoolean()).isFalse();
    worker.finish(broken, Verdict.INFRA);
    var again = worker.lease();
    assertThat(again.get("attempt").asInt()).isEqualTo(2);
    assertThat(again.get("probe").asBoolean()).isTrue();
    worker.finish(again, Verdict.INFRA);
    assertThat(job(again.get("jobId").asString()).get("verdict").asString()).isEqualTo("INFRA");

    var id = submit("\"auto:1\"");
    var suspect = worker.lease();
    assertThat(devices(suspect)).containsExactly(0);
    assertThat(suspect.get("probe").asBoolean()).isTrue();
    var failed = "{\"attempt\": 1, \"devices\": [0], \"message\": \"no answer\"}";
    worker.tell(suspect, "probe", failed.replace("[0]", "[1]")).expect(400);
    worker.tell(suspect, "probe", failed).expect(204);
    worker.tell(suspect, "probe", failed).expect(409);
    var device = api.get("/api/v1/devices?state=QUARANTINED").json().at("/devices/0");
    assertThat(device.get("id").asString()).isEqualTo("cards:0");
    assertThat(device.get("reason").asString()).contains("no answer");
    var elsewhere = worker.lease();
    assertThat(devices(elsewhere)).containsExactly(1);
    worker.finish(elsewhere, Verdict.NOT_VERIFIED);
    var attempts = api.get(JOBS + "/" + id + "/runs/1/attempts").expect(200).json().get("attempts");
    assertThat(attempts).hasSize(2);
    assertThat(attempts.at("/0/outcome").asString()).isEqualTo("PROBE_FAILED");
    assertThat(attempts.at("/1/outcome").asString()).isEqualTo("FINISHED");
    assertThat(attempts.at("/1/devices").toString()).isEqualTo("[1]");
  }

  @Test
  void groupsThatMakeNoSenseAreNamed() {
    var body =
        """
        {"name": "x", "pool": "p q", "platforms": ["opencl"], "devices": [[0, 7]],
         "groups": [[0, 3], [3, 7]], "version": "1"}
        """;
    assertThat(api.postJson("/api/v1/workers", body).expect(400).places()).containsExactly("/pool");
    assertThat(api.postJson("/api/v1/workers", body.replace("p q", "p")).expect(400).text())
        .contains("overlap");
  }
}
