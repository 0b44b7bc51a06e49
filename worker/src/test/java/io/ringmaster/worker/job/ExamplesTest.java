package io.ringmaster.worker.job;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringmaster.worker.source.SourceFile;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Every example, in each of its modes, on 1, 2, 3, 4, 5, 8 and 16 ranks: it passes where its rules
 * allow, and says why where they don't.
 */
class ExamplesTest {

  private static final List<Integer> RANKS = List.of(1, 2, 3, 4, 5, 8, 16);

  /** What stands in front of the rank count's or the list's text in a refusal. */
  private static final String TWO = "need exactly 2 devices, got [";

  private static final String MORE = "need at least 2 devices, got [";

  /** File, arguments in each mode, the rank counts it runs on. */
  private static final List<List<String>> TABLE =
      List.of(
          List.of("ladder/01_two_devices.py", "", "2"),
          List.of("ladder/02_windows.py", "", "2"),
          List.of("ladder/03_notify_wait.py", "", "2"),
          List.of("ladder/04_barrier.py", "|--use-builtin", "2"),
          List.of("ladder/05_remote_load_store.py", "|--mode load|--mode store", "2"),
          List.of("ladder/06_put_get.py", "|--mode put|--mode get", "2"),
          List.of("ladder/07_any_rank_count.py", "|--mode put|--mode get", "2 3 4 5 8 16"),
          List.of("ladder/08_allreduce_mesh.py", "", "2 3 4 5 8 16"),
          List.of("ladder/09_allreduce_two_phase.py", "", "2 4 8"),
          List.of("ladder/10_allreduce_ring.py", "", "2 4 8"),
          List.of("ladder/11_allreduce_builtin.py", "|--mode mesh|--mode ring", "2 3 4 5 8 16"),
          List.of("ladder/12_broadcast.py", "|--mode hand|--mode builtin", "2 3 4 5 8 16"),
          List.of("ladder/13_allgather.py", "|--mode hand|--mode builtin", "2 3 4 5 8 16"),
          List.of("ladder/14_reduce_scatter.py", "|--mode hand|--mode builtin", "2 3 4 5 8 16"),
          List.of("ladder/15_all_to_all.py", "|--mode hand|--mode builtin", "2 3 4 5 8 16"),
          List.of(
              "ladder/16_putting_it_together.py",
              "|--signals apart|--signals shared",
              "2 3 4 5 8 16"),
          List.of("models/allgather_gemm.py", "", "2 3 4 5 8 16"),
          List.of("models/moe_dispatch_combine.py", "--hidden 32", "2 3 4 5 8 16"));

  /** An example in one mode. */
  record Mode(String file, String arguments, Set<Integer> allowed) {

    SourceFile source() {
      return Examples.source(Path.of("..", "examples").resolve(file));
    }

    JobReport run(int ranks) {
      String[] words = arguments.isEmpty() ? new String[0] : arguments.split(" ", -1);
      return Examples.run(source(), Examples.firstDevices(ranks), words);
    }

    List<Integer> others() {
      return RANKS.stream().filter(p -> !allowed.contains(p)).toList();
    }

    @Override
    public String toString() {
      return (file + " " + arguments).strip();
    }
  }

  static Stream<Mode> modes() {
    return TABLE.stream()
        .flatMap(
            row ->
                Arrays.stream(row.get(1).split("\\|", -1))
                    .map(
                        arguments ->
                            new Mode(
                                row.get(0),
                                arguments,
                                Arrays.stream(row.get(2).split(" ", -1))
                                    .map(Integer::valueOf)
                                    .collect(Collectors.toSet()))));
  }

  @ParameterizedTest
  @MethodSource("modes")
  void anExamplePassesOnEveryRankCountItAllows(Mode mode) {
    for (int ranks : RANKS) {
      if (!mode.allowed().contains(ranks)) {
        continue;
      }
      JobReport report = mode.run(ranks);
      assertThat(report.verdict())
          .as("%s at P=%s: %s", mode, ranks, Examples.words(report))
          .isEqualTo(Verdict.PASSED);
      assertThat(report.diagnostics()).isEmpty();
      JobReport.Run run = report.runs().getFirst();
      assertThat(run.log()).isEqualTo("OK\n");
      assertThat(run.findings()).noneMatch(finding -> finding.severity().equals("ERROR"));
      assertThat(run.collectives())
          .filteredOn(c -> !c.formulaBytes().isEmpty())
          .allSatisfy(c -> assertThat(c.wireBytes()).isEqualTo(c.formulaBytes()));
    }
  }

  @ParameterizedTest
  @MethodSource("modes")
  void anExampleSaysWhyItTakesNoOtherRankCount(Mode mode) {
    for (int ranks : mode.others()) {
      JobReport report = mode.run(ranks);

      assertThat(report.verdict()).as("%s at P=%s", mode, ranks).isEqualTo(Verdict.ERROR);
      assertThat(report.sentence()).contains(refusal(mode, ranks));
      assertThat(report.runs().getFirst().evidence().checks()).isZero();
    }
  }

  private static String refusal(Mode mode, int ranks) {
    String devices =
        Examples.firstDevices(ranks).stream()
            .map(String::valueOf)
            .collect(Collectors.joining(", "));
    if (mode.allowed().equals(Set.of(2))) {
      return TWO + devices + "]";
    }
    if (ranks == 1) {
      return MORE + devices + "]";
    }
    return ranks == 16
        ? "a chunk of 4 floats is less than the 32 bytes of a tile row: at most 8 ranks, got 16"
        : "SIZE=64 must be divisible by the rank count, got " + ranks;
  }

  @Test
  void noExampleIsLeftOut() {
    Set<String> listed = TABLE.stream().map(List::getFirst).collect(Collectors.toSet());

    for (String folder : List.of("ladder", "models")) {
      assertThat(Examples.in(folder))
          .extracting(file -> folder + "/" + file.getFileName())
          .allSatisfy(file -> assertThat(listed).contains(file));
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 5, 8, 16})
  void theCasesOfTheTestFilesPassOrSayHowManyDevicesTheyNeed(int ranks) {
    for (Path file : Examples.in("tests")) {
      JobReport report = Examples.run(Examples.source(file), Examples.firstDevices(ranks));

      assertThat(report.verdict())
          .as("%s at P=%s: %s", file, ranks, Examples.words(report))
          .isEqualTo(Verdict.PASSED);
      assertThat(report.runs().getFirst().tests())
          .isNotEmpty()
          .filteredOn(test -> test.outcome() != JobReport.Outcome.PASSED)
          .allSatisfy(
              test -> {
                assertThat(test.outcome()).isEqualTo(JobReport.Outcome.SKIPPED);
                assertThat(test.message()).containsPattern("needs \\d devices, got " + ranks);
              });
    }
  }
}
