package io.ringmaster.service.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringmaster.service.testing.Api;
import io.ringmaster.service.testing.TestService;
import java.util.HashMap;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** Approving results, and holding others against them. */
interface BaselineTests {

  String JOBS = "/api/v1/jobs";
  String BASELINES = "/api/v1/baselines";

  TestService service();

  private Api api() {
    return service().api();
  }

  private static String unique() {
    return "b" + UUID.randomUUID();
  }

  private String run(String script, String name, String more) {
    var body = Api.job(script, "\"name\": \"" + name + "\"" + more);
    return api().postJson(JOBS + "?wait=30", body).expect(200).get("id");
  }

  private Api.Reply approve(String baseline, String job, String... headers) {
    return api()
        .postJson(BASELINES + "/" + baseline + "/approve", "{\"jobId\": \"" + job + "\"}", headers);
  }

  private JsonNode compare(String job, String query) {
    return api().get(JOBS + "/" + job + "/comparison?" + query).expect(200).json();
  }

  @Test
  default void theSameChangedNewAndFixedAreToldApart() {
    var main = unique();
    var name = unique();
    var first = run("x = 1", name, ", \"labels\": {\"branch\": \"main\", \"commit\": \"c0ffee\"}");
    var approved = approve(main, first).expect(200);
    assertThat(approved.header("ETag")).isPresent();
    assertThat(approved.json().at("/approved/0/labels/commit").asString()).isEqualTo("c0ffee");
    assertThat(approved.json().at("/approved/0/revision").asInt()).isEqualTo(1);
    assertThat(approved.json().at("/approved/0/runs/0/virtualNanos").asLong()).isEqualTo(3000);

    var same = compare(run("x = 1", name, ""), "baseline=" + main);
    assertThat(same.get("kind").asString()).isEqualTo("SAME");
    assertThat(same.get("sentence").asString())
        .contains("same as baseline " + main + ", revision 1 (branch=main, commit=c0ffee)")
        .contains("PASSED, 1 run, 1 check, virtual time 3,000 ns", "3,072 wire bytes");

    var wrong = compare(run("# verdict: WRONG_RESULT", name, ""), "baseline=" + main);
    assertThat(wrong.get("kind").asString()).isEqualTo("CHANGED");
    assertThat(wrong.get("sentence").asString())
        .contains("verdict: PASSED before, WRONG_RESULT now")
        .contains(
            "max difference of check k.py::test_it[4] out against golden: 0.0 before, NaN now");
    assertThat(wrong.at("/runs/0/changes/0/what").asString()).isEqualTo("verdict");

    var slower = compare(run("# virtual: 4000\n", name, ""), "baseline=" + main);
    assertThat(slower.get("sentence").asString())
        .contains("virtual time: 3,000 ns before, 4,000 ns now (+33.3 %)");

    var other = compare(run("x = 1", unique(), ""), "baseline=" + main);
    assertThat(other.get("kind").asString()).isEqualTo("NEW");
    assertThat(other.has("jobId")).isFalse();
  }

  @Test
  default void whatWasWrongAndIsRightIsFixed() {
    var main = unique();
    var name = unique();
    var wrong = run("# verdict: RACE", name, "");
    assertThat(approve(main, wrong).expect(422).get("code")).isEqualTo("NOT_PASSED");
    api()
        .postJson(
            BASELINES + "/" + main + "/approve",
            "{\"jobId\": \"" + wrong + "\", \"anyway\": true, \"note\": \"known\"}")
        .expect(200);
    var fixed = compare(run("x = 1", name, ""), "baseline=" + main);
    assertThat(fixed.get("kind").asString()).isEqualTo("FIXED");
    assertThat(fixed.get("sentence").asString()).contains("verdict: RACE before, PASSED now");
  }

