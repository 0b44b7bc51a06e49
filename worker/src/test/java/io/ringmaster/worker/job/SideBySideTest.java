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

  private static List<JobReport.Check> comparisons(JobReport.Run run) {
    return run.checks().stream().filter(check -> check.kind().equals(SideBySide.KIND)).toList();
  }

  @Test
  void anAcceleratorLeavesTheSimulatorsBytes() {
    var report = run(Examples.ladder("11_allreduce_builtin.py"), 2, "a2a3sim", "opencl");
    assertThat(report.verdict()).as(report.sentence()).isEqualTo(Verdict.PASSED);
    assertThat(report.sentence()).isEqualTo("all 2 runs");
    assertThat(report.runs().stream().map(JobReport.Run::platform).toList())
        .containsExactly("a2a3sim", "opencl");
    assertThat(report.runs().stream().map(JobReport.Run::id).toList())
        .containsExactly("run_0", "run_1");
    assertThat(comparisons(report.runs().getFirst())).isEmpty();
    assertThat(comparisons(report.runs().getLast()))
        .isNotEmpty()
        .allSatisfy(check -> assertThat(check.explanation()).isEqualTo("the same bytes"));
    assertThat(report.runs().getFirst().timings().runVirtualNanos()).isPositive();
    assertThat(report.runs().getLast().timings().runWallNanos()).isPositive();
  }

  /** The script's own checks hold on both, but they don't compute the same. */
  @Test
  void anotherResultOnTheOtherPlatformIsWrong() {
    var text =
        Examples.ladder("01_two_devices.py")
            .text()
            .replace("    golden = x * 2.0 + 1.0", "    golden = x * 2.0 + 1.0\n    other = x")
            .replace(
                "    x = torch.stack([torch.randn((1, SIZE), dtype=torch.float32) for _ in range(2)])",
                "    x = torch.full((2, 1, SIZE), 3.0 if args.platform == \"a2a3sim\" else 4.0)");
    var report = run(SourceFile.of("other.py", text), 2, "a2a3sim", "a5sim");
    assertThat(report.verdict()).as(report.sentence()).isEqualTo(Verdict.WRONG_RESULT);
    assertThat(report.runs().getFirst().verdict()).isEqualTo(Verdict.PASSED);
    assertThat(report.runs().getLast().sentence())
        .contains("on a5sim against a2a3sim: 128 of 128 elements differ from a2a3sim, the first at")
        .contains("9.0 here, 7.0 there");
  }

  /** What is graver on one platform stays that. */
  @Test
  void aRaceIsARaceOnBoth() {
    var source =
        Examples.source(java.nio.file.Path.of("../examples/wrong/gather_without_barrier.py"));
    var report = run(source, 4, "a2a3sim", "opencl");
    assertThat(report.verdict()).isEqualTo(Verdict.RACE);
    assertThat(report.runs()).allMatch(run -> run.verdict() == Verdict.RACE);
  }

  /** A comparison that was asked for and not made isn't green. */
  @Test
  void outputsTooLargeToBeKeptAreNotVerified() {
    var source = Examples.ladder("01_two_devices.py");
    var report = run(new SideBySide(new JobRunner(), 100), source, 2, "a2a3sim", "a5sim");
    assertThat(report.verdict()).isEqualTo(Verdict.NOT_VERIFIED);
    assertThat(report.runs().getFirst().verdict()).isEqualTo(Verdict.PASSED);
    assertThat(report.runs().getLast().sentence())
        .contains("are not compared with those on a2a3sim: at most 100 bytes of a run are kept")
        .contains("use smaller sizes");
    assertThat(comparisons(report.runs().getLast())).isEmpty();
  }

  @Test
  void aPlatformThatIsNotThereIsSaidAndNothingIsCompared() {
    var report = run(Examples.ladder("01_two_devices.py"), 2, "a2a3sim", "a2a3");
    assertThat(report.verdict()).isEqualTo(Verdict.REJECTED);
    assertThat(comparisons(report.runs().getLast())).isEmpty();
  }
}
