package io.ringmaster.worker.job;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringmaster.worker.source.SourceFile;
import java.util.List;
import org.junit.jupiter.api.Test;

/** One job on several platforms: what each left is held against what the first one left. */
class SideBySideTest {

  private static JobReport run(SourceFile source, int ranks, String... platforms) {
    return run(new SideBySide(new JobRunner()), source, ranks, platforms);
  }

  private static JobReport run(
      SideBySide sides, SourceFile source, int ranks, String... platforms) {
    var spec =
        new JobSpec(
            source,
            "",
            List.of(Examples.firstDevices(ranks)),
            List.of(),
            JobSpec.Limits.DEFAULT,
            0);
    return sides.run(spec, List.of(platforms), RunControl.none());
  }

  private static PlatformComparison only(JobReport report) {
    assertThat(report.comparisons()).hasSize(1);
    return report.comparisons().getFirst();
  }

  @Test
  void anAcceleratorLeavesTheSimulatorsBytes() {
    var report = run(Examples.ladder("11_allreduce_builtin.py"), 2, "a2a3sim", "opencl");
    assertThat(report.verdict()).as(report.sentence()).isEqualTo(Verdict.PASSED);
    assertThat(report.sentence()).isEqualTo("all 2 runs passed (verified at P=2 only)");
    assertThat(report.runs().stream().map(JobReport.Run::platform).toList())
        .containsExactly("a2a3sim", "opencl");
    assertThat(report.runs().stream().map(JobReport.Run::id).toList())
        .containsExactly("run_0", "run_1");
    var found = only(report);
    assertThat(found.outcome()).as(found.sentence()).isEqualTo(PlatformComparison.Outcome.SAME);
    assertThat(found.sentence()).endsWith("on opencl and a2a3sim: the same bytes");
    assertThat(found.run()).isEqualTo("run_1");
    assertThat(found.referenceRun()).isEqualTo("run_0");
    assertThat(found.outputs()).isPositive().isEqualTo(found.identical());
    assertThat(found.differences()).isEmpty();
    assertThat(found.referenceTimes().virtualNanos()).isPositive();
    assertThat(found.times().virtualNanos()).isNull();
    assertThat(found.times().wallNanos()).isPositive();
  }

  private static final String OTHER_INPUT =
      Examples.ladder("01_two_devices.py")
          .text()
          .replace(
              "    x = torch.stack([torch.randn((1, SIZE), dtype=torch.float32) for _ in"
                  + " range(2)])",
              "    x = torch.full((2, 1, SIZE), 3.0)\n"
                  + "    x[1, 0, 5] = 3.0 if args.platform == \"a2a3sim\" else 4.0");

  /** The script's own checks hold on both, but they don't compute the same. */
  @Test
  void anotherResultOnTheOtherPlatformIsWrong() {
    var report = run(SourceFile.of("other.py", OTHER_INPUT), 2, "a2a3sim", "a5sim");
    assertThat(report.verdict()).as(report.sentence()).isEqualTo(Verdict.WRONG_RESULT);
    assertThat(report.runs()).allMatch(run -> run.verdict() == Verdict.PASSED);
    assertThat(report.sentence())
        .startsWith("run 2 of 2, devices [0, 1]: ")
        .contains(
            "(output 1) differs: rank 1, first at [1, 0, 5], 9.0 on a5sim and 7.0 on a2a3sim; 1 of"
                + " 128 elements beyond 1.0E-5 + 1.0E-5 * |b|, the rule for FP32");
    var difference = only(report).differences().getFirst();
    assertThat(difference.rank()).isEqualTo(1);
    assertThat(difference.at()).containsExactly(1L, 0L, 5L);
    assertThat(difference.value()).isEqualTo("9.0");
    assertThat(difference.reference()).isEqualTo("7.0");
    assertThat(difference.mismatches()).isEqualTo(1);
  }

  /** A report of a job that differs isn't green in any of its forms. */
  @Test
  void aDifferenceFailsInJUnitXml() {
    var report = run(SourceFile.of("other.py", OTHER_INPUT), 2, "a2a3sim", "a5sim");
    assertThat(JUnitXml.write("other.py", report))
        .contains("<testsuite name=\"other.py platforms\" tests=\"1\" failures=\"1\"")
        .contains("name=\"a5sim [0, 1] against a2a3sim\"")
        .contains("type=\"WRONG_RESULT\"");
    assertThat(ReportJson.read(ReportJson.write(report))).isEqualTo(report);
  }

  /** What is graver on one platform stays that. */
  @Test
  void aRaceIsARaceOnBoth() {
    var source =
        Examples.source(java.nio.file.Path.of("../examples/wrong/gather_without_barrier.py"));
    var report = run(source, 4, "a2a3sim", "opencl");
    assertThat(report.verdict()).isEqualTo(Verdict.RACE);
    assertThat(report.runs()).allMatch(run -> run.verdict() == Verdict.RACE);
    assertThat(only(report).outcome()).isEqualTo(PlatformComparison.Outcome.NOT_COMPARED);
    assertThat(only(report).sentence()).isEqualTo("not compared: the run on a2a3sim ended as RACE");
  }

  /** Bytes that are known to be the same need not be kept. */
  @Test
  void outputsTooLargeToBeKeptAreComparedByDigest() {
    var source = Examples.ladder("01_two_devices.py");
    var report = run(new SideBySide(new JobRunner(), 100), source, 2, "a2a3sim", "a5sim");
    assertThat(report.verdict()).as(report.sentence()).isEqualTo(Verdict.PASSED);
    assertThat(only(report).outcome()).isEqualTo(PlatformComparison.Outcome.SAME);
  }

  /** A comparison that was asked for and not made isn't green. */
  @Test
  void otherBytesThatWereNotKeptAreNotVerified() {
    var source = SourceFile.of("other.py", OTHER_INPUT);
    var report = run(new SideBySide(new JobRunner(), 100), source, 2, "a2a3sim", "a5sim");
    assertThat(report.verdict()).as(report.sentence()).isEqualTo(Verdict.NOT_VERIFIED);
    assertThat(report.runs()).allMatch(run -> run.verdict() == Verdict.PASSED);
    assertThat(report.sentence())
        .contains("1 of 1 outputs, the first is")
        .contains("have other bytes on a5sim than on a2a3sim, and weren't kept")
        .contains("use smaller sizes");
    assertThat(only(report).outcome()).isEqualTo(PlatformComparison.Outcome.INCOMPLETE);
  }

  @Test
  void aPlatformThatIsNotThereIsSaidAndNothingIsCompared() {
    var report = run(Examples.ladder("01_two_devices.py"), 2, "a2a3sim", "a2a3");
    assertThat(report.verdict()).isEqualTo(Verdict.REJECTED);
    assertThat(only(report).sentence())
        .isEqualTo("not compared: the run on a2a3 ended as REJECTED");
  }
}