  @Test
  default void anApprovalSaysWhichVersionItReplaces() {
    var main = unique();
    var name = unique();
    var first = run("x = 1", name, "");
    var tag = approve(main, first).expect(200).header("ETag").orElseThrow();
    assertThat(approve(main, first).expect(200).header("ETag")).contains(tag);
    var second = run("# virtual: 5000\n", name, "");
    var refused = approve(main, second).expect(428);
    assertThat(refused.get("code")).isEqualTo("PRECONDITION_REQUIRED");
    assertThat(refused.get("detail")).contains(tag, first);
    assertThat(approve(main, second, "If-Match", "\"77\"").expect(412).get("detail")).contains(tag);
    approve(main, second, "If-Match", tag).expect(200);
    approve(main, first, "If-Match", tag).expect(412);
    approve(main, first, "If-Match", "*").expect(200);
    var history = api().get(BASELINES + "/" + main + "/history?pageSize=2").expect(200);
    assertThat(history.json().at("/history/0/revision").asInt()).isEqualTo(3);
    assertThat(history.json().at("/history/1/jobId").asString()).isEqualTo(second);
    var link = history.header("Link").orElseThrow();
    var last = api().get(link.substring(1, link.indexOf('>'))).expect(200).json();
    assertThat(last.at("/history/0/revision").asInt()).isEqualTo(1);
    assertThat(last.at("/history/0/digest")).isEqualTo(history.json().at("/history/0/digest"));
    assertThat(api().get(BASELINES + "?pageSize=200").expect(200).text()).contains(main);
  }

