package io.ringmaster.service.metrics;

import io.micrometer.core.instrument.Meter.MeterProvider;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.ringmaster.service.artifacts.ArtifactEvents;
import io.ringmaster.service.artifacts.ArtifactEvents.Operation;
import java.util.Locale;
import org.springframework.context.event.EventListener;
import org.springframework.stereotype.Component;

/** Measures the places of artifacts outside the database. */
@Component
class ArtifactMetrics {

  private final MeterProvider<Timer> operations;

  ArtifactMetrics(MeterRegistry registry) {
    operations =
        new Meters(registry, MetricCatalogue.load())
            .timer("ringmaster_artifact_seconds", Meters.LONG);
    for (var operation : Operation.values()) {
      timer(operation, true);
      timer(operation, false);
    }
  }

  private Timer timer(Operation operation, boolean usable) {
    return operations.withTags(
        "operation",
        operation.name().toLowerCase(Locale.ROOT),
        "result",
        usable ? "ok" : "unavailable");
  }

  @EventListener
  void used(ArtifactEvents.Used event) {
    timer(event.operation(), event.usable()).record(event.time());
  }
}
