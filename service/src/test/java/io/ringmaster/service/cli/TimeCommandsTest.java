package io.ringmaster.service.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The commands about time: estimate, bench, calibrate, and a machine that misbehaves. */
class TimeCommandsTest {

  private static final String RING = "../examples/ladder/10_allreduce_ring.py";

  @TempDir private Path folder;

  @Test
  void estimateNamesTheCheapestAndShowsWhereRingOvertakesMesh() {
    CommandCall.Outcome outcome =
        CommandCall.of(
            "estimate", "allreduce", "-p", "a2a3sim", "--ranks", "8", "--bytes", "64KiB");

    assertThat(outcome.exitCode()).isZero();
    assertThat(outcome.out())
        .startsWith("allreduce on a2a3sim, 8 ranks, 64 KiB a rank: two-phase is the cheapest")
        .containsPattern("mesh +[0-9.]+ us +[0-9.]+x +448 KiB +336 ")
        .containsPattern("ring +[0-9.]+ us +[0-9.]+x +112 KiB +2352 ")
        .contains("ring beats mesh from 128 KiB on")
        .contains("docs/cost-model.md");
  }

  @Test
  void estimateAsJsonHasTheSourcesOfItsNumbers() {
    CommandCall.Outcome outcome =
        CommandCall.of("estimate", "broadcast", "--ranks", "32", "--no-plot", "--json");

    JsonNode report = JsonMapper.shared().readTree(outcome.out());
    assertThat(report.get("costModel").asString()).isEqualTo("a2a3-2");
    assertThat(report.get("provenance").get("port").asString()).contains("assumption");
    JsonNode host = report.get("algorithms").get(1);
    assertThat(host.get("algorithm").asString()).isEqualTo("host-pull");
    assertThat(host.get("why").asString()).contains("at most 16 ranks");
  }

  @Test
  void aModelOfOnesOwnIsFittedAndUsed() throws IOException {
    Path rows = folder.resolve("rows.csv");
    Files.writeString(rows, "sync,4096,7300\nsync,1048576,1870000\n");
    CommandCall.Outcome fitted = CommandCall.of("calibrate", rows.toString(), "--name", "lab-3");
    Path model = folder.resolve("lab.properties");
    Files.writeString(model, fitted.out());

    CommandCall.Outcome outcome =
        CommandCall.of(
            "estimate",
            "allreduce",
            "--no-plot",
            "--bytes",
            "4KiB",
            "--cost-model",
            model.toString());

    assertThat(fitted.exitCode()).isZero();
    assertThat(fitted.err()).contains("sync 4096 bytes: measured 7.3 us");
    assertThat(outcome.exitCode()).isZero();
    assertThat(outcome.out()).contains("cost model lab-3");
  }

  @Test
  void anAcceleratorIsMeasuredAndTheModelUsed() throws IOException {
    Path rows = folder.resolve("measured.csv");
    CommandCall.Outcome measured =
        CommandCall.of(
            "calibrate", "-p", "opencl", "--quick", "--name", "here-1", "--rows", rows.toString());
    // A machine that does much else gives rows that can't be fitted, and the command says so.
    assertThat(measured.exitCode()).as(measured.err()).isIn(0, ExitCodes.INFRASTRUCTURE);
    assertThat(Files.readAllLines(rows))
        .hasSize(14)
        .anyMatch(line -> line.startsWith("load,4096,"))
        .anyMatch(line -> line.startsWith("barrier,8,"));
    if (measured.exitCode() != 0) {
      assertThat(measured.err()).contains("what was measured can't be fitted: ");
      return;
    }
    assertThat(measured.out())
        .contains("all.source = measured on ", "\n# load 4096 bytes: measured ", "\n# worst row ");
    Path model = Files.writeString(folder.resolve("here.properties"), measured.out());
    CommandCall.Outcome outcome =
        CommandCall.of("estimate", "allreduce", "--no-plot", "--cost-model", model.toString());
    assertThat(outcome.out()).contains("cost model here-1");
    assertThat(CommandCall.of("calibrate", rows.toString(), "-p", "opencl").out())
        .contains("all.source = measured on the device of ");
  }

  @Test
  void deviceCheckComparesAndMeasures() {
    CommandCall.Outcome outcome = CommandCall.of("device-check", "--quick");

    assertThat(outcome.exitCode()).as(outcome.out()).isZero();
    assertThat(outcome.out())
        .contains("conformance: 6 of 6 kernels give what the simulator gives, bit for bit")
        .containsPattern("device to itself +1 MiB ")
        .containsPattern("barrier credit +2 +- ")
        .containsPattern("allreduce ring +4 +64 KiB .* right")
        .containsPattern("good, in [0-9.]+ s");
  }

