package io.ringmaster.service.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringmaster.service.testing.Api;
import io.ringmaster.service.testing.TestService;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.zip.ZipInputStream;
import org.junit.jupiter.api.Test;

/** Jobs of many runs, under conditions, repeated, and in other forms than JSON. */
interface MatrixTests {

  String JOBS = "/api/v1/jobs";

  TestService service();

  private Api api() {
    return service().api();
  }

  private static String matrix(String more) {
    return """
    {"script": "x = 1\\n", "platforms": ["a2a3sim", "a5sim"], "devices": [[0, 1], [0, 1, 2]],
     "argumentSets": [["--mode", "hand"], []]%s}
    """
        .formatted(more);
  }

  @Test
  default void aJobHasARunForEachPlatformDeviceListAndArgumentSet() {
    var job = api().postJson(JOBS + "?wait=30", matrix("")).expect(200).json();
    assertThat(job.get("runs")).hasSize(8);
    assertThat(job.get("platforms").toString()).isEqualTo("[\"a2a3sim\",\"a5sim\"]");
    var last = job.at("/runs/7");
    assertThat(last.get("platform").asString()).isEqualTo("a5sim");
    assertThat(last.get("devices").toString()).isEqualTo("[0,1,2]");
    assertThat(last.get("arguments")).isEmpty();
    assertThat(job.at("/runs/0/arguments").toString()).isEqualTo("[\"--mode\",\"hand\"]");
    var report = api().get(JOBS + "/" + job.get("id").asString() + "/report").expect(200).json();
    assertThat(report.at("/runs/2/arguments/1").asString()).isEqualTo("hand");
    assertThat(api().get(JOBS + "?platform=a5sim").expect(200).text())
        .contains(job.get("id").asString());
  }

  @Test
  default void theSameAsAForm() {
    var form =
        new Api.Form()
            .file("script", "k.py", "x = 1\n".getBytes(StandardCharsets.UTF_8))
            .field("platforms", "a2a3sim, a5sim")
            .field("devices", "0,1")
            .field("argumentSets", "[[\"--a\"],[\"--b\"]]")
            .field("conditions", "straggler=1:5us")
            .field("conditions", "ports=off")
            .field("scheduleSeed", "-3")
            .field("cacheLines", "true");
    var job = api().postForm(JOBS + "?wait=30", form).expect(200).json();
    assertThat(job.get("runs")).hasSize(4);
    assertThat(job.get("conditions").toString()).isEqualTo("[\"straggler=1:5us\",\"ports=off\"]");
    assertThat(job.get("scheduleSeed").asLong()).isEqualTo(-3);
    assertThat(job.get("cacheLines").asBoolean()).isTrue();
  }

  @Test
  default void whatIsWrongWithAMatrixIsNamed() {
    var both =
        api().postJson(JOBS, matrix(", \"platform\": \"sim\", \"arguments\": [\"x\"]")).expect(400);
    assertThat(both.places()).containsExactly("/platforms", "/argumentSets");
    var twice =
        """
        {"script": "x", "platforms": ["a2a3sim", "a2a3sim", "a9"], "devices": [0, 1],
         "argumentSets": [["a"], ["a"], 3], "conditions": ["straggler=99999999999999999999:1us", 4],
         "cacheLines": 1}
        """;
    assertThat(api().postJson(JOBS, twice).expect(400).places())
        .contains(
            "/platforms/1",
            "/platforms/2",
            "/argumentSets/1",
            "/argumentSets/2",
            "/conditions/1",
            "/cacheLines");
    var condition =
        api().postJson(JOBS, Api.job("x", "\"conditions\": [\"stragler=1:1us\"]")).expect(400);
    assertThat(condition.places()).containsExactly("/conditions/0");
    assertThat(condition.get("detail")).contains("straggler");
    var absent =
        """
        {"script": "x", "platform": "sim", "devices": [[0, 1, 2], [5, 6]],
         "conditions": ["straggler=1:5us", "drop-notify=1-2", "straggler=9:5us"]}
        """;
    var nowhere = api().postJson(JOBS, absent).expect(400);
    assertThat(nowhere.places()).containsExactly("/conditions/1", "/conditions/2");
    assertThat(nowhere.get("detail"))
        .contains("drop-notify=1-2: there is no rank 2: with 2 devices the ranks are 0..1");
  }

  @Test
  default void tooManyRunsAreRefused() {
    var lists = new StringBuilder("[0]");
    for (int i = 1; i < 130; i++) {
      lists.append(",[").append(i).append(']');
    }
    var many =
        "{\"script\": \"x\", \"platforms\": [\"a2a3sim\", \"a5sim\"], \"devices\": ["
            + lists
            + "]}";
    assertThat(api().postJson(JOBS, many).expect(400).get("detail")).contains("260 runs", "256");
  }

