package io.ringmaster.worker.observe;

import io.ringmaster.worker.fabric.Notification;
import io.ringmaster.worker.fabric.SignalWait;
import io.ringmaster.worker.observe.Doubts.Doubt;
import io.ringmaster.worker.observe.Doubts.Gap;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A wait for at least some value that was let through, and what else might have been in its cell by
 * then: every modification that doesn't come after the wait in every schedule might have come
 * before it.
 */
final class Passage {

  /** Beyond so many modifications that might have helped, no more are looked at. */
  private static final int MOST_OTHERS = 256;

  /** A wait that would never have ended, had {@code by} and all the others come before it. */
  record Stall(SignalWait passed, Modification by, int then) {}

  private final SignalWait wait;
  private final Stamp after;
  private final int base;
  private final List<Modification> taken;

  /** What might have let the wait through, and knows less than all that is taken together. */
  private final List<Modification> others = new ArrayList<>(0);

  private @Nullable Modification takesBack;
  private int sumOfOthers;
  private boolean setByOthers;

  /**
   * @param after the waiter's point after the wait
   * @param base what the cell held of modifications that come before the wait in every schedule
   * @param taken what let the wait through besides
   */
  Passage(SignalWait wait, Stamp after, int base, List<Modification> taken) {
    this.wait = wait;
    this.after = after;
    this.base = base;
    this.taken = taken;
  }

  /** A modification that was there with the wait, or came later. */
  void hears(Modification other) {
    if (after.precedes(other.sent()) || taken.contains(other)) {
      return;
    }
    setByOthers |= other.set();
    sumOfOthers = other.applyTo(sumOfOthers);
    if (!other.gives() && takesBack == null) {
      takesBack = other;
    }
    if (others.size() < MOST_OTHERS && saysLess(other)) {
      others.add(other);
    }
  }

  /** True for what doesn't know of all that is taken. */
  private boolean saysLess(Modification other) {
    for (Modification one : taken) {
      if (!one.sent().precedes(other.sent())) {
        return true;
      }
    }
    return false;
  }

  /**
   * What the waiter can't be sure of. It is sure of what a rank has released when those
   * modifications that know nothing of it aren't enough to let it through.
   */
  Optional<Doubt> doubt() {
    if (taken.isEmpty() || (others.isEmpty() && isTight())) {
      return Optional.empty();
    }
    List<Modification> all = new ArrayList<>(taken);
    all.addAll(others);
    var common = new ArrayList<Integer>();
    var gaps = new ArrayList<Gap>(0);
    for (int rank = 0; rank < after.ranks(); rank++) {
      Modification best = knowsMost(rank);
      int last = best.sent().knownOf(rank);
      int sure = rank == wait.rank() ? last : surelyKnown(rank, all, last);
      common.add(sure);
      if (sure < last) {
        gaps.add(new Gap(rank, sure, last, best.notification(), instead(rank, sure, all)));
      }
    }
    return gaps.isEmpty() ? Optional.empty() : Optional.of(new Doubt(wait, common, gaps));
  }

  /** True when the wait needed each of those taken, and they are all that there is. */
  private boolean isTight() {
    int least = taken.stream().mapToInt(Modification::value).min().orElseThrow();
    int sum = base + taken.stream().mapToInt(Modification::value).sum();
    return taken.stream().allMatch(one -> one.gives() && !one.set()) && !wait.holds(sum - least);
  }

  private Modification knowsMost(int rank) {
    Modification best = taken.getFirst();
    for (Modification one : taken) {
      best = one.sent().knownOf(rank) > best.sent().knownOf(rank) ? one : best;
    }
    return best;
  }

  /** The first that gives something, and says nothing of what comes after {@code sure}. */
  private static Notification instead(int rank, int sure, List<Modification> all) {
    return all.stream()
        .filter(other -> other.gives() && other.sent().knownOf(rank) <= sure)
        .findFirst()
        .orElseThrow()
        .notification();
  }

  /**
   * The last release of a rank that is known whatever lets the wait through; at most {@code last}.
   */
  private int surelyKnown(int rank, List<Modification> all, int last) {
    int[] known =
        all.stream().mapToInt(one -> one.sent().knownOf(rank)).distinct().sorted().toArray();
    for (int most : known) {
      if (most >= last) {
        break;
      }
      if (holdsWith(all.stream().filter(one -> one.sent().knownOf(rank) <= most).toList())) {
        return most;
      }
    }
    return last;
  }

  /**
   * Whether some of these let the wait through. Each comes with those of them that it knows of;
   * what takes credits back may come later unless one that gives some knows of it.
   */
  private boolean holdsWith(List<Modification> some) {
    long value = base;
    boolean sets = false;
    for (Modification one : some) {
      if (one.set() && wait.holds(one.value())) {
        return true;
      }
      sets |= one.set();
      if (one.gives() || isKnownToAGiver(one, some)) {
        value += one.value();
      }
    }
    return !sets && value <= Integer.MAX_VALUE && wait.holds((int) value);
  }

  private static boolean isKnownToAGiver(Modification taking, List<Modification> some) {
    return some.stream().anyMatch(one -> one.gives() && taking.sent().precedes(one.sent()));
  }

  /**
   * Whether the wait would never have ended, had everything that might come before it done so. To
   * be asked when the launch is over.
   */
  Optional<Stall> stall() {
    if (takesBack == null || setByOthers || taken.stream().anyMatch(Modification::set)) {
      return Optional.empty();
    }
    int then = base + sumOfOthers + taken.stream().mapToInt(Modification::value).sum();
    return wait.holds(then) ? Optional.empty() : Optional.of(new Stall(wait, takesBack, then));
  }
}
