package io.ringmaster.service.workers;

import io.ringmaster.service.jobs.JobReader;
import io.ringmaster.service.jobs.Run;
import io.ringmaster.service.metrics.RunMetrics;
import io.ringmaster.service.placement.RunQueue;
import io.ringmaster.service.results.ResultRecorder;
import io.ringmaster.service.results.RunResults;
import io.ringmaster.worker.job.Verdict;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Service;

/** What becomes of a run that its worker doesn't finish; its kernel isn't to blame. */
@Service
public class Returns {

  private static final Logger LOG = LoggerFactory.getLogger(Returns.class);
  private static final int MOST_ATTEMPTS = 2;

  private final JobReader reader;
  private final RunQueue queue;
  private final ResultRecorder recorder;
  private final RunMetrics metrics;

  Returns(JobReader reader, RunQueue queue, ResultRecorder recorder, RunMetrics metrics) {
    this.reader = reader;
    this.queue = queue;
    this.recorder = recorder;
    this.metrics = metrics;
  }

  /** The worker is gone: one more attempt, and after a second loss the end. */
  void lost(String jobId, String runId, int attempt) {
    metrics.lostWithProcess();
    if (attempt < MOST_ATTEMPTS) {
      givenBack(jobId, runId, attempt);
    } else {
      end(
          reader.run(reader.get(jobId), runId),
          attempt,
          Verdict.WORKER_LOST,
          "The worker was lost %d times while it executed this run.".formatted(attempt));
    }
  }

  /** The worker hands the run back before its end: it is queued again, unless nobody wants it. */
  public void givenBack(String jobId, String runId, int attempt) {
    var job = reader.get(jobId);
    var run = reader.run(job, runId);
    if (job.cancelRequested()) {
      end(run, attempt, Verdict.CANCELLED, "Cancelled; its worker is gone.");
    } else if (queue.putBack(run, attempt)) {
      LOG.info("Run {} lost its worker and is queued again", runId);
    }
  }

  private void end(Run run, int attempt, Verdict verdict, String sentence) {
    var report = RunResults.outside(verdict, sentence);
    recorder.finish(run, attempt, report, Map.of(), run.startedAt().orElse(run.queuedAt()));
  }
}
