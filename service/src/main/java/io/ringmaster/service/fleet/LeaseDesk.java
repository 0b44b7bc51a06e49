package io.ringmaster.service.fleet;

import io.ringmaster.service.config.RingmasterProperties;
import io.ringmaster.service.jobs.Job;
import io.ringmaster.service.jobs.JobEvents;
import io.ringmaster.service.jobs.JobReader;
import io.ringmaster.service.jobs.JobStore;
import io.ringmaster.service.jobs.Run;
import io.ringmaster.service.jobs.RunProgress;
import io.ringmaster.service.metrics.RunMetrics;
import io.ringmaster.service.placement.Claim;
import io.ringmaster.service.placement.PlacementEvents;
import io.ringmaster.service.placement.RunQueue;
import io.ringmaster.service.problems.ProblemCode;
import io.ringmaster.service.problems.ProblemException;
import io.ringmaster.service.results.ResultRecorder;
import io.ringmaster.service.workers.Processes;
import io.ringmaster.service.workers.Returns;
import io.ringmaster.worker.job.JobReport;
import io.ringmaster.worker.job.Measures;
import io.ringmaster.worker.job.Verdict;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.springframework.context.event.ContextClosedEvent;
import org.springframework.context.event.EventListener;
import org.springframework.stereotype.Service;
import org.springframework.transaction.event.TransactionalEventListener;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * Where workers elsewhere get runs and hand in results. A lease is one attempt of one run; it ends
 * with its result, with the worker's silence or with its signing off, and what comes after that is
 * refused.
 */
@Service
class LeaseDesk {

  private final WorkerRegistry workers;
  private final Processes processes;
  private final Returns returns;
  private final RunQueue queue;
  private final JobStore jobs;
  private final JobReader reader;
  private final RunProgress progress;
  private final ResultRecorder recorder;
  private final RunMetrics metrics;
  private final TransactionTemplate transaction;
  private final Duration pollInterval;

  /** A worker that waits for work must ask again before it counts as lost. */
  private final Duration mostPatience;

  private final Set<Semaphore> waiting = ConcurrentHashMap.newKeySet();
  private volatile boolean closing;

  LeaseDesk(
      WorkerRegistry workers,
      Processes processes,
      Returns returns,
      RunQueue queue,
      JobStore jobs,
      JobReader reader,
      RunProgress progress,
      ResultRecorder recorder,
      RunMetrics metrics,
      TransactionTemplate transaction,
      RingmasterProperties properties) {
    this.workers = workers;
    this.processes = processes;
    this.returns = returns;
    this.queue = queue;
    this.jobs = jobs;
    this.reader = reader;
    this.progress = progress;
    this.recorder = recorder;
    this.metrics = metrics;
    this.transaction = transaction;
    this.pollInterval = properties.workers().pollInterval();
    this.mostPatience = properties.workers().lostAfter().dividedBy(2);
  }

  /** A claimed run with its script. */
  record Assignment(Claim claim, String script) {}

  /**
   * A run for this worker, as soon as there is one.
   *
   * @param patience how long to wait for one, at most; half of the time after which silence counts
   *     as loss is the limit
   * @return empty when none came
   * @throws ProblemException NOT_FOUND when the worker isn't registered any more
   */
  Optional<Assignment> take(String workerId, Duration patience) throws InterruptedException {
    require(workerId);
    var signal = new Semaphore(0);
    waiting.add(signal);
    try {
      // The question is the sign of life, not the waiting: the line may be dead meanwhile.
      if (!processes.beat(workerId)) {
        throw unknown(workerId);
      }
      long end = System.nanoTime() + Math.min(patience.toNanos(), mostPatience.toNanos());
      while (true) {
        // Read again: an operator may have drained it meanwhile.
        var worker = require(workerId);
        var claim = queue.claim(worker.name(), workerId, worker.seat());
        long left = end - System.nanoTime();
        if (claim.isPresent() || left <= 0 || closing) {
          return claim.map(this::assign);
        }
        if (signal.tryAcquire(Math.min(left, pollInterval.toNanos()), TimeUnit.NANOSECONDS)) {
          signal.drainPermits();
        }
      }
    } finally {
      waiting.remove(signal);
    }
  }

  private Assignment assign(Claim claim) {
    metrics.started(claim);
    progress.begin(claim.run().id(), claim.attempt());
    var script =
        jobs.source(claim.job().id())
            .orElseThrow(() -> new IllegalStateException("The source is gone."));
    return new Assignment(claim, new String(script, StandardCharsets.UTF_8));
  }

  @EventListener
  void submitted(JobEvents.Submitted event) {
    waiting.forEach(Semaphore::release);
  }

  /** Devices came free: somebody may have waited for them. */
  @TransactionalEventListener(fallbackExecution = true)
  void freed(PlacementEvents.Freed event) {
    waiting.forEach(Semaphore::release);
  }

