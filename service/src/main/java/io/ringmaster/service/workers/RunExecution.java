package io.ringmaster.service.workers;

import io.ringmaster.service.jobs.JobStore;
import io.ringmaster.service.metrics.RunMetrics;
import io.ringmaster.service.placement.Attempts.Outcome;
import io.ringmaster.service.placement.Claim;
import io.ringmaster.service.placement.RunQueue;
import io.ringmaster.service.problems.ProblemCode;
import io.ringmaster.service.problems.ProblemException;
import io.ringmaster.service.results.ResultRecorder;
import io.ringmaster.service.results.RunResults;
import io.ringmaster.service.workers.ActiveRun.Stop;
import io.ringmaster.worker.job.JobReport;
import io.ringmaster.worker.job.JobRunner;
import io.ringmaster.worker.job.Verdict;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Service;

/** Executes one claimed run from start to record. */
@Service
class RunExecution {

  private static final Logger LOG = LoggerFactory.getLogger(RunExecution.class);

  private static final Duration RETRY = Duration.ofMillis(500);

  /** What the job says that it does meanwhile. */
  private static final String WAITS_FOR_PLACE = "waiting for the place of artifacts";

  private final JobStore jobs;
  private final JobExecutor executor;
  private final ResultRecorder recorder;
  private final RunQueue queue;
  private final Returns returns;
  private final ActiveRuns active;
  private final RunMetrics metrics;

  RunExecution(
      JobStore jobs,
      JobExecutor executor,
      ResultRecorder recorder,
      RunQueue queue,
      Returns returns,
      ActiveRuns active,
      RunMetrics metrics) {
    this.jobs = jobs;
    this.executor = executor;
    this.recorder = recorder;
    this.queue = queue;
    this.returns = returns;
    this.active = active;
    this.metrics = metrics;
  }

  void execute(Claim claim) {
    var run = new ActiveRun(claim);
    active.add(run);
    try {
      // A cancel that came between the claim and the line above was told to nobody.
      var script = jobs.script(claim.job().id());
      if (script.map(JobStore.Script::cancelRequested).orElse(true)) {
        run.stop(Stop.USER);
      }
      var report = run.isCancelled() ? stopped(run) : call(run, script.orElseThrow().text());
      if (!run.isAbandoned()) {
        end(run, report);
      }
    } finally {
      active.remove(run);
    }
  }

  private JobReport call(ActiveRun run, String source) {
    var job = run.claim().job();
    run.begins();
    try {
      return executor.run(job.spec(run.claim().run(), source), run);
    } catch (RuntimeException | StackOverflowError | OutOfMemoryError e) {
      LOG.error("Run {} broke its worker", run.claim().run().id(), e);
      return RunResults.outside(
          Verdict.INFRA,
          "The worker failed while it executed this run: "
              + e
              + ". This is not the kernel's fault.");
    }
  }

  private void end(ActiveRun run, JobReport report) {
    var claim = run.claim();
    boolean wasStopped = report.verdict() == Verdict.CANCELLED;
    if (wasStopped && run.stopReason() == Stop.SHUTDOWN) {
      queue.putBack(claim.run(), claim.attempt(), Outcome.GIVEN_BACK);
      return;
    }
    if (report.verdict() == Verdict.INFRA
        && returns.failed(claim.job().id(), claim.run().id(), claim.attempt())) {
      return;
    }
    // The kernel only knows that it was told to stop; why is known here.
    var result =
        wasStopped && run.stopReason() == Stop.LIMIT
            ? JobRunner.tookTooLong(report, wall(run))
            : report;
    if (record(run, result)) {
      long compileNanos =
          result.runs().stream().mapToLong(part -> part.timings().compileNanos()).sum();
      metrics.measured(claim.run().platform(), run.measures(), compileNanos);
    }
  }

  /**
   * Records a result. While there is no place for its files it is kept here, and the run with its
   * devices goes on: a run without its report has no verdict. A cancellation ends that, and with
   * this process it goes back into the queue.
   */
  private boolean record(ActiveRun run, JobReport result) {
    var claim = run.claim();
    run.computed();
    boolean said = false;
    while (true) {
      try {
        return recorder.finish(
            claim.run(), claim.attempt(), result, run.outputs(), claim.startedAt());
      } catch (ProblemException e) {
        if (e.code() != ProblemCode.UNAVAILABLE) {
          throw e;
        }
        if (!said) {
          LOG.warn("Run {} has ended, but can't be recorded: {}", claim.run().id(), e.detail());
          run.phase(0, WAITS_FOR_PLACE);
          said = true;
        }
      }
      if (run.stopReason() == Stop.SHUTDOWN || !pause()) {
        queue.putBack(claim.run(), claim.attempt(), Outcome.GIVEN_BACK);
        return false;
      }
      if (run.isAbandoned()) {
        return false;
      }
    }
  }

  private static boolean pause() {
    try {
      TimeUnit.NANOSECONDS.sleep(RETRY.toNanos());
      return true;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  private static Duration wall(ActiveRun run) {
    return run.claim().job().limits().wall();
  }

  /** What is said of a run of which only that is known that it took too long. */
  private static String limitSentence(ActiveRun run) {
    return JobRunner.overLimit(wall(run)) + lastHeard(run);
  }

  private static String lastHeard(ActiveRun run) {
    return "; it was in the phase '%s'%s"
        .formatted(run.phase(), run.place().isEmpty() ? "" : "; " + run.place());
  }

  /** A report for a run that did not say one itself. */
  private static JobReport stopped(ActiveRun run) {
    return switch (run.stopReason()) {
      case LIMIT -> RunResults.outside(Verdict.TIMED_OUT, limitSentence(run));
      case NONE, USER, SHUTDOWN ->
          RunResults.outside(Verdict.CANCELLED, "Cancelled" + lastHeard(run));
    };
  }

  /** Ends a run whose thread does not react; whatever that thread still says is ignored. */
  void abandon(ActiveRun run) {
    run.abandon();
    var claim = run.claim();
    LOG.warn(
        "Run {} of job {} did not stop in time ({}); its thread is given up and may go on"
            + " computing",
        claim.run().id(),
        claim.job().id(),
        run.stopReason());
    recorder.finish(claim.run(), claim.attempt(), stopped(run), Map.of(), claim.startedAt());
    metrics.taken(RunMetrics.Loss.NOT_STOPPING);
    active.remove(run);
  }
}
