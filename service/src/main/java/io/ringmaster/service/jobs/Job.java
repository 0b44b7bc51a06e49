package io.ringmaster.service.jobs;

import io.ringmaster.worker.job.JobReport.DiagnosticLine;
import io.ringmaster.worker.job.JobSpec.Limits;
import io.ringmaster.worker.job.Verdict;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * One submission as the database has it.
 *
 * @param schedules further orders of events that each run is made in
 * @param version grows with every change
 */
public record Job(
    String id,
    String owner,
    String name,
    State state,
    Optional<Verdict> verdict,
    Optional<String> sentence,
    String platform,
    List<String> arguments,
    Map<String, String> labels,
    long seed,
    int schedules,
    Priority priority,
    Limits limits,
    String scriptName,
    String scriptDigest,
    long scriptBytes,
    List<DiagnosticLine> diagnostics,
    boolean cancelRequested,
    long version,
    Instant createdAt,
    Optional<Instant> startedAt,
    Optional<Instant> finishedAt,
    List<Run> runs) {

  public boolean isFinished() {
    return state == State.FINISHED;
  }

  Job withRuns(List<Run> all) {
    return new Job(
        id,
        owner,
        name,
        state,
        verdict,
        sentence,
        platform,
        arguments,
        labels,
        seed,
        schedules,
        priority,
        limits,
        scriptName,
        scriptDigest,
        scriptBytes,
        diagnostics,
        cancelRequested,
        version,
        createdAt,
        startedAt,
        finishedAt,
        List.copyOf(all));
  }
}
