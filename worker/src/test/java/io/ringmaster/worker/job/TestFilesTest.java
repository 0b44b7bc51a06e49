package io.ringmaster.worker.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.ringmaster.worker.job.JobReport.Outcome;
import io.ringmaster.worker.source.SourceFile;
import java.io.IOException;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.w3c.dom.Element;
import org.xml.sax.InputSource;

/** A file of tests as a job: a verdict for each case, and the worst of them for the file. */
class TestFilesTest {

  private static SourceFile resource(String name) {
    try (var in = Objects.requireNonNull(TestFilesTest.class.getResourceAsStream(name), name)) {
      return SourceFile.of(name, new String(in.readAllBytes(), StandardCharsets.UTF_8));
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  private static JobReport.Run run(SourceFile source, int devices, String... arguments) {
    return Examples.run(source, Examples.firstDevices(devices), arguments).runs().getFirst();
  }

  @Test
  void eachCaseHasItsVerdictAndTheWorstIsTheJobs() {
    JobReport report = Examples.run(resource("test_mixed.py"), List.of(4, 9, 2));
    JobReport.Run run = report.runs().getFirst();

    assertThat(run.tests())
        .extracting(
            JobReport.TestCase::name, JobReport.TestCase::outcome, JobReport.TestCase::verdict)
        .containsExactly(
            tuple("test_right", Outcome.PASSED, Verdict.PASSED),
            tuple("test_again", Outcome.PASSED, Verdict.PASSED),
            tuple("test_fault[wrong]", Outcome.FAILED, Verdict.WRONG_RESULT),
            tuple("test_fault[race]", Outcome.FAILED, Verdict.RACE),
            tuple("test_fault[deadlock]", Outcome.FAILED, Verdict.DEADLOCK),
            tuple("test_compares_nothing", Outcome.PASSED, Verdict.NOT_VERIFIED),
            tuple("test_raises", Outcome.FAILED, Verdict.ERROR),
            tuple("test_unknown_function", Outcome.FAILED, Verdict.REJECTED),
            tuple("test_known", Outcome.XFAILED, Verdict.NOT_VERIFIED),
            tuple("test_too_few", Outcome.SKIPPED, Verdict.NOT_VERIFIED),
            tuple("test_setup", Outcome.ERROR, Verdict.ERROR),
            tuple("test_after_all", Outcome.PASSED, Verdict.PASSED));
    assertThat(report.verdict()).isEqualTo(Verdict.REJECTED);
    assertThat(report.sentence()).startsWith("test_mixed.py::test_unknown_function: ");
    assertThat(report.diagnostics())
        .anySatisfy(d -> assertThat(d.source()).contains("frobnicate()"));
    assertThat(run.tests().get(9).message()).isEqualTo("skipped: needs 8 devices, got 3");
    assertThat(run.tests().get(10).message()).isEqualTo("OSError: no such device");
    assertThat(run.log()).contains("____ test_mixed.py::test_raises ____");
    assertThat(run.findings())
        .filteredOn(f -> f.kind().equals("RACE"))
        .isNotEmpty()
        .allMatch(f -> "test_mixed.py::test_fault[race]".equals(f.test()), "of its case");
    assertThat(run.checks())
        .filteredOn(c -> "test_mixed.py::test_right".equals(c.test()))
        .hasSize(3);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "right or again                | PASSED       | 2 cases: 2 passed",
        "right or nothing or few       | PASSED       | 3 cases: 1 passed, 1 compared nothing, 1"
            + " skipped",
        "too_few                       | NOT_VERIFIED | nothing was verified: 1 case: 1 skipped",
        "compares_nothing or test_known| NOT_VERIFIED | nothing was verified: 2 cases: 1 compared"
            + " nothing, 1 failed as expected",
        "no_such_case                  | NOT_VERIFIED | no test case was selected: none of the 12"
            + " matches",
        "race or wrong                 | RACE         | (2 of 2 cases failed)",
        "deadlock                      | DEADLOCK     | test_mixed.py::test_fault[deadlock]: ",
        "setup                         | ERROR        | OSError: no such device"
      })
  void theChosenCasesMakeTheVerdict(String keyword, Verdict verdict, String says) {
    JobReport.Run run = run(resource("test_mixed.py"), 3, "-k", keyword);

    assertThat(run.verdict()).as(run.sentence()).isEqualTo(verdict);
    assertThat(run.sentence()).contains(says);
  }

  /** Each is tried out by itself where it can be: a long file leaves none of them untried. */
  @Test
  void eachOfManyCasesIsVerifiedAsIfItWereTheOnlyOne() {
    JobReport.Run run = run(resource("test_many.py"), 3);

    assertThat(run.tests())
        .hasSize(35)
        .allSatisfy(
            one ->
                assertThat(one.verdict())
                    .as(one.name() + ": " + one.message())
                    .isEqualTo(
                        one.name().startsWith("test_blind")
                            ? Verdict.NOT_VERIFIED
                            : Verdict.PASSED));
  }

  @Test
  void refusalsThatWereAskedForMakeAFilePass() {
    JobReport.Run run = run(resource("test_refusals.py"), 2);

    assertThat(run.tests())
        .as(run.tests().toString())
        .extracting(JobReport.TestCase::name, JobReport.TestCase::verdict)
        .containsExactly(
            tuple("test_missing_annotation", Verdict.PASSED),
            tuple("test_device_ids[empty]", Verdict.PASSED),
            tuple("test_device_ids[negative]", Verdict.PASSED),
            tuple("test_device_ids[twice]", Verdict.PASSED),
            tuple("test_other_settings", Verdict.PASSED),
            tuple("test_platform[config]", Verdict.PASSED),
            tuple("test_platform[compile]", Verdict.PASSED),
            tuple("test_arguments[short]", Verdict.PASSED),
            tuple("test_arguments[half]", Verdict.PASSED),
            tuple("test_arguments[flat]", Verdict.PASSED),
            tuple("test_arguments[number]", Verdict.PASSED),
            tuple("test_argument_count", Verdict.PASSED),
            tuple("test_an_except_clause_sees_it_too", Verdict.NOT_VERIFIED));
    assertThat(run.verdict()).isEqualTo(Verdict.PASSED);
  }

  @Test
  void subWorkersRunOnceTheirTensorsAreReadyAndWhatTheyCompareCounts() {
    JobReport.Run run = run(resource("test_sub_workers.py"), 3);

    assertThat(run.tests())
        .as(run.tests().toString())
        .extracting(JobReport.TestCase::name, JobReport.TestCase::verdict)
        .containsExactly(
            tuple("test_body", Verdict.PASSED),
            tuple("test_body_that_fails", Verdict.NOT_VERIFIED),
            tuple("test_body_that_fails_for_good", Verdict.WRONG_RESULT),
            tuple("test_callback", Verdict.PASSED),
            tuple("test_callback_missing", Verdict.PASSED),
            tuple("test_callback_unknown", Verdict.PASSED),
            tuple("test_callback_arity", Verdict.PASSED),
            tuple("test_prepare", Verdict.PASSED),
            tuple("test_with_self", Verdict.PASSED));
    assertThat(run.log()).startsWith("verified torch.Size([3, 1, 64])\n");
    assertThat(run.checks())
        .filteredOn(c -> "test_sub_workers.py::test_body".equals(c.test()))
        .hasSize(1)
        .allMatch(c -> c.kind().equals("allclose") && c.passed(), "the golden inside");
  }

  @Test
  void aCaseThatOnlyComparesWhatProvesNothingIsCountedApart() {
    String checks =
        """

        def test_blind(test_config):
            x, y = shift(test_config, [0, 1])
            assert torch.isfinite(y).all()
        def test_silent(test_config):
            shift(test_config, [0, 1])
        """;
    SourceFile file = SourceFile.of("test_x.py", resource("test_mixed.py").text() + checks);

    JobReport.Run some = run(file, 2, "-k", "right or blind or silent");
    assertThat(some.verdict()).as(some.sentence()).isEqualTo(Verdict.PASSED);
    assertThat(some.sentence())
        .isEqualTo(
            "3 cases: 1 passed, 1 compared nothing, 1 proved nothing (verified at P=2 only)");
    assertThat(some.tests().get(1).verdict()).isEqualTo(Verdict.NOT_VERIFIED);
    assertThat(some.tests().get(1).message()).contains("this check can't fail");

    JobReport.Run none = run(file, 2, "-k", "blind or silent");
    assertThat(none.verdict()).isEqualTo(Verdict.NOT_VERIFIED);
    assertThat(none.sentence())
        .startsWith(
            "nothing was verified: 2 cases: 1 compared nothing, 1 proved nothing;"
                + " test_x.py::test_blind: ")
        .contains("this check can't fail");
  }

  @Test
  void whatWasFoundBeforeASubWorkerFailedStands() {
    String host = "        @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)";
    String text =
        Examples.source(java.nio.file.Path.of("../examples/wrong/gather_without_barrier.py"))
            .text()
            .replace(
                host,
                """
                        @pl.function(level=pl.Level.HOST, role=pl.Role.SubWorker)
                        def verify(y: pl.Tensor[[nr, 1, nr * SIZE], pl.FP32]):
                            raise ValueError("no golden here")

                """
                    + host)
            .replace(
                "self.on_chip(x[r], y[r], data, signal, device=r)",
                "self.on_chip(x[r], y[r], data, signal, device=r)\n            self.verify(y)");

    JobReport report = Examples.run(SourceFile.of("k.py", text), List.of(0, 1, 2, 3));

    assertThat(text).contains("self.verify(y)", "raise ValueError");
    assertThat(report.verdict()).as(report.sentence()).isEqualTo(Verdict.RACE);
    assertThat(report.runs().getFirst().log()).contains("ValueError: no golden here");
  }

  @Test
  void aRefusalThatNobodyAskedForRejectsTheJob() {
    JobReport report =
        Examples.run(
            SourceFile.of(
                "test_x.py",
                """
                import pypto.language as pl
                def test_a():
                    @pl.program
                    class P:
                        pass
                def test_b():
                    pass
                """),
            List.of(0, 1));

    assertThat(report.verdict()).isEqualTo(Verdict.REJECTED);
    assertThat(report.diagnostics().getFirst().message())
        .contains("contains no @pl.function decorated methods");
    assertThat(report.diagnostics().getFirst().line()).isEqualTo(4);
    assertThat(report.runs().getFirst().tests())
        .extracting(JobReport.TestCase::verdict)
        .containsExactly(Verdict.REJECTED, Verdict.NOT_VERIFIED);
  }

  @Test
  void aDriverWithAHelperCalledTestKeepsItsOwnChecks() {
    String driver =
        resource("test_mixed.py")
            .text()
            .lines()
            .takeWhile(line -> !line.startsWith("@pytest.fixture"))
            .collect(java.util.stream.Collectors.joining("\n"));
    JobReport.Run run =
        run(
            SourceFile.of(
                "driver.py",
                driver
                    + """

                    class Config:
                        platform = "a2a3sim"
                    @pl.jit.incore
                    def test_kernel(x):
                        return x
                    x, y = shift(Config(), [0, 1])
                    check(x, y)
                    """),
            2);

    assertThat(run.verdict()).as(run.sentence()).isEqualTo(Verdict.PASSED);
    assertThat(run.tests()).isEmpty();
  }

  @Test
  void moreDevicesThanTheJobHasAreRefused() {
    JobReport.Run run =
        run(
            SourceFile.of(
                "test_mixed.py",
                resource("test_mixed.py").text()
                    + "\ndef test_more(test_config):\n    shift(test_config, [0, 1, 2, 3])\n"),
            2,
            "-k",
            "test_more");

    assertThat(run.verdict()).isEqualTo(Verdict.REJECTED);
    assertThat(run.sentence()).contains("asks for 4 devices, the run has 2: [0, 1]");
  }

  @ParameterizedTest
  @CsvSource({"2", "3", "4"})
  void theExamplesPass(int devices) {
    for (var file : Examples.in("tests")) {
      JobReport.Run run = run(Examples.source(file), devices);
      assertThat(run.verdict()).as(file + ": " + run.sentence()).isEqualTo(Verdict.PASSED);
    }
  }

  @Test
  void junitNamesTheCasesAsPytestDoes() throws Exception {
    JobReport report = Examples.run(resource("test_mixed.py"), List.of(0, 1));
    var document =
        DocumentBuilderFactory.newInstance()
            .newDocumentBuilder()
            .parse(new InputSource(new StringReader(JUnitXml.write("job", report))));
    Element suite = (Element) document.getElementsByTagName("testsuite").item(0);

    assertThat(suite.getAttribute("tests")).isEqualTo("12");
    assertThat(suite.getAttribute("failures")).isEqualTo("5");
    assertThat(suite.getAttribute("errors")).isEqualTo("1");
    assertThat(suite.getAttribute("skipped"))
        .as("with the one that compares nothing")
        .isEqualTo("3");
    Element wrong = (Element) suite.getElementsByTagName("testcase").item(2);
    assertThat(wrong.getAttribute("classname")).isEqualTo("test_mixed");
    assertThat(wrong.getAttribute("name")).isEqualTo("test_fault[wrong]");
    assertThat(((Element) wrong.getElementsByTagName("failure").item(0)).getAttribute("type"))
        .isEqualTo("WRONG_RESULT");
  }
}
