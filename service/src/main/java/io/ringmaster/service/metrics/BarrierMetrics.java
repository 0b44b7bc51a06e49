package io.ringmaster.service.metrics;

import io.micrometer.core.instrument.Meter.MeterProvider;
import io.micrometer.core.instrument.Timer;
import io.ringmaster.service.platforms.Platform;
import io.ringmaster.worker.job.JobReport.Barrier;
import java.time.Duration;
import java.util.List;

/** Barrier latencies: the wait of each rank, and apart from it what arrival and release cost. */
final class BarrierMetrics {

  private final MeterProvider<Timer> wall;
  private final MeterProvider<Timer> virtual;
  private final MeterProvider<Timer> skew;
  private final MeterProvider<Timer> release;

  BarrierMetrics(Meters meters) {
    wall = meters.timer("ringmaster_barrier_wall_seconds", Meters.SHORT);
    virtual = meters.timer("ringmaster_barrier_virtual_seconds", Meters.SHORT);
    skew = meters.timer("ringmaster_barrier_skew_virtual_seconds", Meters.SHORT);
    release = meters.timer("ringmaster_barrier_release_virtual_seconds", Meters.SHORT);
  }

  void startAtZero(List<Platform> platforms) {
    for (var world : Labels.WORLDS) {
      for (var platform : platforms) {
        wall.withTags("backend", platform.backend(), "world", world);
        for (var timer : List.of(virtual, skew, release)) {
          timer.withTags("platform", platform.name(), "world", world);
        }
      }
    }
  }

  void record(List<Barrier> rounds, String platform, String backend) {
    for (var round : rounds) {
      var world = Labels.world(round.ranks());
      record(wall.withTags("backend", backend, "world", world), round.waitWallNanos());
      if (!backend.equals(Labels.SIMULATOR)) {
        continue;
      }
      record(virtual.withTags("platform", platform, "world", world), round.waitVirtualNanos());
      skew.withTags("platform", platform, "world", world)
          .record(Duration.ofNanos(round.skewVirtualNanos()));
      release
          .withTags("platform", platform, "world", world)
          .record(Duration.ofNanos(round.releaseVirtualNanos()));
    }
  }

  private static void record(Timer timer, List<Long> nanos) {
    nanos.forEach(wait -> timer.record(Duration.ofNanos(wait)));
  }
}
