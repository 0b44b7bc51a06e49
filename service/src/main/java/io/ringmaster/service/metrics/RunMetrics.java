package io.ringmaster.service.metrics;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.Meter.MeterProvider;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.ringmaster.service.config.RingmasterProperties;
import io.ringmaster.service.jobs.JobEvents;
import io.ringmaster.service.placement.Claim;
import io.ringmaster.service.platforms.Platform;
import io.ringmaster.service.platforms.PlatformCatalog;
import io.ringmaster.worker.fabric.Finding;
import io.ringmaster.worker.job.JobReport;
import io.ringmaster.worker.job.JobRunner;
import io.ringmaster.worker.job.Measures;
import io.ringmaster.worker.job.Verdict;
import io.ringmaster.worker.tensor.DType;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.springframework.context.event.EventListener;
import org.springframework.stereotype.Component;

/**
 * Counts what happens to jobs and what their reports say. Every series that can be known in advance
 * is there from the start with 0, since a rate needs a value before the first event.
 */
@Component
public class RunMetrics {

  /** Until logins exist, everything belongs to the one user of the machine. */
  private static final String TENANT = "local";

  private static final List<String> PRIORITIES = List.of("low", "normal", "high");
  private static final String VALUES = "values";

  /** The stage for what the compiler does between its passes: the rules of platform and IR. */
  private static final String CHECKS = "checks";

  /** The types whose values lie in steps that are worth counting. */
  private static final Set<DType> ULPS = EnumSet.of(DType.FP64, DType.FP32, DType.FP16, DType.BF16);

  /** The largest bound is two to this power. */
  private static final int MOST_ULPS = 20;

  /** Why a run was taken from its worker; the names are labels. */
  public enum Loss {
    PROCESS_GONE,
    NOT_STOPPING,
    SILENT,
    WORKER_FAILED,
    PROBE_FAILED
  }

  private final PlatformCatalog platforms;
  private final String embeddedPool;
  private final MeterProvider<Counter> submitted;
  private final MeterProvider<Counter> finished;
  private final MeterProvider<Timer> queue;
  private final MeterProvider<Timer> run;
  private final MeterProvider<Timer> compile;
  private final MeterProvider<Counter> operations;
  private final MeterProvider<Counter> signalBytes;
  private final MeterProvider<Counter> goldenChecks;
  private final MeterProvider<Counter> findings;
  private final MeterProvider<Counter> deviceBusy;
  private final MeterProvider<Counter> leaseLost;
  private final MeterProvider<DistributionSummary> goldenError;
  private final BarrierMetrics barriers;
  private final CollectiveMetrics collectives;
  private final SimulatorMetrics simulator;

  public RunMetrics(
      MeterRegistry registry, PlatformCatalog platforms, RingmasterProperties properties) {
    this.platforms = platforms;
    this.embeddedPool = properties.workers().pool();
    var meters = new Meters(registry, MetricCatalogue.load());
    submitted = meters.counter("ringmaster_jobs_submitted_total");
    finished = meters.counter("ringmaster_jobs_finished_total");
    queue = meters.timer("ringmaster_queue_seconds", Meters.LONG);
    run = meters.timer("ringmaster_run_seconds", Meters.LONG);
    compile = meters.timer("ringmaster_compile_seconds", Meters.SHORT);
    operations = meters.counter("ringmaster_operations_total");
    signalBytes = meters.counter("ringmaster_signal_bytes_total");
    goldenChecks = meters.counter("ringmaster_golden_checks_total");
    findings = meters.counter("ringmaster_findings_total");
    barriers = new BarrierMetrics(meters);
    goldenError = meters.powersOfTwo("ringmaster_golden_error_ulps", MOST_ULPS);
    deviceBusy = meters.counter("ringmaster_device_busy_seconds_total");
    leaseLost = meters.counter("ringmaster_lease_lost_total");
    collectives = new CollectiveMetrics(meters, operations);
    simulator = new SimulatorMetrics(meters);
    startAtZero();
  }

  private void startAtZero() {
    var available = platforms.all().stream().filter(Platform::available).toList();
    for (var platform : available) {
      submitted.withTags("tenant", TENANT, "platform", platform.name());
      for (var priority : PRIORITIES) {
        queue.withTags("platform", platform.name(), "priority", priority);
      }
      for (var verdict : Verdict.values()) {
        finished(platform.name(), verdict);
      }
    }
    deviceBusy.withTags("pool", embeddedPool);
    for (var backend : available.stream().map(Platform::backend).distinct().toList()) {
      for (var verdict : Verdict.values()) {
        run.withTags("backend", backend, "verdict", label(verdict));
      }
      for (var primitive : Labels.PRIMITIVES) {
        primitive(primitive, backend);
      }
      signalBytes.withTags("backend", backend);
    }
    compile.withTags("stage", CHECKS);
    JobRunner.passes().forEach(pass -> compile.withTags("stage", Labels.pass(pass)));
    ULPS.forEach(type -> goldenError.withTags("dtype", label(type)));
    for (var cause : Loss.values()) {
      lost(cause);
    }
    for (var result : List.of("match", "mismatch", "missing", "skipped")) {
      goldenChecks.withTags("kind", VALUES, "result", result);
    }
    for (var kind : Finding.Kind.values()) {
      findings.withTags("kind", kind.name().toLowerCase(Locale.ROOT));
    }
    barriers.startAtZero(available);
    collectives.startAtZero(available);
    simulator.startAtZero(available);
  }

