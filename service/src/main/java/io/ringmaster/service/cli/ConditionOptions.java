package io.ringmaster.service.cli;

import io.ringmaster.worker.engine.Condition;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** How the simulated machine shall differ from the calibrated one; repeat an option for more. */
final class ConditionOptions {

  @Spec(Spec.Target.MIXEE)
  private @Nullable CommandSpec spec;

  @Option(
      names = "--straggler",
      paramLabel = "RANK:DELAY",
      description = "a late rank, 2:5us, or a slow one, 2:1.5x")
  private List<String> stragglers = List.of();

  @Option(
      names = "--slow-link",
      paramLabel = "RANK-RANK:FACTORx",
      description = "a link that takes so many times as long, 0-1:4x")
  private List<String> slowLinks = List.of();

  @Option(
      names = "--delay-notify",
      paramLabel = "FROM-TO[#N]:DELAY",
      description = "notifies from a rank to another arrive later, all or the N-th: 0-1#2:3us")
  private List<String> delayedNotifies = List.of();

  @Option(
      names = "--drop-notify",
      paramLabel = "FROM-TO[#N]",
      description = "notifies from a rank to another never arrive, all or the N-th: 0-1#2")
  private List<String> droppedNotifies = List.of();

  @Option(
      names = "--no-ports",
      description = "let a rank send and receive over all its links at once at full rate")
  private boolean noPorts;

  /**
   * The conditions in the order of their kinds.
   *
   * @param ranks that there are
   * @throws ParameterException when one names another
   */
  List<Condition> conditions(int ranks) {
    List<Condition> conditions = new ArrayList<>();
    add(conditions, "straggler", stragglers, ranks);
    add(conditions, "slow-link", slowLinks, ranks);
    add(conditions, "delay-notify", delayedNotifies, ranks);
    add(conditions, "drop-notify", droppedNotifies, ranks);
    if (noPorts) {
      conditions.add(new Condition.OpenPorts());
    }
    return conditions;
  }

  private void add(List<Condition> conditions, String kind, List<String> values, int ranks) {
    CommandLine line = Objects.requireNonNull(spec, "set by picocli").commandLine();
    for (String value : values) {
      Condition condition;
      try {
        condition = Condition.parse(kind, value);
      } catch (IllegalArgumentException e) {
        throw new ParameterException(line, "--" + e.getMessage(), e);
      }
      condition
          .absentRank(ranks)
          .ifPresent(
              absent -> {
                throw new ParameterException(line, "--" + kind + " " + value + ": " + absent);
              });
      conditions.add(condition);
    }
  }
}
