package io.ringmaster.worker.job;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringmaster.worker.source.SourceFile;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Jobs on platform opencl say what the same jobs say on the simulator: the same verdict, the same
 * findings, the same traffic, the same bytes in every output.
 */
class OpenClJobsTest {

  private static final Path COLLECTIVES =
      Path.of("src/main/resources/io/ringmaster/worker/job/conformance/collectives.py");

  static Stream<Path> ladder() {
    return Examples.in("ladder").stream();
  }

  @ParameterizedTest
  @MethodSource("ladder")
  void everyStepOfTheLadderPasses(Path file) {
    int ranks = file.getFileName().toString().startsWith("16") ? 4 : 2;
    JobReport report = same(Examples.source(file), ranks);
    assertThat(report.verdict()).as(Examples.words(report)).isEqualTo(Verdict.PASSED);
  }

  @ParameterizedTest
  @ValueSource(strings = {"allgather_gemm.py", "moe_dispatch_combine.py --hidden 32"})
  void modelKernelsPass(String command) {
    String[] words = command.split(" ", -1);
    SourceFile source = Examples.source(Path.of("..", "examples", "models", words[0]));
    JobReport report = same(source, 4, Arrays.copyOfRange(words, 1, words.length));
    assertThat(report.verdict()).as(Examples.words(report)).isEqualTo(Verdict.PASSED);
  }

  static Stream<Path> tests() {
    return Examples.in("tests").stream();
  }

  @ParameterizedTest
  @MethodSource("tests")
  void filesOfTestsPassCaseByCase(Path file) {
    JobReport report = same(Examples.source(file), 3);
    assertThat(report.verdict()).as(Examples.words(report)).isEqualTo(Verdict.PASSED);
    assertThat(report.runs().getFirst().tests())
        .isNotEmpty()
        .anyMatch(test -> test.outcome() == JobReport.Outcome.PASSED);
  }

  static Stream<String> collectives() {
    List<String> cases = new ArrayList<>();
    String[] names = {"allreduce", "allgather", "all_to_all", "broadcast", "reduce_scatter"};
    for (int ranks = 2; ranks <= 8; ranks++) {
      for (String name : names) {
        boolean half = (ranks + name.length()) % 2 == 0;
        String op = name.equals("allreduce") ? List.of("sum", "max", "min").get(ranks % 3) : "sum";
        cases.add(
            String.format(
                Locale.ROOT,
                "%d --collective %s --size %d --dtype %s --op %s --seed %d",
                ranks,
                name,
                48 * ranks,
                half ? "fp16" : "fp32",
                op,
                ranks));
      }
    }
    return cases.stream();
  }

  /** The script runs each by hand, as a call in the kernel, and as a call on the host. */
  @ParameterizedTest
  @MethodSource("collectives")
  void collectivesOfEveryRailAgree(String command) {
    String[] words = command.split(" ", -1);
    JobReport report =
        same(
            Examples.source(COLLECTIVES),
            Integer.parseInt(words[0]),
            Arrays.copyOfRange(words, 1, words.length));
    assertThat(report.verdict()).as(Examples.words(report)).isEqualTo(Verdict.PASSED);
  }

  @ParameterizedTest
  @CsvSource({
    "allgather_twice.py, RACE",
    "gather_without_barrier.py, RACE",
    "collective_skipped.py, DEADLOCK",
    "sum_without_last.py, WRONG_RESULT",
    "accumulator_not_filled.py, WRONG_RESULT",
    "peer_outside.py, OUT_OF_BOUNDS",
    "root_differs.py, MISMATCH"
  })
  void faultsAreFoundAsOnTheSimulator(String file, Verdict verdict) {
    JobReport report = same(Examples.source(Path.of("..", "examples", "wrong", file)), 4);
    assertThat(report.verdict()).as(Examples.words(report)).isEqualTo(verdict);
  }

  /** Nothing on the device waits for a rank, so it needn't have room for all of them at a time. */
  @Test
  void moreRanksThanComputeUnitsDontBlockOneAnother() {
    JobReport report = same(Examples.ladder("13_allgather.py"), 24);
    assertThat(report.verdict()).as(Examples.words(report)).isEqualTo(Verdict.PASSED);
  }

  @Test
  void aRunOnAnAcceleratorHasNoVirtualTimeAndNamesItsDevice() {
    JobReport report = run("opencl", Examples.ladder("13_allgather.py"), 2);
    JobReport.Run run = report.runs().getFirst();
    assertThat(run.timings().runVirtualNanos()).isZero();
    assertThat(run.timings().runWallNanos()).isPositive();
    assertThat(run.collectives())
        .isNotEmpty()
        .allSatisfy(c -> assertThat(c.virtualNanos()).isZero())
        .allSatisfy(c -> assertThat(c.wallNanos()).isPositive());
    assertThat(run.evidence().versions()).containsKey("devices").doesNotContainKey("costModel");
  }

  private static JobReport same(SourceFile source, int ranks, String... arguments) {
    JobReport simulated = run("sim", source, ranks, arguments);
    JobReport accelerated = run("opencl", source, ranks, arguments);
    assertThat(accelerated.verdict())
        .as(Examples.words(accelerated))
        .isEqualTo(simulated.verdict());
    JobReport.Run a = simulated.runs().getFirst();
    JobReport.Run b = accelerated.runs().getFirst();
    assertThat(b.findings()).isEqualTo(a.findings());
    assertThat(b.checks()).isEqualTo(a.checks());
    assertThat(b.traffic()).isEqualTo(a.traffic());
    assertThat(b.evidence().operations()).isEqualTo(a.evidence().operations());
    assertThat(b.evidence().outputDigest()).isEqualTo(a.evidence().outputDigest());
    return accelerated;
  }

  private static JobReport run(String platform, SourceFile source, int ranks, String... arguments) {
    var spec =
        new JobSpec(
            source,
            platform,
            List.of(Examples.firstDevices(ranks)),
            List.of(arguments),
            JobSpec.Limits.DEFAULT,
            0);
    return new JobRunner().run(spec, RunControl.none());
  }
}
