package io.ringmaster.service.workers;

import io.ringmaster.service.jobs.JobReader;
import io.ringmaster.service.jobs.JobStore;
import io.ringmaster.service.jobs.Run;
import io.ringmaster.service.jobs.State;
import io.ringmaster.service.metrics.RunMetrics;
import io.ringmaster.service.placement.Attempts;
import io.ringmaster.service.placement.Attempts.Outcome;
import io.ringmaster.service.placement.DeviceStatuses;
import io.ringmaster.service.placement.RunQueue;
import io.ringmaster.service.results.ResultRecorder;
import io.ringmaster.service.results.RunResults;
import io.ringmaster.worker.job.Verdict;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Service;
import org.springframework.transaction.support.TransactionTemplate;

/** What becomes of a run that its worker doesn't finish; its kernel isn't to blame. */
@Service
public class Returns {

  private static final Logger LOG = LoggerFactory.getLogger(Returns.class);
  private static final int MOST_ATTEMPTS = 2;

  /** Starts of a run that never got as far as its kernel. */
  private static final int MOST_PROBES = 8;

  private final JobReader reader;
  private final JobStore jobs;
  private final RunQueue queue;
  private final ResultRecorder recorder;
  private final RunMetrics metrics;
  private final Attempts attempts;
  private final DeviceStatuses statuses;
  private final TransactionTemplate transaction;

  Returns(
      JobReader reader,
      JobStore jobs,
      RunQueue queue,
      ResultRecorder recorder,
      RunMetrics metrics,
      Attempts attempts,
      DeviceStatuses statuses,
      TransactionTemplate transaction) {
    this.reader = reader;
    this.jobs = jobs;
    this.queue = queue;
    this.recorder = recorder;
    this.metrics = metrics;
    this.attempts = attempts;
    this.statuses = statuses;
    this.transaction = transaction;
  }

  /** The worker is gone: one more attempt, and after a second loss the end. */
  void lost(String jobId, String runId, int attempt, RunMetrics.Loss cause) {
    metrics.taken(cause);
    if (mayTryAgain(runId) || isUnwanted(jobId)) {
      back(jobId, runId, attempt, Outcome.LOST);
    } else {
      end(
          reader.run(reader.known(jobId), runId),
          attempt,
          Outcome.LOST,
          Verdict.WORKER_LOST,
          "The worker was lost %d times while it executed this run.".formatted(MOST_ATTEMPTS));
    }
  }

  /**
   * The worker failed, not the kernel: one more attempt, on devices that were tried out.
   *
   * @return false when that was the last one, and the failure has to be recorded
   */
  public boolean failed(String jobId, String runId, int attempt) {
    if (!mayTryAgain(runId) && !isUnwanted(jobId)) {
      return false;
    }
    metrics.taken(RunMetrics.Loss.WORKER_FAILED);
    back(jobId, runId, attempt, Outcome.INFRA);
    return true;
  }

  /**
   * Devices didn't execute a kernel that is known to be good: they are out of use from now on, and
   * the run goes elsewhere without having lost an attempt.
   *
   * @return false when that attempt is over already, and others may have its devices
   */
  public boolean probeFailed(
      String jobId, String runId, int attempt, List<Integer> devices, String message) {
    if (!Boolean.TRUE.equals(
        transaction.execute(_ -> quarantine(jobId, runId, attempt, devices, message)))) {
      return false;
    }
    metrics.taken(RunMetrics.Loss.PROBE_FAILED);
    if (failedProbes(runId) + 1 < MOST_PROBES || isUnwanted(jobId)) {
      back(jobId, runId, attempt, Outcome.PROBE_FAILED);
    } else {
      end(
          reader.run(reader.known(jobId), runId),
          attempt,
          Outcome.PROBE_FAILED,
          Verdict.INFRA,
          "Devices failed their probe %d times before this run could start on them."
              .formatted(MOST_PROBES));
    }
    return true;
  }

  /**
   * Devices came out of a run in no state to be used again: they are out of use from now on. The
   * run has a result all the same.
   *
   * @return false when that attempt is over already, and others may have its devices
   */
  public boolean broken(
      String jobId, String runId, int attempt, List<Integer> devices, String message) {
    return Boolean.TRUE.equals(
        transaction.execute(_ -> quarantine(jobId, runId, attempt, devices, message)));
  }

  /** Only the attempt that holds devices can say that they are broken. */
  private boolean quarantine(
      String jobId, String runId, int attempt, List<Integer> devices, String message) {
    var holder =
        jobs.lock(jobId).stream()
            .flatMap(job -> job.runs().stream())
            .filter(run -> run.id().equals(runId) && run.attempt() == attempt)
            .filter(run -> run.state() == State.RUNNING)
            .findFirst();
    holder.ifPresent(
        run ->
            devices.forEach(
                device ->
                    statuses.set(
                        run.pool().orElseThrow(),
                        device,
                        DeviceStatuses.State.QUARANTINED,
                        message,
                        "worker")));
    return holder.isPresent();
  }

  private long failedProbes(String runId) {
    return attempts.of(runId).stream()
        .filter(attempt -> attempt.outcome().filter(Outcome.PROBE_FAILED::equals).isPresent())
        .count();
  }

  /** Attempts that were given back in order, or didn't get past the probe, cost nothing. */
  private boolean mayTryAgain(String runId) {
    return attempts.of(runId).stream()
            .filter(attempt -> attempt.outcome().map(Outcome::isBreakdown).orElse(true))
            .count()
        < MOST_ATTEMPTS;
  }

  /** A cancelled job is cancelled, whatever becomes of its worker. */
  private boolean isUnwanted(String jobId) {
    return reader.known(jobId).cancelRequested();
  }

  /** The worker hands the run back before its end: it is queued again, unless nobody wants it. */
  public void givenBack(String jobId, String runId, int attempt) {
    back(jobId, runId, attempt, Outcome.GIVEN_BACK);
  }

  private void back(String jobId, String runId, int attempt, Outcome outcome) {
    var job = reader.known(jobId);
    var run = reader.run(job, runId);
    if (job.cancelRequested()) {
      end(run, attempt, outcome, Verdict.CANCELLED, "Cancelled; its worker is gone.");
    } else if (queue.putBack(run, attempt, outcome)) {
      LOG.info("Run {} is queued again after attempt {}: {}", runId, attempt, outcome);
    }
  }

  private void end(Run run, int attempt, Outcome outcome, Verdict verdict, String sentence) {
    var report = RunResults.outside(verdict, sentence);
    var startedAt = run.startedAt().orElse(run.queuedAt());
    recorder.finish(run, attempt, outcome, report, Map.of(), startedAt);
  }
}
