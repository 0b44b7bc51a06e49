package io.ringmaster.service.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringmaster.worker.job.JobReport;
import io.ringmaster.worker.job.ReportJson;
import io.ringmaster.worker.job.Verdict;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The command line as a user types it: what it prints and what it tells the shell. */
class CommandsTest {

  private static final String LADDER = "../examples/ladder/";
  private static final String RIGHT = "../examples/right/";
  private static final String WRONG = "../examples/wrong/";

  @TempDir private Path folder;

  @Test
  void runPrintsTheScriptsOutputAndThenTheReport() {
    CommandCall.Outcome outcome =
        CommandCall.of(
            "run", LADDER + "16_putting_it_together.py", "-p", "a2a3sim", "-d", "0,1,2,3");

    assertThat(outcome.exitCode()).isZero();
    assertThat(outcome.out())
        .startsWith("OK\n")
        .contains("PASSED")
        .containsPattern("broadcast +pull +incore")
        .containsPattern("allreduce +mesh +incore")
        .containsPattern("allgather +push +incore")
        .contains("skew")
        .contains("compile ")
        .doesNotContain("\u001B");
  }

  @Test
  void theScriptSeesItsOwnArguments() {
    CommandCall.Outcome outcome =
        CommandCall.of("run", LADDER + "13_allgather.py", "-d", "4,9,2", "--", "--mode", "builtin");

    assertThat(outcome.exitCode()).isZero();
    assertThat(outcome.out()).contains("devices 4,9,2").containsPattern("allgather +push");
  }

  @Test
  void jsonIsTheWholeReportAndNothingElse() {
    CommandCall.Outcome outcome =
        CommandCall.of("run", LADDER + "13_allgather.py", "-d", "0,1", "--json");

    JobReport report = ReportJson.read(outcome.out());
    assertThat(report.verdict()).isEqualTo(Verdict.PASSED);
    assertThat(report.runs().getFirst().log()).isEqualTo("OK\n");
  }

  @Test
  void junitFileHasACasePerCheckAndTheVerdict() throws Exception {
    Path file = folder.resolve("junit.xml");
    CommandCall.Outcome outcome =
        CommandCall.of(
            "run", WRONG + "gather_own_window.py", "-d", "0,1", "--junit", file.toString());

    assertThat(outcome.exitCode()).isEqualTo(1);
    var suite =
        DocumentBuilderFactory.newInstance()
            .newDocumentBuilder()
            .parse(file.toFile())
            .getElementsByTagName("testsuite")
            .item(0)
            .getAttributes();
    assertThat(suite.getNamedItem("tests").getNodeValue()).isEqualTo("2");
    assertThat(suite.getNamedItem("failures").getNodeValue()).isEqualTo("2");
  }

  /** As the original scripts exit; the report claims nothing all the same. */
  @Test
  void whoAsksForCompilationAloneSeesThatItSucceeded() throws IOException {
    var script = LADDER + "01_two_devices.py";
    CommandCall.Outcome compiled =
        CommandCall.of("run", script, "-d", "0,1", "--", "--compile-only");
    assertThat(compiled.exitCode()).isEqualTo(ExitCodes.PASSED);
    assertThat(compiled.out())
        .contains(
            "compile_only done",
            "NOT_VERIFIED  it compiled, and --compile-only asks for no more: no kernel ran");

    var nothing = Files.writeString(folder.resolve("nothing.py"), "import sys\nprint(sys.argv)\n");
    assertThat(
            CommandCall.of("run", nothing.toString(), "-d", "0,1", "--", "--compile-only")
                .exitCode())
        .isEqualTo(ExitCodes.NOT_PASSED);
  }

  @ParameterizedTest
  @CsvSource({
    "gather_into_next_slot.py, 1",
    "wait_nobody_notifies.py, 1",
    "allgather_from_tile.py, 2"
  })
  void theExitCodeFollowsTheVerdict(String file, int expected) {
    assertThat(CommandCall.of("run", WRONG + file, "-d", "0,1").exitCode()).isEqualTo(expected);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      value = {
        "run nowhere.py -d 0,1 | no such file: nowhere.py",
        "run FILE -d 0,x | 'x' isn't a device id",
        "run FILE -d 0,0 | device ids must be distinct",
        "run FILE -d -1,2 | '-1' isn't a device id",
        "run FILE --timeout 0 | isn't in 1..86400 seconds",
        "run FILE --junit /nowhere/x.xml | --junit: can't write /nowhere/x.xml",
        "run FILE --frobnicate | Usage: ringmaster run",
        "run FILE --jsno | Did you mean --json?",
        "run FILE --time=3 | Unknown option: '--time=3'",
        "rnu FILE | Did you mean run?",
        "foo FILE | Usage: ringmaster ",
        "compile FILE --stage nowhere | no stage 'nowhere'; there are frontend",
        "run | Missing required parameter"
      })
  void badUsageSaysWhatIsWrongAndExitsWithTwo(String line, String message) {
    CommandCall.Outcome outcome =
        CommandCall.of(line.strip().replace("FILE", LADDER + "13_allgather.py").split(" "));

    assertThat(outcome.exitCode()).isEqualTo(2);
    assertThat(outcome.err()).contains(message);
  }

