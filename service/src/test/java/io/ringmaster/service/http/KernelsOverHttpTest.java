package io.ringmaster.service.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringmaster.service.platforms.Platform;
import io.ringmaster.service.platforms.PlatformCatalog;
import io.ringmaster.service.testing.Api;
import io.ringmaster.service.testing.Api.Form;
import io.ringmaster.service.testing.TestService;
import io.ringmaster.worker.job.Accelerators;
import io.ringmaster.worker.job.JobRunner;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Real kernels, from a file to a verdict, over HTTP. */
@TestInstance(Lifecycle.PER_CLASS)
class KernelsOverHttpTest {

  private static final String JOBS = "/api/v1/jobs";
  private static final Path EXAMPLES = Path.of("..", "examples");

  private final TestService service = TestService.withKernels();
  private final Api api = service.api();

  @AfterAll
  void stop() {
    service.close();
  }

  private static Form form(String script, byte[] content) {
    return new Form().file("script", script, content).field("platform", "a2a3sim");
  }

  private static Form example(String file) throws IOException {
    var path = EXAMPLES.resolve(file);
    return form(path.getFileName().toString(), Files.readAllBytes(path));
  }

  private static Form script(String text) {
    return form("kernel.py", text.getBytes(StandardCharsets.UTF_8));
  }

  /** What is answered to a script that can't run on anything; it leaves nothing behind. */
  private Api.Reply refused(Form form) {
    long before = service.rows();
    var reply = api.postForm(JOBS, form.field("devices", "0,1")).expect(422);
    assertThat(reply.get("code")).isEqualTo("SOURCE_REJECTED");
    assertThat(service.rows()).isEqualTo(before);
    return reply;
  }

  private Api.Reply run(Form form) {
    return api.postForm(JOBS + "?wait=60", form).expect(200);
  }

  @Test
  void stepSixteenPassesAndEveryPartOfItsReportFollowsTheContract() throws IOException {
    var job = run(example("ladder/16_putting_it_together.py").field("devices", "[[4,9,2],[0,1]]"));
    assertThat(job.get("verdict")).as(job.text()).isEqualTo("PASSED");
    var path = JOBS + "/" + job.get("id");
    for (var part :
        List.of(
            "/report",
            "/runs/1",
            "/runs/2/report",
            "/runs/1/checks",
            "/runs/1/tests",
            "/runs/1/findings",
            "/runs/1/barriers",
            "/runs/1/traffic",
            "/runs/1/timeline",
            "/runs/1/outputs",
            "/runs/1/ir",
            "/runs/1/ir?stage=SOURCE",
            "/junit")) {
      api.get(path + part).expect(200);
    }
    assertThat(api.get(path + "/runs/1/log").expect(200).text()).isEqualTo("OK\n");
    var output = api.get(path + "/runs/1/outputs").json().at("/outputs/0/name").asString();
    assertThat(api.get(path + "/runs/1/outputs/" + output).expect(200).text()).contains("NUMPY");
    var metrics = api.get("/actuator/prometheus").text();
    assertThat(metrics)
        .containsPattern(
            "ringmaster_transferred_bytes_total\\{algorithm=\"push\",backend=\"simulator\",link=\"inter\",op=\"allgather\"}"
                + " [1-9]")
        .doesNotContain("\"other\"");
  }

  @ParameterizedTest
  @ValueSource(strings = {"  \n\n", "# nothing but this\n", "\"\"\"Words.\"\"\"\n", "pass\n"})
  void aScriptThatDoesNothingIsRefused(String text) {
    assertThat(refused(script(text)).get("detail"))
        .contains("the script does nothing: there is no statement in it");
  }