  @EventListener
  void submitted(JobEvents.Submitted event) {
    submitted.withTags("tenant", TENANT, "platform", event.platform()).increment();
  }

  @EventListener
  void endedInQueue(JobEvents.EndedInQueue event) {
    finished(event.run().platform(), Verdict.CANCELLED).increment();
  }

  /** A worker starts an attempt. */
  public void started(Claim claim) {
    queue
        .withTags(
            "platform",
            claim.run().platform(),
            "priority",
            claim.job().priority().name().toLowerCase(Locale.ROOT))
        .record(Duration.between(claim.run().queuedAt(), claim.startedAt()));
  }

  /**
   * A run has ended; called once for each run, after its verdict is on record.
   *
   * @param pool where it was executed; empty when it was given up in the queue
   * @param report the report of this run alone
   * @param wall from start to end
   */
  public void finished(String platform, Optional<String> pool, JobReport report, Duration wall) {
    var backend = platforms.backend(platform);
    finished(platform, report.verdict()).increment();
    run.withTags("backend", backend, "verdict", label(report.verdict())).record(wall);
    for (var part : report.runs()) {
      record(part, platform, backend);
      deviceBusy
          .withTags("pool", pool.orElse(embeddedPool))
          .increment(wall.toNanos() / 1e9 * part.devices().size());
    }
  }

  /**
   * What that run has cost beside what its report says.
   *
   * @param compileNanos all of the compiler's wall time
   */
  public void measured(String platform, Measures measures, long compileNanos) {
    long inPasses = 0;
    for (var pass : measures.passNanos().entrySet()) {
      inPasses += pass.getValue();
      compile
          .withTags("stage", Labels.pass(pass.getKey()))
          .record(Duration.ofNanos(pass.getValue()));
    }
    if (compileNanos > 0) {
      compile
          .withTags("stage", CHECKS)
          .record(Duration.ofNanos(Math.max(0, compileNanos - inPasses)));
    }
    for (var error : measures.goldenErrors()) {
      if (ULPS.contains(error.type())) {
        goldenError.withTags("dtype", label(error.type())).record(error.ulps());
      }
    }
    if (platforms.isSimulated(platform)) {
      simulator.record(measures, platform);
    }
  }

  private static String label(DType type) {
    return type.name().toLowerCase(Locale.ROOT);
  }

  /** A run was taken from its worker. */
  public void taken(Loss cause) {
    lost(cause).increment();
  }

  private Counter lost(Loss cause) {
    return leaseLost.withTags("cause", cause.name().toLowerCase(Locale.ROOT));
  }

  private void record(JobReport.Run part, String platform, String backend) {
    if (platforms.isSimulated(platform)) {
      simulator.record(part, platform);
    }
    var counts = part.evidence().operations();
    primitive("notify", backend).increment((double) counts.notifies());
    primitive("wait", backend).increment((double) counts.waits());
    primitive("put", backend).increment((double) counts.put());
    primitive("get", backend).increment((double) counts.get());
    primitive("remote_load", backend).increment((double) counts.remoteLoad());
    primitive("remote_store", backend).increment((double) counts.remoteStore());
    signalBytes.withTags("backend", backend).increment((double) part.evidence().signalBytes());
    part.checks().forEach(check -> golden(check.passed() ? "match" : "mismatch").increment());
    if (part.checks().isEmpty() && part.verdict() == Verdict.NOT_VERIFIED) {
      golden("missing").increment();
    }
    part.findings().forEach(finding -> findings.withTags("kind", kind(finding)).increment());
    barriers.record(part.barriers(), platform, backend);
    collectives.record(part.collectives(), platform, backend);
  }

  private Counter golden(String result) {
    return goldenChecks.withTags("kind", VALUES, "result", result);
  }

  private Counter primitive(String op, String backend) {
    return operations.withTags("op", op, "algorithm", Labels.NONE, "backend", backend);
  }

  private Counter finished(String platform, Verdict verdict) {
    return finished.withTags(
        "platform", platform, "backend", platforms.backend(platform), "verdict", label(verdict));
  }

  private static String label(Verdict verdict) {
    return verdict.name().toLowerCase(Locale.ROOT);
  }

  private static String kind(JobReport.FindingLine finding) {
    return Stream.of(Finding.Kind.values())
        .map(Enum::name)
        .filter(name -> name.equals(finding.kind()))
        .findFirst()
        .map(name -> name.toLowerCase(Locale.ROOT))
        .orElse(Labels.OTHER);
  }
}