  @Test
  void aFileThatIsNotUtf8IsNamedWithItsByteOffset() throws IOException {
    Path file = folder.resolve("latin1.py");
    Files.write(file, new byte[] {'x', '=', '"', (byte) 0xE9, '"'});

    CommandCall.Outcome outcome = CommandCall.of("run", file.toString(), "-d", "0,1");

    assertThat(outcome.exitCode()).isEqualTo(2);
    assertThat(outcome.err()).contains("byte").contains("3");
  }

  @Test
  void aRefusalWithoutAPlaceNamesTheFileAlone() {
    CommandCall.Outcome outcome =
        CommandCall.of("run", LADDER + "13_allgather.py", "-p", "zz", "-d", "0,1");

    assertThat(outcome.exitCode()).isEqualTo(2);
    assertThat(outcome.out())
        .startsWith(LADDER + "13_allgather.py: error: platform 'zz' isn't available here")
        .doesNotContain("P=2 only");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "4 | devices 0,1,2,3                               | holds?",
        "2 | devices 0,1,2,3 (at most 2 of them at a time) | holds? \\(verified at P=2 only\\)",
        "1 | devices 0,1,2,3 (at most 1 of them at a time) | holds? \\(verified at P=1 only:"
            + " nothing was exchanged\\)"
      })
  void aPassSaysOnHowManyRanks(int used, String said, String sentence) throws IOException {
    String text = Files.readString(Path.of(RIGHT + "barrier_shared_cell_lost.py"));
    Path file = folder.resolve("some.py");
    String some = "device_ids = device_ids[:%d]\n    nr = len(device_ids)".formatted(used);
    Files.writeString(file, text.replace("nr = len(device_ids)", some));

    CommandCall.Outcome outcome = CommandCall.of("run", file.toString(), "-d", "0,1,2,3");

    assertThat(outcome.exitCode()).isZero();
    assertThat(outcome.out().lines()).anyMatch(line -> line.endsWith(said));
    assertThat(outcome.out().lines().toList())
        .anySatisfy(line -> assertThat(line).matches("PASSED .*" + sentence));
  }

  @Test
  void aRunIsRepeatedFromItsBundle() throws IOException {
    Path bundle = folder.resolve("run.json");

    CommandCall.Outcome run =
        CommandCall.of(
            "run",
            WRONG + "wait_for_nothing.py",
            "-d",
            "0,1,2,3",
            "--schedules",
            "2",
            "--bundle",
            bundle.toString());
    CommandCall.Outcome replay = CommandCall.of("replay", bundle.toString());

    assertThat(run.exitCode()).isEqualTo(1);
    assertThat(run.out()).contains("SCHEDULE_SEARCH");
    assertThat(replay.exitCode()).isEqualTo(1);
    assertThat(replay.err()).contains("replayed: the same report as in");

    Files.writeString(bundle, Files.readString(bundle).replace("RACE", "PASSED"));
    CommandCall.Outcome other = CommandCall.of("replay", bundle.toString());
    assertThat(other.exitCode()).isEqualTo(3);
    assertThat(other.err()).contains("/verdict: \"PASSED\" in the bundle, \"RACE\" now");
  }

  @Test
  void aBundleThatIsNoneIsAUsageError() throws IOException {
    Path file = Files.writeString(folder.resolve("x.json"), "[]");

    assertThat(CommandCall.of("replay", file.toString()).exitCode()).isEqualTo(2);
    assertThat(CommandCall.of("run", WRONG + "early_return.py", "--schedules", "1001").exitCode())
        .isEqualTo(2);
  }

  @Test
  void compilePrintsTheLoweredFormOfAMode() {
    CommandCall.Outcome hand =
        CommandCall.of("compile", LADDER + "13_allgather.py", "--mode", "hand");
    CommandCall.Outcome builtin =
        CommandCall.of("compile", LADDER + "13_allgather.py", "--mode", "builtin");

    assertThat(hand.exitCode()).isZero();
    assertThat(builtin.exitCode()).isZero();
    assertThat(hand.out()).contains("pld.tile.remote_load").doesNotContain("put(");
    assertThat(builtin.out()).contains("pld.tile.put(").doesNotContain("remote_load");
  }

  @Test
  void irDiffShowsBothModesSideBySide() {
    CommandCall.Outcome outcome =
        CommandCall.of(
            "ir-diff", LADDER + "13_allgather.py", "--left", "hand", "--right", "builtin");

    assertThat(outcome.exitCode()).isZero();
    assertThat(outcome.out()).containsPattern("(?m)^.*[|<>].*$").contains("on_chip");
  }
}
