package io.ringmaster.worker.job;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Every example passes in each of its modes on every rank count that its page allows. */
class ExamplesTest {

  @ParameterizedTest
  @CsvSource({
    "08_allreduce_mesh.py, '', 2 3 4 5 8 16",
    "09_allreduce_two_phase.py, '', 2 4 8",
    "10_allreduce_ring.py, '', 2 4 8",
    "11_allreduce_builtin.py, mesh, 2 3 4 5 8 16",
    "11_allreduce_builtin.py, ring, 2 3 4 5 8 16",
    "12_broadcast.py, hand, 2 3 4 5 8 16",
    "12_broadcast.py, builtin, 2 3 4 5 8 16",
    "14_reduce_scatter.py, hand, 2 3 4 5 8 16",
    "14_reduce_scatter.py, builtin, 2 3 4 5 8 16",
    "15_all_to_all.py, hand, 2 3 4 5 8 16",
    "15_all_to_all.py, builtin, 2 3 4 5 8 16"
  })
  void ladderStepPasses(String file, String mode, String rankCounts) {
    for (String ranks : rankCounts.split(" ", -1)) {
      String[] arguments = mode.isEmpty() ? new String[0] : new String[] {"--mode", mode};
      JobReport report =
          Examples.run(
              Examples.ladder(file), Examples.firstDevices(Integer.parseInt(ranks)), arguments);

      assertThat(report.verdict())
          .as("%s %s at P=%s: %s", file, mode, ranks, Examples.words(report))
          .isEqualTo(Verdict.PASSED);
      assertThat(report.runs().getFirst().log()).isEqualTo("OK\n");
      assertThat(report.runs().getFirst().collectives())
          .allSatisfy(
              c -> {
                if (!c.formulaBytes().isEmpty()) {
                  assertThat(c.wireBytes()).isEqualTo(c.formulaBytes());
                }
              });
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"allgather_gemm.py", "moe_dispatch_combine.py --hidden 32"})
  void modelKernelPasses(String command) {
    String[] words = command.split(" ", -1);
    String[] arguments = Arrays.copyOfRange(words, 1, words.length);
    for (int ranks : new int[] {2, 4}) {
      JobReport report =
          Examples.run(
              Examples.source(Path.of("..", "examples", "models", words[0])),
              Examples.firstDevices(ranks),
              arguments);

      assertThat(report.verdict())
          .as("%s at P=%d: %s", command, ranks, Examples.words(report))
          .isEqualTo(Verdict.PASSED);
    }
  }
}
