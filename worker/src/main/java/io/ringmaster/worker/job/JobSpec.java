package io.ringmaster.worker.job;

import io.ringmaster.worker.engine.Condition;
import io.ringmaster.worker.source.SourceFile;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * One submission: a script and the runs to make of it, one for each device list.
 *
 * @param devices device lists; rank r of a run is the r-th id of its list
 * @param arguments extra script arguments, after {@code -p} and {@code -d}
 * @param seed seed of the script's default random generator
 * @param conditions how the simulated machine differs from the calibrated one
 * @param exploration which orders of the kernels' events are run
 */
public record JobSpec(
    SourceFile source,
    String platform,
    List<List<Integer>> devices,
    List<String> arguments,
    Limits limits,
    long seed,
    List<Condition> conditions,
    Exploration exploration) {

  public JobSpec {
    conditions = List.copyOf(conditions);
    devices = devices.stream().map(List::copyOf).toList();
    arguments = List.copyOf(arguments);
  }

  /** A submission for the machine as it was calibrated, in the order that the seed names. */
  public JobSpec(
      SourceFile source,
      String platform,
      List<List<Integer>> devices,
      List<String> arguments,
      Limits limits,
      long seed) {
    this(
        source, platform, devices, arguments, limits, seed, List.of(), Exploration.NONE.only(seed));
  }

  /** The same submission on another platform. */
  public JobSpec on(String other) {
    return new JobSpec(source, other, devices, arguments, limits, seed, conditions, exploration);
  }

  /** The same submission for a machine that differs so from the calibrated one. */
  public JobSpec under(List<Condition> changed) {
    return new JobSpec(source, platform, devices, arguments, limits, seed, changed, exploration);
  }

  /**
   * The same, for conditions as texts such as {@code straggler=2:5us}.
   *
   * @throws IllegalArgumentException with a sentence for people
   */
  public JobSpec underTexts(List<String> changed) {
    return under(changed.stream().map(Condition::parse).toList());
  }

  /**
   * What is wrong with the text of a condition, in a sentence; empty when it is one.
   *
   * @param ranks of the smallest run that it is for
   */
  public static Optional<String> conditionFault(String text, int ranks) {
    try {
      return Condition.parse(text).absentRank(ranks).map(absent -> text + ": " + absent);
    } catch (IllegalArgumentException e) {
      return Optional.of(String.valueOf(e.getMessage()));
    }
  }

  /** The ranks of its smallest run: what a condition names must be there in each. */
  public int fewestRanks() {
    return devices.stream().mapToInt(List::size).min().orElse(Integer.MAX_VALUE);
  }

  /** The same submission in these orders. */
  public JobSpec exploring(Exploration orders) {
    return new JobSpec(source, platform, devices, arguments, limits, seed, conditions, orders);
  }

  /**
   * What a run may use.
   *
   * @param wall wall time of one run
   * @param scriptSteps evaluator steps of the driver script
   * @param kernelSteps executed kernel instructions over all ranks
   * @param memoryBytes tensors of the script alive at a time, and as much again for the windows and
   *     tensors of one launch
   */
  public record Limits(Duration wall, long scriptSteps, long kernelSteps, long memoryBytes) {

    /** In a file of tests each case may take {@code wall}, and all of them so many times that. */
    public static final int CASES = 10;

    public static final Limits DEFAULT =
        new Limits(Duration.ofSeconds(60), 50_000_000, 2_000_000_000, 2L << 30);
  }
}
