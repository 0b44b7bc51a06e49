package io.ringmaster.service.jobs;

import io.ringmaster.worker.job.JobReport.DiagnosticLine;
import io.ringmaster.worker.job.JobSpec;
import io.ringmaster.worker.job.JobSpec.Limits;
import io.ringmaster.worker.job.PlatformComparison;
import io.ringmaster.worker.job.Verdict;
import io.ringmaster.worker.source.SourceFile;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * One submission as the database has it.
 *
 * @param platform that of the first run
 * @param arguments those of the first run
 * @param argumentSets there are runs for each of them
 * @param rerunOf the job that this one repeats
 * @param comparisons of runs on several platforms; empty until all have ended
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
    List<List<String>> argumentSets,
    long seed,
    Circumstances circumstances,
    Optional<String> rerunOf,
    Priority priority,
    Limits limits,
    String scriptName,
    String scriptDigest,
    long scriptBytes,
    List<DiagnosticLine> diagnostics,
    List<PlatformComparison> comparisons,
    boolean cancelRequested,
    long version,
    Instant createdAt,
    Optional<Instant> startedAt,
    Optional<Instant> finishedAt,
    List<Run> runs) {

  public boolean isFinished() {
    return state == State.FINISHED;
  }

  /** The platforms of its runs, each once, in their order. */
  public List<String> platforms() {
    return runs.stream().map(Run::platform).distinct().toList();
  }

  /**
   * What one of its runs executes.
   *
   * @param source the script's text
   */
  public JobSpec spec(Run run, String source) {
    return new JobSpec(
            SourceFile.of(scriptName, source),
            run.platform(),
            List.of(run.devices()),
            run.arguments(),
            limits,
            seed)
        .underTexts(circumstances.conditions())
        .exploring(circumstances.exploration(seed));
  }

  /** The same job with one of its runs as it is now. */
  public Job with(Run changed) {
    return withRuns(
        runs.stream().map(run -> run.id().equals(changed.id()) ? changed : run).toList());
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
        argumentSets,
        seed,
        circumstances,
        rerunOf,
        priority,
        limits,
        scriptName,
        scriptDigest,
        scriptBytes,
        diagnostics,
        comparisons,
        cancelRequested,
        version,
        createdAt,
        startedAt,
        finishedAt,
        List.copyOf(all));
  }
}
