package io.ringmaster.worker.trial;

import io.ringmaster.worker.device.HardwareProfile;
import io.ringmaster.worker.engine.Condition;
import io.ringmaster.worker.engine.Limits;
import io.ringmaster.worker.engine.RunOutcome;
import io.ringmaster.worker.observe.TrafficMatrix;
import io.ringmaster.worker.source.DiagnosticException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * Predicts how long a collective takes on a platform by each algorithm, by running the schedules
 * that kernels run, without values.
 */
public final class Estimate {

  /** More executed instructions than this are not worth a prediction. */
  private static final Limits LIMITS = new Limits(2_000_000_000L, Duration.ofSeconds(60), 1L << 30);

  private final String collective;
  private final HardwareProfile profile;
  private final int ranks;
  private final List<Condition> conditions;

  public Estimate(
      String collective, HardwareProfile profile, int ranks, List<Condition> conditions) {
    this.collective = collective;
    this.profile = profile;
    this.ranks = ranks;
    this.conditions = conditions;
  }

  /**
   * One algorithm's prediction.
   *
   * @param bytes what one rank puts in, rounded up to whole rows
   * @param virtualNanos from the first rank's start to the last rank's end
   * @param wireBytes most bytes that arrive at a rank from others
   * @param notifies signals over all ranks, those to oneself included
   * @param why why there is no prediction; empty when there is one
   */
  public record Line(
      String algorithm,
      String idea,
      long bytes,
      long virtualNanos,
      long wireBytes,
      long notifies,
      String why) {

    public boolean isPredicted() {
      return why.isEmpty();
    }
  }

  /** The algorithms from the cheapest to the dearest, then those that can't be used. */
  public List<Line> compare(long bytes) {
    List<Line> lines = new ArrayList<>();
    for (Algorithm algorithm : Algorithm.of(collective)) {
      lines.add(line(algorithm, bytes));
    }
    lines.sort(
        Comparator.comparing((Line line) -> !line.isPredicted())
            .thenComparingLong(Line::virtualNanos));
    return lines;
  }

  /** One algorithm. */
  public Line line(Algorithm algorithm, long bytes) {
    if (ranks > profile.maxRanks()) {
      return none(
          algorithm,
          bytes,
          "a domain on " + profile.platform() + " has at most " + profile.maxRanks() + " ranks");
    }
    if (algorithm.isHost() && ranks > profile.maxHostBuiltinRanks()) {
      return none(
          algorithm,
          bytes,
          "HOST collectives on "
              + profile.platform()
              + " take at most "
              + profile.maxHostBuiltinRanks()
              + " ranks");
    }
    try {
      var trial = new Trial(algorithm, ranks, bytes, profile, false);
      var traffic = new TrafficMatrix(ranks);
      var clock = new CollectiveClock();
      RunOutcome outcome = trial.run(List.of(clock, traffic), LIMITS, conditions);
      if (!outcome.isFinished()) {
        return none(algorithm, bytes, outcome.sentence());
      }
      long alone = outcome.virtualNanos() - profile.cost().dispatchNanos();
      return new Line(
          algorithm.title(),
          algorithm.idea(),
          trial.bytes(),
          clock.nanos(alone),
          traffic.mostWireBytesIn(),
          traffic.operations().notifies(),
          "");
    } catch (DiagnosticException e) {
      return none(algorithm, bytes, e.diagnostics().getFirst().message());
    }
  }

  private static Line none(Algorithm algorithm, long bytes, String why) {
    return new Line(algorithm.title(), algorithm.idea(), bytes, 0, 0, 0, why);
  }

  /**
   * The comparison at several sizes.
   *
   * @param crossover the first size at which another algorithm is the cheapest than at the smallest
   *     size; empty when one is the cheapest throughout
   */
  public record Sweep(List<Long> bytes, List<List<Line>> lines, Optional<Long> crossover) {}

  /** Compares at each power of two in {@code [from, to]}. */
  public Sweep sweep(long from, long to) {
    List<Long> sizes = new ArrayList<>();
    List<List<Line>> all = new ArrayList<>();
    for (long bytes = from; bytes <= to; bytes *= 2) {
      sizes.add(bytes);
      all.add(compare(bytes));
    }
    String cheapest = all.getFirst().getFirst().algorithm();
    Optional<Long> crossover = Optional.empty();
    for (int i = 0; i < all.size() && crossover.isEmpty(); i++) {
      if (!all.get(i).getFirst().algorithm().equals(cheapest)) {
        crossover = Optional.of(sizes.get(i));
      }
    }
    return new Sweep(sizes, all, crossover);
  }
}