  @Test
  void severalPlatformsAreComparedSideBySide() {
    CommandCall.Outcome outcome = CommandCall.of("run", RING, "-p", "a2a3sim", "-p", "opencl");

    assertThat(outcome.exitCode()).as(outcome.out()).isZero();
    assertThat(outcome.out())
        .contains("side by side")
        .containsPattern("a2a3sim +0,1 +PASSED +[0-9.]+ us +[0-9.]+ ms")
        .containsPattern("opencl +0,1 +PASSED +- +[0-9.]+ ms")
        .contains("a2a3sim, virtual", "opencl, measured")
        .containsPattern("opencl +a2a3sim +0,1 +SAME +1 +1 +0 +-")
        .contains("all 2 runs passed");
  }

  @Test
  void benchPrintsAMedianAndChecksTheResult() {
    CommandCall.Outcome outcome =
        CommandCall.of(
            "bench",
            "allreduce",
            "--algorithm",
            "mesh",
            "--ranks",
            "4",
            "--bytes",
            "1KiB",
            "--runs",
            "3",
            "--watch",
            "CHECKS",
            "--json");

    assertThat(outcome.exitCode()).isZero();
    JsonNode report = JsonMapper.shared().readTree(outcome.out());
    assertThat(report.get("result").get("right").asBoolean()).isTrue();
    assertThat(report.get("result").get("wireBytes").asLong()).isEqualTo(4 * 3 * 1024);
    assertThat(report.get("result").get("medianNanos").asLong()).isPositive();
  }

  @Test
  void aStragglerIsTheLastArriverOfEveryBarrier() {
    CommandCall.Outcome outcome =
        CommandCall.of("run", RING, "-d", "0,1,2,3", "--straggler", "2:5us");

    assertThat(outcome.exitCode()).isZero();
    assertThat(outcome.out()).containsPattern("signal_buffer +1 +\\d+ +4 +2 +5.00 us");
  }

  @Test
  void aDroppedNotifyIsADeadlockThatSaysSo() {
    CommandCall.Outcome outcome =
        CommandCall.of("run", RING, "-d", "0,1,2,3", "--drop-notify", "0-1#2");

    assertThat(outcome.exitCode()).isEqualTo(1);
    assertThat(outcome.out()).startsWith("DEADLOCK").contains("was dropped, as this run asked for");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      value = {
        "estimate gossip|'gossip' isn't one of barrier, broadcast",
        "estimate allreduce --bytes 64KB|--bytes 64KB: write 1..4GiB, such as 1024, 64KiB or 4MiB",
        "estimate allreduce --ranks 1|--ranks: 1 isn't in 2..200000",
        "estimate allreduce -p a9|-p a9: choose one of a2a3sim, a5sim, sim",
        "estimate allreduce --slow-link 0:4x|--slow-link '0:4x': it doesn't have the form",
        "run RING -d 0,1,2,3 --straggler 7:5us|--straggler 7:5us: there is no rank 7: with 4 devices the ranks are 0..3",
        "run RING -d 0,1,2,3 -d 4,5 --drop-notify 1-2#3|--drop-notify 1-2#3: there is no rank 2: with 2 devices",
        "run RING -d auto:1 --slow-link 0-1:4x|--slow-link 0-1:4x: there is no rank 1: with 1 device the only rank is 0",
        "submit RING -d auto:2 --delay-notify 9-1:5us|--delay-notify 9-1:5us: there is no rank 9: with 2 devices",
        "estimate allreduce --ranks 4 --straggler 4:5us|--straggler 4:5us: there is no rank 4: with 4 devices",
        "bench allreduce --algorithm tree|--algorithm tree: allreduce has mesh, ring, two-phase",
        "device-check -p a2a3|-p a2a3: only opencl is checked so",
        "run x.py -p sim -p sim|a platform is named twice",
        "compile ../examples/ladder/02_windows.py -p sim -p a5sim|only run and submit take several platforms",
        "bench allreduce --algorithm mesh --runs 0|--runs lies in 1..100000",
        "calibrate nowhere.csv|can't read nowhere.csv",
        "calibrate|give FILE with what was measured, or -p opencl to measure this host's accelerator",
        "calibrate nowhere.csv --quick|--quick and --rows are for -p opencl without FILE"
      })
  void aMistakeIsNamedWithTheWayOut(String command, String message) {
    CommandCall.Outcome outcome = CommandCall.of(command.replace("RING", RING).split(" ", -1));

    assertThat(outcome.exitCode()).isEqualTo(2);
    assertThat(outcome.err()).contains(message);
  }
}
