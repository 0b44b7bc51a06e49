package io.ringmaster.service.cli;

import io.ringmaster.worker.job.Exploration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** In which orders to run, and under which model of memory. */
final class ExplorationOptions {

  @Spec(Spec.Target.MIXEE)
  private @Nullable CommandSpec spec;

  @Option(
      names = "--schedules",
      paramLabel = "N",
      description = "run N more orders of events and say whether the outcome depends on the order")
  private int schedules;

  @Option(
      names = "--schedule-seed",
      paramLabel = "N",
      description = "the order to run in; the inputs stay those of --seed, which it is without")
  private @Nullable Long scheduleSeed;

  @Option(
      names = "--cache-lines",
      description = "let writes of different ranks into one 64-byte line undo each other")
  private boolean cacheLines;

  /**
   * The orders these options stand for.
   *
   * @param seed the order when none is named
   */
  Exploration exploration(long seed) {
    if (schedules < 0 || schedules > Exploration.MOST_SCHEDULES) {
      throw new ParameterException(
          Objects.requireNonNull(spec, "set by picocli").commandLine(),
          "--schedules: " + schedules + " isn't in 0.." + Exploration.MOST_SCHEDULES);
    }
    return new Exploration(scheduleSeed == null ? seed : scheduleSeed, schedules, cacheLines);
  }
}
