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
 * @param devices those that it asks for by their ids, or that it was given; empty while it waits
 *     for any
 * @param attempt how often it was started
 * @param outcome what came out; empty until it is finished
 * @param wantedPool where it insists on being executed
 * @param pool where it is executed, or was
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
    Optional<Outcome> outcome,
    DeviceRequest request,
    Optional<String> wantedPool,
    Optional<String> pool) {

  /** The end of a run in short; its report has the rest. */
  public record Outcome(
      Verdict verdict,
      String sentence,
      Optional<Evidence> evidence,
      int failedChecks,
      int findings) {}

  /** The same run with the devices that it was given. */
  public Run on(String givenPool, List<Integer> given) {
    return changed(given, state, outcome, Optional.of(givenPool));
  }

  /** The same run in another state. */
  public Run in(State now) {
    return changed(devices, now, outcome, pool);
  }

  /** The same run with what came out of it. */
  public Run ended(Outcome out) {
    return changed(devices, State.FINISHED, Optional.of(out), pool);
  }

  private Run changed(
      List<Integer> given, State now, Optional<Outcome> out, Optional<String> givenPool) {
    return new Run(
        id,
        jobId,
        place,
        platform,
        given,
        arguments,
        now,
        attempt,
        worker,
        queuedAt,
        startedAt,
        finishedAt,
        out,
        request,
        wantedPool,
        givenPool);
  }
}
