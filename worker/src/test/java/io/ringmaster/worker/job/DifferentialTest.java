package io.ringmaster.worker.job;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A collective by hand, as a call in the kernel and as a call on the host gives the same bits, for
 * random rank counts, sizes, element types and operations; what the calls move is their formula.
 */
class DifferentialTest {

  private static final Path SCRIPT =
      Path.of("src/main/resources/io/ringmaster/worker/job/conformance/collectives.py");
  private static final int CASES = 48;
  private static final String[] COLLECTIVES = {
    "allreduce", "allreduce", "allgather", "all_to_all", "broadcast", "reduce_scatter"
  };
  private static final String[] OPS = {"sum", "max", "min", "prod"};

  static Stream<Arguments> cases() {
    return LongStream.range(0, CASES)
        .mapToObj(
            seed -> {
              var random = new SplittableRandom(seed);
              String dtype = random.nextInt(3) == 0 ? "fp16" : "fp32";
              int step = dtype.equals("fp16") ? 16 : 8;
              int most = random.nextInt(4) == 0 ? 160 : 12;
              return Arguments.of(
                  seed,
                  COLLECTIVES[random.nextInt(COLLECTIVES.length)],
                  1 + random.nextInt(9),
                  step * (1 + random.nextInt(most)),
                  dtype,
                  OPS[random.nextInt(OPS.length)]);
            });
  }

  @ParameterizedTest
  @MethodSource("cases")
  void theThreeFormsAgree(
      long seed, String collective, int ranks, int size, String dtype, String op) {
    String arguments =
        String.format(
            Locale.ROOT,
            "--collective %s --size %d --dtype %s --op %s --seed %d",
            collective,
            size,
            dtype,
            op,
            seed);

    JobReport report =
        Examples.run(
            Examples.source(SCRIPT), Examples.firstDevices(ranks), arguments.split(" ", -1));

    assertThat(report.verdict())
        .as("P=%d %s: %s", ranks, arguments, Examples.words(report))
        .isEqualTo(Verdict.PASSED);
    assertThat(report.runs().getFirst().collectives())
        .filteredOn(c -> !c.formulaBytes().isEmpty())
        .isNotEmpty()
        .allSatisfy(c -> assertThat(c.wireBytes()).isEqualTo(c.formulaBytes()));
  }
}