  @Test
  void aFileOfTestsHasAVerdictForEachOfItsCases() throws IOException {
    var job =
        run(
            example("tests/test_allgather.py")
                .field("devices", "0,1,2")
                .field("arguments", "[\"-k\",\"builtin or refused or eight\"]"));
    assertThat(job.get("verdict")).as(job.text()).isEqualTo("PASSED");
    assertThat(job.get("sentence")).isEqualTo("4 cases: 3 passed, 1 skipped");
    var path = JOBS + "/" + job.get("id");
    var tests = api.get(path + "/runs/1/tests").expect(200).json();
    assertThat(tests.at("/tests/0/nodeId").asString())
        .isEqualTo("test_allgather.py::TestAllGather::test_rows[builtin-64]");
    assertThat(tests.at("/tests/2/outcome").asString()).isEqualTo("SKIPPED");
    var checks = api.get(path + "/runs/1/checks").expect(200).json();
    assertThat(checks.at("/checks/0/test").asString())
        .isEqualTo("test_allgather.py::TestAllGather::test_rows[builtin-64]");
    assertThat(api.get(path + "/junit").expect(200).text())
        .contains("classname=\"test_allgather.TestAllGather\" name=\"test_rows[builtin-64]\"");
    var kept = api.get("/api/v1/golden-results?jobId=" + job.get("id")).expect(200).json();
    assertThat(kept.at("/goldenResults/0/check/test").asString()).startsWith("test_allgather.py::");
  }

  /** In the job and in its run, and not where another run had more ranks. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "[0]            | 1 check holds (verified at P=1 only: nothing was exchanged)",
        "[0,1]          | all 2 checks hold (verified at P=2 only)",
        "[0,1,2]        | all 3 checks hold",
        "[[0],[0,1]]    | all 2 runs passed (verified at P=2 only)",
        "[[0,1],[0,1,2]]| all 2 runs passed",
      })
  void aPassSaysOnHowFewRanksItWasVerified(String devices, String sentence) throws IOException {
    var job = run(example("right/sum_without_own.py").field("devices", devices));
    assertThat(job.get("verdict")).as(job.text()).isEqualTo("PASSED");
    assertThat(job.get("sentence")).isEqualTo(sentence);
    var report = api.get(JOBS + "/" + job.get("id") + "/report").expect(200).json();
    assertThat(report.at("/sentence").asString()).isEqualTo(sentence);
    if (!devices.startsWith("[[")) {
      assertThat(report.at("/runs/0/sentence").asString()).isEqualTo(sentence);
    }
  }

  @Test
  void argumentsOfAFormAreWrittenAsOnACommandLine() throws IOException {
    var job =
        run(
            example("tests/test_allgather.py")
                .field("devices", "0,1,2")
                .field("arguments", "-k \"builtin or refused\""));
    assertThat(job.json().at("/arguments").values())
        .extracting(argument -> argument.asString())
        .containsExactly("-k", "builtin or refused");
  }

  @Test
  void moreOrdersAreRunWhenAskedFor() throws IOException {
    var job =
        run(example("ladder/13_allgather.py").field("devices", "0,1,2").field("schedules", "4"));
    assertThat(job.get("verdict")).as(job.text()).isEqualTo("PASSED");
    assertThat(job.json().at("/schedules").asInt()).isEqualTo(4);
    assertThat(api.get(JOBS + "/" + job.get("id") + "/report").expect(200).text())
        .contains("SCHEDULE_SEARCH")
        .contains("all 5 orders that were run end alike");
  }

  @Test
  void aMissingBarrierIsARaceEvenIfTheValuesAreRight() throws IOException {
    var job = run(example("wrong/gather_without_barrier.py").field("devices", "0,1"));
    assertThat(job.get("verdict")).isEqualTo("RACE");
    var findings = api.get(JOBS + "/" + job.get("id") + "/runs/1/findings").expect(200).json();
    assertThat(findings.at("/findings/0/kind").asString()).isEqualTo("RACE");
  }

  @Test
  void aSyntaxErrorIsRefusedWithItsPlace() {
    var refused = refused(script("x = 1\ny = (2\n"));
    assertThat(refused.json().at("/diagnostics/0/line").asInt()).isEqualTo(2);
    assertThat(refused.json().at("/diagnostics/0/source").asString()).isEqualTo("y = (2");
  }

  @Test
  void whatReachesTheMachineIsRefused() {
    var refused = refused(script("import os\nos.remove('/')\n"));
    assertThat(refused.json().at("/diagnostics/0/line").asInt()).isEqualTo(2);
  }

  @Test
  void aNameThatNothingDefinesIsRefusedWithTheNearestKnown() {
    var refused = refused(script("import torch\n\n\ndef main():\n    torch.zeroes(3)\n"));
    assertThat(refused.json().at("/diagnostics/0/line").asInt()).isEqualTo(5);
    assertThat(refused.json().at("/diagnostics/0/column").asInt()).isEqualTo(11);
    assertThat(refused.text()).contains("zeros");
  }

  /** A26. */
  @Test
  void aScriptThatComparesNothingIsNeverGreen() {
    var job = run(script("print('hello')\n").field("devices", "0,1"));
    assertThat(job.get("verdict")).isEqualTo("NOT_VERIFIED");
  }

