package io.ringmaster.worker.agent;

import io.ringmaster.worker.external.ExternalRunner;
import io.ringmaster.worker.job.JobReport;
import io.ringmaster.worker.job.JobSpec;
import io.ringmaster.worker.job.RunControl;
import io.ringmaster.worker.job.Verdict;
import io.ringmaster.worker.source.SourceFile;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.BiFunction;

/**
 * Tries devices out with a kernel that is known to be good, so that nobody looks for a fault in his
 * own when the one before him left a device wedged.
 */
final class DeviceProbe {

  private static final String SCRIPT = "probe.py";
  private static final Duration LIMIT = Duration.ofSeconds(30);
  private static final int MOST_MESSAGE = 300;

  private final BiFunction<JobSpec, RunControl, JobReport> runner;
  private final Optional<ExternalRunner> cards;

  /**
   * Makes a probe.
   *
   * @param runner what executes kernels on this machine
   */
  DeviceProbe(BiFunction<JobSpec, RunControl, JobReport> runner) {
    this(runner, Optional.empty());
  }

  /**
   * Makes a probe for a host with cards.
   *
   * @param cards may have a command of its own that tries them out
   */
  DeviceProbe(BiFunction<JobSpec, RunControl, JobReport> runner, Optional<ExternalRunner> cards) {
    this.runner = runner;
    this.cards = cards;
  }

  /**
   * Devices that failed.
   *
   * @param devices at least one
   * @param message what happened on them instead
   */
  record Failure(List<Integer> devices, String message) {}

  /**
   * Runs the kernel on all devices together, and where that fails on each of them alone to find out
   * which they are; all of them are when each alone is good.
   *
   * @return empty when the devices are good, or the probe was told to stop
   */
  Optional<Failure> failure(String platform, List<Integer> devices, RunControl control) {
    var together = fault(platform, devices, control);
    if (together.isEmpty() || control.isCancelled()) {
      return Optional.empty();
    }
    var alone =
        devices.stream()
            .filter(device -> fault(platform, List.of(device), control).isPresent())
            .toList();
    if (control.isCancelled()) {
      // A probe that was told to stop didn't pass either.
      return Optional.empty();
    }
    return Optional.of(new Failure(alone.isEmpty() ? devices : alone, together.get()));
  }

  private Optional<String> fault(String platform, List<Integer> devices, RunControl control) {
    var settings =
        cards.map(ExternalRunner::settings).filter(some -> some.platforms().contains(platform));
    if (settings.isPresent() && !settings.get().probe().isEmpty()) {
      return cards
          .orElseThrow()
          .probe(platform, devices, control::isCancelled)
          .map(DeviceProbe::shortened);
    }
    return kernelFault(
        platform, devices, settings.map(some -> some.limits().probe()).orElse(LIMIT), control);
  }

  private Optional<String> kernelFault(
      String platform, List<Integer> devices, Duration limit, RunControl control) {
    var standard = JobSpec.Limits.DEFAULT;
    var spec =
        new JobSpec(
            SourceFile.of(SCRIPT, script()),
            platform,
            List.of(devices),
            List.of(),
            new JobSpec.Limits(
                limit, standard.scriptSteps(), standard.kernelSteps(), standard.memoryBytes()),
            0);
    try {
      var report = runner.apply(spec, control);
      return report.verdict() == Verdict.PASSED
          ? Optional.empty()
          : Optional.of(shortened(report.verdict() + ": " + report.sentence()));
    } catch (RuntimeException | StackOverflowError | OutOfMemoryError e) {
      return Optional.of(shortened(e.toString()));
    }
  }

  static String shortened(String text) {
    return text.length() <= MOST_MESSAGE ? text : text.substring(0, MOST_MESSAGE) + " ...";
  }

  private static String script() {
    try (var in =
        Objects.requireNonNull(
            DeviceProbe.class.getResourceAsStream(SCRIPT), "the probe is in this build")) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException("The probe can't be read.", e);
    }
  }
}
