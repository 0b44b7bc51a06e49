package io.ringmaster.worker.job;

import io.ringmaster.worker.engine.Condition;
import io.ringmaster.worker.source.SourceFile;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A submission in full, as JSON has it. Limits of time are kept to the millisecond. */
public record JobSpecJson(
    @Nullable Script script,
    @Nullable String platform,
    @Nullable List<List<Integer>> devices,
    @Nullable List<String> arguments,
    long seed,
    @Nullable Exploration exploration,
    @Nullable List<String> conditions,
    @Nullable Limits limits) {

  /** The text and what it is called. */
  public record Script(String name, String source) {}

  /** As {@link JobSpec.Limits}. */
  public record Limits(double wallSeconds, long scriptSteps, long kernelSteps, long memoryBytes) {}

  public static JobSpecJson of(JobSpec spec) {
    JobSpec.Limits limits = spec.limits();
    return new JobSpecJson(
        new Script(spec.source().name(), spec.source().text()),
        spec.platform(),
        spec.devices(),
        spec.arguments(),
        spec.seed(),
        spec.exploration(),
        spec.conditions().stream().map(Condition::text).toList(),
        new Limits(
            limits.wall().toMillis() / 1e3,
            limits.scriptSteps(),
            limits.kernelSteps(),
            limits.memoryBytes()));
  }

  /**
   * The submission.
   *
   * @throws IllegalArgumentException when something is missing
   */
  public JobSpec spec() {
    if (script == null
        || limits == null
        || platform == null
        || devices == null
        || arguments == null
        || exploration == null
        || conditions == null) {
      throw new IllegalArgumentException("a part of the submission is missing");
    }
    return new JobSpec(
        SourceFile.of(script.name(), script.source()),
        platform,
        devices,
        arguments,
        new JobSpec.Limits(
            Duration.ofMillis(Math.round(limits.wallSeconds() * 1e3)),
            limits.scriptSteps(),
            limits.kernelSteps(),
            limits.memoryBytes()),
        seed,
        conditions.stream().map(Condition::parse).toList(),
        exploration);
  }
}
