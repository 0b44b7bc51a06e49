package io.ringmaster.worker.job;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The check of accelerators, on the device that this host has. */
class DeviceCheckTest {

  @Test
  void aGoodDeviceIsGoodAndMeasured() {
    List<String> said = new ArrayList<>();
    var report = new DeviceCheck(true, Duration.ofMinutes(4), said::add).run();
    assertThat(report.conformance()).allSatisfy(one -> assertThat(one.says()).isEmpty());
    assertThat(report.outcome()).isEqualTo(DeviceCheck.Outcome.GOOD);
    assertThat(report.conformance()).hasSize(6).allMatch(one -> one.nanos() > 0);
    assertThat(report.copies()).hasSize(3).allMatch(copy -> copy.bytesPerSecond() > 0);
    assertThat(report.collectives()).hasSize(7).allMatch(DeviceCheck.Collective::right);
    assertThat(said).hasSize(7);
  }

  /** What wasn't tried isn't good, but on a busy machine it isn't the device's fault. */
  @Test
  void withoutTimeNothingIsSaidAboutTheDevice() {
    var report = new DeviceCheck(false, Duration.ofNanos(1), _ -> {}).run();
    assertThat(report.outcome()).isEqualTo(DeviceCheck.Outcome.NOT_RUN);
    assertThat(report.conformance())
        .hasSize(16 + 7 * 5 + 2)
        .allMatch(one -> one.outcome() == DeviceCheck.Outcome.NOT_RUN)
        .allMatch(one -> one.says().equals("the time of 0 s was over"));
    assertThat(report.collectives()).isEmpty();
  }

  /** The set names the steps of the ladder; a new one has to be added. */
  @Test
  void everyStepOfTheLadderIsTried() {
    var names = Examples.in("ladder").stream().map(file -> "ladder/" + file.getFileName()).toList();
    var report = new DeviceCheck(false, Duration.ofNanos(1), _ -> {}).run();
    assertThat(report.conformance().stream().map(DeviceCheck.Case::name).toList())
        .containsAll(names);
  }
}
