package io.ringmaster.service.metrics;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.Tags;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A gauge whose series come and go. A series that stays is never taken out to be put in again with
 * its new value: a scrape in between would miss it, or fail, because a name without any series is
 * taken out as well.
 */
final class ChangingGauge {

  private final MultiGauge gauge;
  private final Map<Tags, Double> values = new ConcurrentHashMap<>();

  ChangingGauge(String name, MetricCatalogue catalogue, MeterRegistry registry) {
    gauge =
        MultiGauge.builder(Meters.meterName(name))
            .description(catalogue.get(name).meaning())
            .baseUnit(name.endsWith("_seconds") ? "seconds" : null)
            .register(registry);
  }

  /** Shows these series from now on, and no others. */
  void show(Map<Tags, Double> now) {
    values.putAll(now);
    gauge.register(
        now.keySet().stream()
            .<MultiGauge.Row<?>>map(
                tags -> MultiGauge.Row.of(tags, () -> values.getOrDefault(tags, Double.NaN)))
            .toList());
    values.keySet().retainAll(now.keySet());
  }
}
