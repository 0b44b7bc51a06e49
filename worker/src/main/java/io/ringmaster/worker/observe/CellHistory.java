package io.ringmaster.worker.observe;

import io.ringmaster.worker.fabric.SignalWait;
import java.util.ArrayList;
import java.util.List;

/**
 * The modifications of one signal cell, and which of them a wait of its owner synchronises with.
 *
 * <p>The answer must not depend on how late the wait happened to look. So a wait doesn't join every
 * credit that is there when it looks. It takes the modifications that come before it in every
 * schedule, and then as few of the others, in the order in which they were applied, as satisfy it:
 * the rest could as well have come later. A Set wipes out what stood in the cell, so a value that
 * it produced says nothing about earlier modifications by others.
 *
 * <p>Modifications that come before the owner in every schedule are folded into {@code base}; what
 * is left is bounded by the credits that nobody has waited for.
 */
final class CellHistory {

  /** Beyond this many unread modifications the older half is merged into one. */
  private static final int LONGEST = 4096;

  private record Modification(int value, boolean set, Stamp sent, boolean merged) {
    int applyTo(int before) {
      return set ? value : before + value;
    }
  }

  private int base;
  private List<Modification> unread = new ArrayList<>();

  /** {@code initial} is the cell's value before its first modification. */
  CellHistory(int initial) {
    this.base = initial;
  }

  void applied(int value, boolean set, Stamp sent, VectorClocks clocks) {
    unread.add(new Modification(value, set, sent, false));
    if (unread.size() > LONGEST) {
      shorten(clocks.ranks());
    }
  }

  /** Orders the owner after the modifications that let its wait through. */
  void passed(SignalWait wait, VectorClocks clocks) {
    int owner = wait.rank();
    foldKnown(owner, clocks);
    if (wait.holds(base)) {
      return;
    }
    int value = base;
    int lastSet = 0;
    for (int i = 0; i < unread.size(); i++) {
      Modification next = unread.get(i);
      if (next.set()) {
        lastSet = i;
      }
      value = next.applyTo(value);
      if (wait.holds(value)) {
        consume(owner, lastSet, i, value, clocks);
        return;
      }
    }
    // Sets by several ranks can make this order one that never satisfies the wait, though the
    // real one did: then every modification counts.
    if (!unread.isEmpty()) {
      consume(owner, 0, unread.size() - 1, value, clocks);
    }
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

  private void consume(int owner, int first, int last, int value, VectorClocks clocks) {
    for (Modification read : unread.subList(first, last + 1)) {
      clocks.join(owner, read.sent());
    }
    var rest = new ArrayList<Modification>();
    for (int i = 0; i < unread.size(); i++) {
      if (i > last || !clocks.precedes(unread.get(i).sent(), owner)) {
        rest.add(unread.get(i));
      }
    }
    unread = rest;
    base = value;
  }

  private void shorten(int ranks) {
    int half = unread.size() / 2;
    Modification merged = unread.getFirst();
    for (Modification next : unread.subList(1, half)) {
      boolean set = merged.set() || next.set();
      Stamp sent = VectorClocks.merge(merged.sent(), next.sent(), ranks);
      merged = new Modification(next.applyTo(merged.value()), set, sent, true);
    }
    var rest = new ArrayList<Modification>();
    rest.add(merged);
    rest.addAll(unread.subList(half, unread.size()));
    unread = rest;
  }
}