  @Test
  default void aJobIsRepeatedFromWhatIsKept() {
    var more =
        ", \"seed\": 5, \"scheduleSeed\": 9, \"labels\": {\"a\": \"b\"}, \"conditions\":"
            + " [\"ports=off\"]";
    var first = api().postJson(JOBS + "?wait=30", matrix(more)).expect(200).json();
    var path = JOBS + "/" + first.get("id").asString();
    var again = api().post(path + "/rerun?wait=30").expect(200);
    var second = again.json();
    assertThat(again.header("Location").orElse("")).endsWith(second.get("id").asString());
    assertThat(second.get("rerunOf")).isEqualTo(first.get("id"));
    assertThat(second.get("runs")).hasSize(8);
    for (var same :
        new String[] {"seed", "scheduleSeed", "labels", "conditions", "script", "devices"}) {
      assertThat(second.get(same)).as(same).isEqualTo(first.get(same));
    }
    api().post(JOBS + "/job_00000000-0000-0000-0000-000000000000/rerun").expect(404);
  }

  @Test
  default void checksComeAsATableAndNumbersAsOpenMetrics() {
    var job = api().run("# verdict: WRONG_RESULT\n").get("id");
    var csv = api().get(JOBS + "/" + job + "/checks.csv").expect(200).text();
    assertThat(csv.lines()).hasSize(2);
    assertThat(csv.lines().toList().getLast())
        .isEqualTo(
            "1,a2a3sim,0 1 2 3,,WRONG_RESULT,k.py::test_it[4],out against golden,allclose,false,42,"
                + "64,3,NaN,1.0E-5,1.0E-8,NaN is what differs");
    var metrics = api().get(JOBS + "/" + job + "/metrics").expect(200).text();
    assertThat(metrics)
        .contains("ringmaster_job_checks_failed{job=\"" + job + "\",run=\"1\",platform=\"a2a3sim\"")
        .endsWith("# EOF\n");
  }

  @Test
  default void aBundleHoldsAllThatARepetitionNeeds() {
    var job = api().run("# log: hello\n").get("id");
    var reply = api().get(JOBS + "/" + job + "/runs/1/bundle").expect(200);
    var files = unzip(reply.response().body());
    assertThat(files)
        .containsKeys("bundle.json", "script/kernel.py", "report.json", "log.txt", "README.txt");
    assertThat(files.get("log.txt")).isEqualTo("hello");
    assertThat(files.get("bundle.json")).contains("# log: hello");
    assertThat(api().get(JOBS + "/" + job + "/runs/1/bundle").response().body())
        .isEqualTo(reply.response().body());
  }

  private static Map<String, String> unzip(byte[] bytes) {
    var files = new LinkedHashMap<String, String>();
    try (var zip = new ZipInputStream(new ByteArrayInputStream(bytes))) {
      for (var entry = zip.getNextEntry(); entry != null; entry = zip.getNextEntry()) {
        files.put(entry.getName(), new String(zip.readAllBytes(), StandardCharsets.UTF_8));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return files;
  }

  @Test
  default void twoRunsIrIsComparedLineByLine() {
    var job = api().postJson(JOBS + "?wait=30", matrix("")).expect(200).get("id");
    assertThat(api().get("/api/v1/ir-diff?left=" + job + "&right=" + job).expect(200).text())
        .isEmpty();
    assertThat(
            api().get("/api/v1/ir-diff?left=" + job + "/1&right=" + job + "/3").expect(200).text())
        .contains("-program LOWERED 2", "+program LOWERED 3");
    assertThat(api().get("/api/v1/ir-diff?left=" + job + "&right=x").expect(400).places())
        .containsExactly("right");
    assertThat(api().get("/api/v1/ir-diff?left=" + job).expect(400).places())
        .containsExactly("right");
  }

  @Test
  default void goldenResultsAreFoundByLabel() {
    var label = "\"labels\": {\"branch\": \"golden-by-label\"}";
    var job = api().postJson(JOBS + "?wait=30", Api.job("x", label)).expect(200).get("id");
    var found = api().get("/api/v1/golden-results?label=branch:golden-by-label").expect(200).json();
    assertThat(found.get("goldenResults")).hasSize(1);
    assertThat(found.at("/goldenResults/0/jobId").asString()).isEqualTo(job);
    assertThat(
            api()
                .get("/api/v1/golden-results?label=branch:other")
                .expect(200)
                .json()
                .get("goldenResults"))
        .isEmpty();
  }
}
