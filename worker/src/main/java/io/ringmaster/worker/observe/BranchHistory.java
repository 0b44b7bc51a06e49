package io.ringmaster.worker.observe;

import io.ringmaster.worker.fabric.FabricListener;
import io.ringmaster.worker.source.Span;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Which way each rank went at each branch, and how often: shows where ranks part company. */
final class BranchHistory implements FabricListener {

  /** A branch at which a rank went another way than others. */
  record Parting(int rank, Span span, boolean taken) {}

  private static final class Count {
    int taken;
    int skipped;
    boolean lastTaken;

    void add(boolean way) {
      lastTaken = way;
      if (way) {
        taken++;
      } else {
        skipped++;
      }
    }

    boolean sameAs(Count other) {
      return taken == other.taken && skipped == other.skipped;
    }
  }

  private final List<LinkedHashMap<Span, Count>> branches = new ArrayList<>();

  BranchHistory(int ranks) {
    for (int rank = 0; rank < ranks; rank++) {
      branches.add(new LinkedHashMap<>());
    }
  }

  @Override
  public void branched(int rank, Span span, boolean taken) {
    LinkedHashMap<Span, Count> own = branches.get(rank);
    Map.Entry<Span, Count> latest = own.lastEntry();
    if (latest != null && latest.getKey().equals(span)) {
      latest.getValue().add(taken);
      return;
    }
    // The latest decision comes last, so that the parting that mattered is found first from behind.
    Count count = own.remove(span);
    if (count == null) {
      count = new Count();
    }
    own.put(span, count);
    count.add(taken);
  }

  /**
   * The last branch of {@code rank} that went differently on every one of {@code others}. Counts
   * are compared, not single decisions: in a loop over peers every rank skips itself, each in
   * another round.
   */
  Optional<Parting> parting(int rank, Collection<Integer> others) {
    for (Map.Entry<Span, Count> branch :
        branches.get(rank).entrySet().stream().toList().reversed()) {
      boolean differs =
          others.stream()
              .map(other -> branches.get(other).get(branch.getKey()))
              .allMatch(count -> count != null && !count.sameAs(branch.getValue()));
      if (differs && !others.isEmpty()) {
        return Optional.of(new Parting(rank, branch.getKey(), branch.getValue().lastTaken));
      }
    }
    return Optional.empty();
  }

  /**
   * The branch that kept {@code rank} from a notify which {@code givers} have sent on line {@code
   * line}: the nearest one above it that {@code rank} always went one way and they another.
   */
  Optional<Parting> abstention(int rank, Collection<Integer> givers, Span notify) {
    Optional<Parting> nearest = Optional.empty();
    for (Map.Entry<Span, Count> branch : branches.get(rank).entrySet()) {
      Span span = branch.getKey();
      Count own = branch.getValue();
      boolean apart =
          givers.stream()
              .map(giver -> branches.get(giver).get(span))
              .allMatch(
                  count ->
                      count != null
                          && (own.taken == 0 ? count.taken > 0 : own.skipped == 0)
                          && (own.taken == 0 || count.skipped > 0));
      boolean above = span.file().equals(notify.file()) && span.line() <= notify.line();
      if (apart && above && nearest.map(Parting::span).map(Span::line).orElse(0) <= span.line()) {
        nearest = Optional.of(new Parting(rank, span, own.lastTaken));
      }
    }
    return nearest;
  }
}