  @Test
  default void whoReadsWhileOthersApproveNeverHasANewVersionOfOldResults() throws Exception {
    var main = unique();
    var name = unique();
    var jobs = List.of(run("x = 1", name, ""), run("# virtual: 5000\n", name, ""));
    approve(main, jobs.get(0)).expect(200);
    int each = 20;
    try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      var approvals =
          IntStream.range(0, 2)
              .<Future<?>>mapToObj(
                  who ->
                      threads.submit(
                          () -> {
                            for (int i = 0; i < each; i++) {
                              approve(main, jobs.get((who + i) % 2), "If-Match", "*").expect(200);
                            }
                          }))
              .toList();
      while (!approvals.stream().allMatch(Future::isDone)) {
        var seen = api().get(BASELINES + "/" + main).expect(200);
        long version = Long.parseLong(seen.header("ETag").orElseThrow().replace("\"", ""));
        // The first approval made version 2 of the baseline, and each one more made one more.
        assertThat(seen.json().at("/approved/0/revision").asLong())
            .isGreaterThanOrEqualTo(version - 1);
        assertThat(seen.json().get("approved")).hasSize(1);
      }
      for (var one : approvals) {
        one.get();
      }
    }
    var revisions =
        api()
            .get(BASELINES + "/" + main + "/history?pageSize=200")
            .expect(200)
            .json()
            .get("history")
            .valueStream()
            .map(one -> one.get("revision").asInt())
            .toList();
    assertThat(revisions)
        .isEqualTo(
            IntStream.iterate(revisions.size(), i -> i - 1)
                .limit(revisions.size())
                .boxed()
                .toList());
  }

  @Test
  default void otherSurroundingsAreRefusedUnlessAsked() {
    var main = unique();
    var name = unique();
    approve(main, run("x = 1", name, ", \"labels\": {\"state\": \"warm\"}")).expect(200);
    var cold = run("x = 1", name, ", \"labels\": {\"state\": \"cold\"}");
    var path = JOBS + "/" + cold + "/comparison?baseline=" + main;
    var refused = api().get(path).expect(409);
    assertThat(refused.get("code")).isEqualTo("NOT_COMPARABLE");
    assertThat(refused.get("detail")).contains("state is cold, the other's is warm", "anyway=true");
    assertThat(api().get(path + "&anyway=true").expect(200).get("sentence"))
        .contains("same as", "although its label state is cold");
    var straggling =
        run(
            "x = 1",
            name,
            ", \"labels\": {\"state\": \"warm\"}, \"conditions\": [\"straggler=1:5us\"]");
    assertThat(
            api()
                .get(JOBS + "/" + straggling + "/comparison?baseline=" + main)
                .expect(409)
                .get("detail"))
        .contains("straggler=1:5us");
  }

  @Test
  default void aJobIsComparedWithTheNewestOfALabel() {
    var name = unique();
    run("# virtual: 1000\n", name, ", \"labels\": {\"branch\": \"main\"}");
    var newest = run("# virtual: 2000\n", name, ", \"labels\": {\"branch\": \"main\"}");
    var mine = run("x = 1", name, ", \"labels\": {\"branch\": \"mine\"}");
    var changed = compare(mine, "label=branch:main");
    assertThat(changed.get("jobId").asString()).isEqualTo(newest);
    assertThat(changed.get("sentence").asString()).contains("2,000 ns before, 3,000 ns now");
    assertThat(compare(mine, "label=branch:none").get("kind").asString()).isEqualTo("NEW");
    assertThat(api().get(JOBS + "/" + mine + "/comparison").expect(400).places())
        .containsExactly("baseline");
  }

  @Test
  default void settingsCanBeGivenAndAToleranceCounts() {
    var main = unique();
    var name = unique();
    api().putJson(BASELINES + "/" + main, "{\"virtualTimeTolerancePercent\": 50}").expect(201);
    var put =
        api().putJson(BASELINES + "/" + main, "{\"description\": \"what holds\"}").expect(200);
    assertThat(put.get("description")).isEqualTo("what holds");
    assertThat(put.json().get("virtualTimeTolerancePercent").asInt()).isEqualTo(50);
    approve(main, run("x = 1", name, "")).expect(200);
    assertThat(
            compare(run("# virtual: 4000\n", name, ""), "baseline=" + main).get("kind").asString())
        .isEqualTo("SAME");
    assertThat(
            api()
                .putJson(
                    BASELINES + "/" + main,
                    "{\"desciption\": 1, \"virtualTimeTolerancePercent\": -1}")
                .expect(400)
                .places())
        .containsExactlyInAnyOrder("/desciption", "/virtualTimeTolerancePercent");
    api().delete(BASELINES + "/" + main).expect(204);
    api().get(BASELINES + "/" + main).expect(404);
    api().get(BASELINES + "/..x").expect(404);
    api().get(JOBS + "/" + run("x = 1", name, "") + "/comparison?baseline=" + main).expect(404);
  }

  @Test
  default void aListNamesTheJobsOfEachBaseline() {
    var prefix = unique();
    var name = unique();
    var other = unique();
    approve(prefix + "a", run("x = 1", name, "")).expect(200);
    approve(prefix + "a", run("x = 1", other, "")).expect(200);
    approve(prefix + "b", run("x = 1", other, "")).expect(200);
    api().putJson(BASELINES + "/" + prefix + "c", "{}").expect(201);
    var names = new HashMap<String, List<String>>();
    for (var one :
        api().get(BASELINES + "?pageSize=200").expect(200).json().get("baselines").values()) {
      names.put(
          one.get("name").asString(),
          one.get("approvedNames").valueStream().map(JsonNode::asString).toList());
    }
    assertThat(names.get(prefix + "a")).containsExactlyInAnyOrder(name, other);
    assertThat(names.get(prefix + "b")).containsExactly(other);
    assertThat(names.get(prefix + "c")).isEmpty();
  }

  @Test
  default void aBaselineOutlivesItsJob() {
    var main = unique();
    var name = unique();
    var job = run("x = 1", name, "");
    approve(main, job).expect(200);
    api().delete(JOBS + "/" + job).expect(204);
    assertThat(compare(run("x = 1", name, ""), "baseline=" + main).get("kind").asString())
        .isEqualTo("SAME");
  }
}
