package io.ringmaster.service.metrics;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Meter.MeterProvider;
import io.ringmaster.service.platforms.Platform;
import io.ringmaster.worker.job.JobReport;
import io.ringmaster.worker.job.JobReport.Operations;
import io.ringmaster.worker.job.Measures;
import java.util.List;

/** How much is simulated, and what that takes; the speed is the ratio of two rates. */
final class SimulatorMetrics {

  private static final double NANOS = 1e9;

  private final MeterProvider<Counter> events;
  private final MeterProvider<Counter> instructions;
  private final MeterProvider<Counter> simulated;
  private final MeterProvider<Counter> busy;

  SimulatorMetrics(Meters meters) {
    events = meters.counter("ringmaster_simulator_events_total");
    instructions = meters.counter("ringmaster_simulator_instructions_total");
    simulated = meters.counter("ringmaster_simulated_seconds_total");
    busy = meters.counter("ringmaster_simulator_busy_seconds_total");
  }

  void startAtZero(List<Platform> platforms) {
    for (var platform : platforms) {
      if (platform.simulated()) {
        for (var counter : List.of(events, instructions, simulated, busy)) {
          counter.withTags("platform", platform.name());
        }
      }
    }
  }

  void record(JobReport.Run run, String platform) {
    events.withTags("platform", platform).increment(sum(run.evidence().operations()));
    simulated.withTags("platform", platform).increment(run.timings().runVirtualNanos() / NANOS);
    busy.withTags("platform", platform).increment(run.timings().runWallNanos() / NANOS);
  }

  void record(Measures measures, String platform) {
    instructions.withTags("platform", platform).increment((double) measures.instructions());
  }

  private static double sum(Operations all) {
    return (double)
        (all.notifies()
            + all.waits()
            + all.put()
            + all.get()
            + all.remoteLoad()
            + all.remoteStore());
  }
}
