package io.ringmaster.service.jobs;

import io.ringmaster.worker.job.JobReport.Evidence;
import io.ringmaster.worker.job.Verdict;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * One platform x device list x arguments of a job, as the database has it.
 *
 * @param place place in the job, from 1
 * @param attempt how often it was started
 * @param outcome what came out; empty until it is finished
 */
public record Run(
    String id,
    String jobId,
    int place,
    String platform,
    List<Integer> devices,
    List<String> arguments,
    State state,
    int attempt,
    Optional<String> worker,
    Instant queuedAt,
    Optional<Instant> startedAt,
    Optional<Instant> finishedAt,
    Optional<Outcome> outcome) {

  /** The end of a run in short; its report has the rest. */
  public record Outcome(
      Verdict verdict,
      String sentence,
      Optional<Evidence> evidence,
      int failedChecks,
      int findings) {}
}
