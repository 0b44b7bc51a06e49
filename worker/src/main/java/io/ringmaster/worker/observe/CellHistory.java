package io.ringmaster.worker.observe;

import io.ringmaster.worker.fabric.Notification;
import io.ringmaster.worker.fabric.SignalWait;
import io.ringmaster.worker.observe.Doubts.Doubt;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;

/**
 * The modifications of one signal cell, and which of them a wait of its owner synchronises with.
 *
 * <p>The answer must not depend on how late the wait happened to look. So a wait doesn't join every
 * credit that is there when it looks. It takes the modifications that come before it in every
 * schedule, and then as few of the others, in the order in which they were applied, as satisfy it:
 * the rest could as well have come later. A Set wipes out what stood in the cell, so a value that
 * it produced says nothing about earlier modifications by others.
 *
 * <p>As few as satisfy it may still be the wrong ones: a credit that comes after the wait, though
 * nothing makes it, might have come first and have let the wait through. So the last waits are
 * remembered, see {@link Passage}.
 *
 * <p>Modifications that come before the owner in every schedule are folded into {@code base}; what
 * is left is bounded by the credits that nobody has waited for.
 */
final class CellHistory {

  /** Beyond this many unread modifications the older half is merged into one. */
  private static final int LONGEST = 4096;

  /** Waits that are remembered; what can go wrong with one can go wrong in each round. */
  private static final int MOST_PASSAGES = 8;

  private int base;

  /** What the cell holds, as far as notifies put it there. */
  private int value;

  private List<Modification> unread = new ArrayList<>();
  private final Deque<Passage> passages = new ArrayDeque<>(2);
  private final List<Doubt> doubts = new ArrayList<>(0);

  /** {@code initial} is the cell's value before its first modification. */
  CellHistory(int initial) {
    this.base = initial;
    this.value = initial;
  }

  void applied(Notification notification, int before, int after, Stamp sent, VectorClocks clocks) {
    holds(before);
    value = after;
    var modification =
        new Modification(notification, notification.value(), notification.set(), sent, false);
    passages.forEach(passage -> passage.hears(modification));
    unread.add(modification);
    if (unread.size() > LONGEST) {
      shorten(clocks.ranks());
    }
  }

  /**
   * Something else than a notify, such as the owner's store, may have put a value into the cell;
   * then nothing that came before lets a wait through any more.
   */
  private void holds(int seen) {
    if (seen != value) {
      base = seen;
      value = seen;
      unread.clear();
    }
  }

  /**
   * Orders the owner after the modifications that let its wait through.
   *
   * @param seen what the cell held when it did
   * @param doubt what the wait orders instead, when it is known that others could have let it
   *     through
   */
  void passed(SignalWait wait, int seen, Optional<Doubt> doubt, VectorClocks clocks) {
    holds(seen);
    int owner = wait.rank();
    foldKnown(owner, clocks);
    int before = base;
    List<Modification> taken = wait.holds(base) ? List.of() : needed(wait);
    if (doubt.isPresent()) {
      clocks.join(owner, doubt.get().common());
      foldKnown(owner, clocks);
    } else if (!taken.isEmpty()) {
      taken.forEach(read -> clocks.join(owner, read.sent()));
      consume(owner, unread.indexOf(taken.getLast()), clocks);
    }
    if (!wait.exact()) {
      remember(new Passage(wait, clocks.now(owner), before, taken));
    }
  }

  /** The first modifications that satisfy the wait, from the last Set among them on. */
  private List<Modification> needed(SignalWait wait) {
    int value = base;
    int lastSet = 0;
    for (int i = 0; i < unread.size(); i++) {
      Modification next = unread.get(i);
      if (next.set()) {
        lastSet = i;
      }
      value = next.applyTo(value);
      if (wait.holds(value)) {
        return List.copyOf(unread.subList(lastSet, i + 1));
      }
    }
    // Sets by several ranks can make this order one that never satisfies the wait, though the
    // real one did: then every modification counts.
    return List.copyOf(unread);
  }

  private void foldKnown(int owner, VectorClocks clocks) {
    if (unread.isEmpty()) {
      return;
    }
    var rest = new ArrayList<Modification>();
    for (Modification next : unread) {
      if (clocks.precedes(next.sent(), owner)) {
        base = next.applyTo(base);
        if (next.merged()) {
          clocks.join(owner, next.sent());
        }
      } else {
        rest.add(next);
      }
    }
    unread = rest;
  }

  private void consume(int owner, int last, VectorClocks clocks) {
    var rest = new ArrayList<Modification>();
    for (int i = 0; i < unread.size(); i++) {
      Modification next = unread.get(i);
      if (i <= last) {
        base = next.applyTo(base);
      }
      if (i > last || !clocks.precedes(next.sent(), owner)) {
        rest.add(next);
      }
    }
    unread = rest;
  }

  private void remember(Passage passage) {
    unread.forEach(passage::hears);
    if (passages.size() == MOST_PASSAGES) {
      passages.remove().doubt().ifPresent(doubts::add);
    }
    passages.add(passage);
  }

  /** Waits that order less than they seem to, as far as is known by now. */
  List<Doubt> doubts() {
    var all = new ArrayList<>(doubts);
    passages.forEach(passage -> passage.doubt().ifPresent(all::add));
    return all;
  }

  /** The last waits that other modifications might have kept from ever ending. */
  List<Passage.Stall> stalls() {
    return passages.stream().flatMap(passage -> passage.stall().stream()).toList();
  }

  private void shorten(int ranks) {
    int half = unread.size() / 2;
    Modification merged = unread.getFirst();
    for (Modification next : unread.subList(1, half)) {
      boolean set = merged.set() || next.set();
      Stamp sent = VectorClocks.merge(merged.sent(), next.sent(), ranks);
      merged = new Modification(next.notification(), next.applyTo(merged.value()), set, sent, true);
    }
    var rest = new ArrayList<Modification>();
    rest.add(merged);
    rest.addAll(unread.subList(half, unread.size()));
    unread = rest;
  }
}
