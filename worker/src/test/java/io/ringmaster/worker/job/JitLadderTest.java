package io.ringmaster.worker.job;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Steps 01 to 07 of the ladder, which are free functions, in every mode their pages name. */
class JitLadderTest {

  @ParameterizedTest
  @CsvSource({
    "01_two_devices.py, '', 0 1; 4 9",
    "02_windows.py, '', 0 1; 4 9",
    "03_notify_wait.py, '', 0 1; 4 9",
    "04_barrier.py, '', 0 1; 4 9",
    "04_barrier.py, --use-builtin, 0 1; 4 9",
    "05_remote_load_store.py, '', 0 1",
    "05_remote_load_store.py, --mode load, 0 1; 4 9",
    "05_remote_load_store.py, --mode store, 0 1; 4 9",
    "06_put_get.py, '', 0 1",
    "06_put_get.py, --mode put, 0 1; 4 9",
    "06_put_get.py, --mode get, 0 1; 4 9",
    "07_any_rank_count.py, '', 0 1 2",
    "07_any_rank_count.py, --mode put, 0 1; 0 1 2; 0 1 2 3; 0 1 2 3 4; 0 1 2 3 4 5 6 7; 4 9",
    "07_any_rank_count.py, --mode get, 0 1; 0 1 2; 0 1 2 3; 0 1 2 3 4; 0 1 2 3 4 5 6 7; 4 9"
  })
  void stepPasses(String file, String arguments, String deviceLists) {
    for (String devices : deviceLists.split("; ", -1)) {
      JobReport report = run(file, ids(devices), arguments);

      assertThat(report.verdict())
          .as("%s %s on %s: %s", file, arguments, devices, Examples.words(report))
          .isEqualTo(Verdict.PASSED);
      assertThat(report.runs().getFirst().log()).isEqualTo("OK\n");
      assertThat(report.runs().getFirst().checks()).hasSize(ids(devices).size());
      assertThat(report.diagnostics()).isEmpty();
    }
  }

  @ParameterizedTest
  @CsvSource({
    "01_two_devices.py, ''",
    "02_windows.py, ''",
    "03_notify_wait.py, ''",
    "04_barrier.py, --use-builtin",
    "05_remote_load_store.py, --mode store",
    "06_put_get.py, --mode get",
    "07_any_rank_count.py, --mode put"
  })
  void compileOnlySaysWhereTheResultLies(String file, String arguments) {
    JobReport report = run(file, ids("0 1"), (arguments + " --compile-only").strip());

    assertThat(report.runs().getFirst().log())
        .as(Examples.words(report))
        .isEqualTo("compile_only done: build_output/on_host\n");
    assertThat(report.verdict()).isEqualTo(Verdict.NOT_VERIFIED);
  }

  @ParameterizedTest
  @CsvSource({
    "05_remote_load_store.py, --mode load, REMOTE_LOAD",
    "05_remote_load_store.py, --mode store, REMOTE_STORE",
    "06_put_get.py, --mode put, PUT",
    "06_put_get.py, --mode get, GET",
    "07_any_rank_count.py, --mode put, PUT",
    "07_any_rank_count.py, --mode get, GET"
  })
  void theModeDecidesWhoMovesTheBytes(String file, String arguments, String operation) {
    JobReport.Operations counts =
        run(file, ids("0 1"), arguments).runs().getFirst().evidence().operations();

    assertThat(counts.remoteLoad()).isEqualTo(operation.equals("REMOTE_LOAD") ? 2 : 0);
    assertThat(counts.remoteStore()).isEqualTo(operation.equals("REMOTE_STORE") ? 2 : 0);
    assertThat(counts.put()).isEqualTo(operation.equals("PUT") ? 2 : 0);
    assertThat(counts.get()).isEqualTo(operation.equals("GET") ? 2 : 0);
    assertThat(counts.notifies()).isEqualTo(2);
  }

  @Test
  void theSameSubmissionGivesTheSameReportApartFromWallTimes() {
    String first = ReportJson.write(run("07_any_rank_count.py", ids("0 1 2 3"), "--mode get"));
    String second = ReportJson.write(run("07_any_rank_count.py", ids("0 1 2 3"), "--mode get"));

    assertThat(LadderTest.withoutWallTimes(first))
        .isEqualTo(LadderTest.withoutWallTimes(second))
        .contains("runVirtualNanos");
  }

  @Test
  void thePrintedProgramHasEachFunctionAsAMethod() {
    CompiledScript compiled =
        new JobRunner()
            .compile(
                new JobSpec(
                    Examples.ladder("07_any_rank_count.py"),
                    "a2a3sim",
                    List.of(ids("0 1 2")),
                    List.of("--mode", "get"),
                    JobSpec.Limits.DEFAULT,
                    0));

    assertThat(compiled.text("frontend"))
        .contains("def shift(", "def on_chip(", "def on_host(", "[NR, 1, 64]", "pld.tensor.get(");
    assertThat(compiled.text(CompiledScript.LOWERED)).contains("def on_host(");
  }

  private static JobReport run(String file, List<Integer> devices, String arguments) {
    String[] words = arguments.isEmpty() ? new String[0] : arguments.split(" ", -1);
    return Examples.run(Examples.ladder(file), devices, words);
  }

  private static List<Integer> ids(String text) {
    return Stream.of(text.split(" ", -1)).map(Integer::valueOf).toList();
  }
}