  /** The process ends: nobody is kept waiting. */
  @EventListener
  void closing(ContextClosedEvent event) {
    closing = true;
    waiting.forEach(Semaphore::release);
  }

  /** A sign of life; true when the run must stop. */
  boolean beat(String workerId, String leaseId, int attempt, Optional<String> phase) {
    var held = held(workerId, leaseId, attempt);
    heard(workerId, held.run(), attempt);
    phase.ifPresent(some -> progress.phase(held.run().id(), some));
    return held.job().cancelRequested();
  }

  private void heard(String workerId, Run run, int attempt) {
    var known = processes.beat(workerId);
    if (!processes.beatRun(run.id(), attempt) || !known) {
      throw ended();
    }
  }

  /** Keeps more of what the script prints. */
  void printed(String workerId, String leaseId, int attempt, int offset, String text) {
    var held = held(workerId, leaseId, attempt);
    heard(workerId, held.run(), attempt);
    if (!progress.append(held.run().id(), offset, text)) {
      throw new ProblemException(
          ProblemCode.INVALID_REQUEST,
          "Text before offset %d is missing; send the log from its beginning.".formatted(offset));
    }
  }

  /** Devices that a run leaves in no state to be used. */
  record Broken(List<Integer> devices, String message) {}

  /** Records what came out, and ends the lease; devices that broke are out of use before that. */
  void finish(
      String workerId,
      String leaseId,
      int attempt,
      JobReport report,
      Map<String, byte[]> outputs,
      Optional<Measures> measures,
      Optional<Broken> broken) {
    var held = held(workerId, leaseId, attempt);
    var run = held.run();
    if (broken.isPresent()) {
      requireHeld(run, broken.get().devices());
      if (!returns.broken(
          held.job().id(), run.id(), attempt, broken.get().devices(), broken.get().message())) {
        throw ended();
      }
    }
    if (report.verdict() == Verdict.INFRA && returns.failed(held.job().id(), run.id(), attempt)) {
      progress.end(run.id());
      return;
    }
    var startedAt = run.startedAt().orElse(run.queuedAt());
    if (!recorder.finish(run, attempt, report, outputs, startedAt)) {
      throw ended();
    }
    progress.end(run.id());
    long compileNanos =
        report.runs().stream().mapToLong(part -> part.timings().compileNanos()).sum();
    measures.ifPresent(some -> metrics.measured(run.platform(), some, compileNanos));
  }

  /** Devices didn't execute a kernel that is known to be good, so the run wasn't begun on them. */
  void probeFailed(
      String workerId, String leaseId, int attempt, List<Integer> devices, String message) {
    var held = held(workerId, leaseId, attempt);
    requireHeld(held.run(), devices);
    if (!returns.probeFailed(held.job().id(), held.run().id(), attempt, devices, message)) {
      throw ended();
    }
    progress.end(held.run().id());
  }

  private static void requireHeld(Run run, List<Integer> devices) {
    if (devices.isEmpty() || !run.devices().containsAll(devices)) {
      throw new ProblemException(
          ProblemCode.INVALID_REQUEST,
          "The lease has the devices %s; these are not among them: %s."
              .formatted(
                  run.devices(),
                  devices.stream().filter(d -> !run.devices().contains(d)).toList()));
    }
  }

  /** Gives a worker nothing new, or something again. */
  void drain(String workerId, boolean begin) {
    if (!workers.drain(workerId, begin)) {
      throw unknown(workerId);
    }
    waiting.forEach(Semaphore::release);
  }

  /** A worker says that it ends; what it still holds is queued again at once. */
  void signOff(String workerId) {
    transaction.executeWithoutResult(
        _ -> {
          var held = workers.runs(workerId);
          processes.leave(workerId);
          held.forEach(key -> returns.givenBack(key.jobId(), key.runId(), key.attempt()));
        });
  }

  private record Held(Job job, Run run) {}

  private Held held(String workerId, String leaseId, int attempt) {
    require(workerId);
    var key = workers.leased(workerId, leaseId, attempt).orElseThrow(LeaseDesk::ended);
    var job = reader.known(key.jobId());
    return new Held(job, reader.run(job, key.runId()));
  }

  private RemoteWorker require(String workerId) {
    return workers.find(workerId).orElseThrow(() -> unknown(workerId));
  }

  private static ProblemException unknown(String workerId) {
    return ProblemException.notFound(
        "No worker %s is registered; one that was silent too long has to register again."
            .formatted(workerId));
  }

  private static ProblemException ended() {
    return new ProblemException(
        ProblemCode.LEASE_ENDED,
        "This lease has ended: the run is finished, or another attempt of it has begun. Drop it.");
  }
}
