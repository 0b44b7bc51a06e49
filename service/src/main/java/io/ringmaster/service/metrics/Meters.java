package io.ringmaster.service.metrics;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter.MeterProvider;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.IntStream;

/** Makes meters for the entries of the catalogue, so that their help texts have one source. */
final class Meters {

  /** Barriers and operations: 1-2-5 from 100 ns to 10 s. */
  static final Duration[] SHORT = oneTwoFive(100, 10_000_000_000L);

  /** Queueing and running: 10 ms to 4 h. */
  static final Duration[] LONG =
      List.of(
              10L,
              20L,
              50L,
              100L,
              200L,
              500L,
              1_000L,
              2_000L,
              5_000L,
              10_000L,
              30_000L,
              60_000L,
              120_000L,
              300_000L,
              600_000L,
              1_800_000L,
              3_600_000L,
              14_400_000L)
          .stream()
          .map(Duration::ofMillis)
          .toArray(Duration[]::new);

  private final MeterRegistry registry;
  private final MetricCatalogue catalogue;

  Meters(MeterRegistry registry, MetricCatalogue catalogue) {
    this.registry = registry;
    this.catalogue = catalogue;
  }

  MeterProvider<Counter> counter(String name) {
    var metric = catalogue.get(name);
    return Counter.builder(meterName(name)).description(metric.meaning()).withRegistry(registry);
  }

  MeterProvider<Timer> timer(String name, Duration... bounds) {
    var metric = catalogue.get(name);
    return Timer.builder(meterName(name))
        .description(metric.meaning())
        .serviceLevelObjectives(bounds)
        .minimumExpectedValue(bounds[0])
        .maximumExpectedValue(bounds[bounds.length - 1])
        .withRegistry(registry);
  }

  /** A distribution of numbers that are no times, with the powers of two as bounds. */
  MeterProvider<DistributionSummary> powersOfTwo(String name, int most) {
    var metric = catalogue.get(name);
    return DistributionSummary.builder(meterName(name))
        .description(metric.meaning())
        .serviceLevelObjectives(
            IntStream.rangeClosed(0, most).mapToDouble(power -> Math.scalb(1.0, power)).toArray())
        .minimumExpectedValue(1.0)
        .maximumExpectedValue(Math.scalb(1.0, most))
        .withRegistry(registry);
  }

  /**
   * Registers a gauge that asks at every scrape.
   *
   * @param labels name, value, name, value...
   */
  void gauge(String name, Supplier<Number> value, String... labels) {
    var metric = catalogue.get(name);
    Gauge.builder(meterName(name), value)
        .description(metric.meaning())
        .baseUnit(name.endsWith("_seconds") ? "seconds" : null)
        .tags(labels)
        .strongReference(true)
        .register(registry);
  }

  /** Micrometer's name for it: the registry puts the ending back. */
  static String meterName(String name) {
    return name.replaceFirst("_(total|seconds)$", "").replace('_', '.');
  }

  private static Duration[] oneTwoFive(long fromNanos, long toNanos) {
    var bounds = new ArrayList<Duration>();
    for (long decade = fromNanos; decade <= toNanos; decade *= 10) {
      for (long step : new long[] {1, 2, 5}) {
        if (decade * step <= toNanos) {
          bounds.add(Duration.ofNanos(decade * step));
        }
      }
    }
    return bounds.toArray(Duration[]::new);
  }
}
