package io.ringmaster.service.metrics;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Meter.MeterProvider;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.ringmaster.service.jobs.JobEvents;
import io.ringmaster.service.placement.PlacementEvents;
import io.ringmaster.service.placement.WaitReason;
import java.util.List;
import java.util.Locale;
import org.springframework.context.event.EventListener;
import org.springframework.stereotype.Component;

/** Counts what passes of the planner decide, and how long they take. */
@Component
class PlacementMetrics {

  private static final String GRANTED = "granted";
  private static final String WAITING = "waiting";
  private static final String UNSATISFIABLE = "unsatisfiable";
  private static final List<String> QUOTAS = List.of("queued-jobs", "devices", "shared-devices");

  private final MeterProvider<Counter> allocations;
  private final Timer pass;
  private final MeterProvider<Counter> quotaRefusals;

  PlacementMetrics(MeterRegistry registry) {
    var meters = new Meters(registry, MetricCatalogue.load());
    allocations = meters.counter("ringmaster_gang_allocation_total");
    pass = meters.timer("ringmaster_scheduler_pass_seconds", Meters.SHORT).withTags();
    quotaRefusals = meters.counter("ringmaster_quota_refusals_total");
    QUOTAS.forEach(this::quotaRefusal);
    allocation(GRANTED, Labels.NONE);
    allocation(UNSATISFIABLE, Labels.NONE);
    for (var reason : WaitReason.values()) {
      allocation(WAITING, label(reason));
    }
  }

  private Counter allocation(String result, String reason) {
    return allocations.withTags("result", result, "reason", reason);
  }

  private Counter quotaRefusal(String quota) {
    return quotaRefusals.withTags("quota", quota.replace('-', '_'));
  }

  private static String label(WaitReason reason) {
    return reason.name().toLowerCase(Locale.ROOT);
  }

  @EventListener
  void passEnded(PlacementEvents.PassEnded event) {
    pass.record(event.time());
    allocation(GRANTED, Labels.NONE).increment(event.granted());
    event.waiting().forEach(reason -> allocation(WAITING, label(reason)).increment());
  }

  @EventListener
  void quotaExceeded(JobEvents.QuotaExceeded event) {
    quotaRefusal(event.quota()).increment();
  }

  @EventListener
  void refused(PlacementEvents.Refused event) {
    allocation(UNSATISFIABLE, Labels.NONE).increment();
  }
}