  @Test
  void anEndlessLoopEndsAtItsLimit() {
    var endless = script("while True:\n    pass\n").field("devices", "0,1");
    var job = run(endless.field("limits.scriptSteps", "10000"));
    assertThat(job.get("verdict")).isEqualTo("RESOURCE");
  }

  /** A12: deep nesting costs nobody anything. */
  @Test
  void deepNestingIsRejectedAndTheNextJobRuns() {
    var deep = "x = " + "(".repeat(5_000) + "1" + ")".repeat(5_000) + "\n";
    assertThat(refused(script(deep)).get("detail")).contains("nest");
    assertThat(run(script("x = 1\n").field("devices", "0,1")).get("verdict"))
        .isEqualTo("NOT_VERIFIED");
  }

  @Test
  void whatTheServiceOffersTheWorkerCanRun() {
    var offered =
        new PlatformCatalog(_ -> false, Accelerators.none("", ""))
            .all().stream().filter(Platform::available).map(Platform::name).toList();
    assertThat(new JobRunner().platforms()).containsAll(offered);
  }

  private Api.Reply runDeclared(String golden) throws IOException {
    var step = Files.readString(EXAMPLES.resolve("ladder/13_allgather.py"));
    var program = step.substring(0, step.indexOf("\ndef parse_arguments("));
    var declaration =
        """
        {"entry": "build_allgather(nr, 'builtin')",
         "inputs": [{"name": "x", "dtype": "FP32", "shape": ["nr", 1, 64], "arange": {"start": 1, "step": 0.5}}],
         "outputs": [{"name": "y", "dtype": "FP32", "shape": ["nr", 1, "nr * 64"]}],
         "golden": [{"argument": "y", "expression": "%s", "rtol": 0, "atol": 0}]}
        """
            .formatted(golden);
    return run(
        script(program).field("devices", "[[0,1],[0,1,2]]").field("declaration", declaration));
  }

  @Test
  void aDeclaredJobNeedsNoDriver() throws IOException {
    var right = runDeclared("x.reshape(1, 1, nr * 64).expand(nr, 1, nr * 64)");
    assertThat(right.get("verdict")).as(right.text()).isEqualTo("PASSED");
    var checks = api.get(JOBS + "/" + right.get("id") + "/runs/2/checks").expect(200).json();
    assertThat(checks.at("/checks/0/elements").asInt()).isEqualTo(3 * 3 * 64);

    var wrong = runDeclared("x.reshape(1, 1, nr * 64).expand(nr, 1, nr * 64) + 1");
    assertThat(wrong.get("verdict")).as(wrong.text()).isEqualTo("WRONG_RESULT");
  }

  @Test
  void everyFaultOfADeclarationHasAPointer() {
    var problem =
        api.postForm(
                JOBS,
                script("x = 1\n")
                    .field("devices", "0,1")
                    .field(
                        "declaration",
                        """
                        {"entry": "build(nr", "size": 3,
                         "inputs": [{"name": "x", "dtype": "FP23", "shape": 3, "full": 1},
                                    {"name": "z", "full": 1, "npy": "AA"}, 7],
                         "outputs": {},
                         "golden": [{"argument": "y", "rtol": "small"}]}
                        """))
            .expect(400);
    assertThat(problem.json().at("/errors").findValuesAsString("pointer"))
        .contains(
            "/declaration/size",
            "/declaration/inputs/0/dtype",
            "/declaration/inputs/0/shape",
            "/declaration/inputs/1",
            "/declaration/inputs/2",
            "/declaration/outputs",
            "/declaration/golden/0");
    assertThat(
            api.postForm(
                    JOBS,
                    script("x = 1\n")
                        .field("devices", "0,1")
                        .field(
                            "declaration", "{\"entry\": \"f(\", \"outputs\": [], \"golden\": []}"))
                .expect(400)
                .json()
                .at("/errors")
                .findValuesAsString("pointer"))
        .containsExactlyInAnyOrder("/declaration/entry", "/declaration/golden");
  }
}
