package io.ringmaster.service.metrics;

import io.micrometer.core.instrument.MeterRegistry;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.springframework.stereotype.Component;

/** What the workers of this process are doing, as they say it themselves. */
@Component
public class WorkerGauges {

  private volatile Supplier<Map<String, Long>> states = Map::of;

  public WorkerGauges(MeterRegistry registry) {
    var meters = new Meters(registry, MetricCatalogue.load());
    for (var state : List.of("idle", "busy", "abandoned")) {
      meters.gauge(
          "ringmaster_workers", () -> states.get().getOrDefault(state, 0L), "state", state);
    }
  }

  /** From now on these counts are shown, by state. */
  public void show(Supplier<Map<String, Long>> counts) {
    states = counts;
  }
}
