package io.ringmaster.worker.agent;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringmaster.worker.job.JobReport;
import io.ringmaster.worker.job.JobRunner;
import io.ringmaster.worker.job.JobSpec;
import io.ringmaster.worker.job.RunControl;
import io.ringmaster.worker.job.Verdict;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The probe passes on good devices and names the bad ones. */
class DeviceProbeTest {

  @ParameterizedTest
  @ValueSource(strings = {"a2a3sim", "a5sim", "sim"})
  void goodDevicesPass(String platform) {
    var probe = new DeviceProbe(new JobRunner()::run);
    for (var devices : List.of(List.of(7), List.of(4, 1, 9), List.of(0, 1, 2, 3, 4, 5, 6, 7))) {
      assertThat(probe.failure(platform, devices, RunControl.none())).isEmpty();
    }
  }

  private static DeviceProbe broken(Predicate<List<Integer>> fails) {
    return new DeviceProbe((spec, control) -> report(spec, fails));
  }

  private static JobReport report(JobSpec spec, Predicate<List<Integer>> fails) {
    return fails.test(spec.devices().getFirst())
        ? new JobReport(Verdict.WRONG_RESULT, "row 0 is cold", List.of(), List.of())
        : new JobReport(Verdict.PASSED, "all good", List.of(), List.of());
  }

  @Test
  void aBrokenDeviceIsFoundAmongOthers() {
    var failure =
        broken(devices -> devices.contains(5))
            .failure("a2a3sim", List.of(4, 5, 6), RunControl.none())
            .orElseThrow();
    assertThat(failure.devices()).containsExactly(5);
    assertThat(failure.message()).contains("WRONG_RESULT").contains("row 0 is cold");
  }

  /** Each alone is good, so it is what links them. */
  @Test
  void whereOnlyTheGroupFailsAllOfItIsNamed() {
    var failure =
        broken(devices -> devices.size() > 1)
            .failure("a2a3sim", List.of(4, 5), RunControl.none())
            .orElseThrow();
    assertThat(failure.devices()).containsExactly(4, 5);
  }

  /** A run that is cancelled doesn't pass, whatever it runs on. */
  @Test
  void aProbeThatIsToldToStopWhileItTriesEachDeviceBlamesNobody() {
    List<Integer> tried = new ArrayList<>();
    var probe =
        new DeviceProbe(
            (spec, control) -> {
              tried.add(spec.devices().getFirst().size());
              return report(spec, devices -> devices.size() > 1 || control.isCancelled());
            });
    assertThat(probe.failure("a2a3sim", List.of(4, 5), () -> tried.size() > 1)).isEmpty();
    assertThat(tried).containsExactly(2, 1, 1);
  }

  @Test
  void aProbeThatIsToldToStopBlamesNobody() {
    assertThat(broken(_ -> true).failure("a2a3sim", List.of(4, 5), () -> true)).isEmpty();
  }
}
