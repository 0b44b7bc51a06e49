package io.ringmaster.worker.engine;

import io.ringmaster.worker.fabric.WindowSlice;
import org.jspecify.annotations.Nullable;

/**
 * Signals on their way from one rank, of which nobody is told. They arrive in the order in which
 * they were sent, so that only the first of them has to stand in the queue of all events: with
 * thousands of ranks that signal everybody, the queue stays as short as there are ranks.
 */
final class Outbox {

  // The first signal; most ranks never have a second one on its way.
  private @Nullable WindowSlice target;
  private long time;
  private long tie;
  private long cell;
  private int value;
  private boolean set;

  private @Nullable Rest rest;

  /** Those behind the first, in a ring. */
  private static final class Rest {
    @Nullable WindowSlice[] targets = new @Nullable WindowSlice[4];

    /** Time, tie and cell of each. */
    long[] numbers = new long[12];

    /** Value, and 1 for a signal that sets its cell. */
    int[] values = new int[8];

    int head;
    int count;

    void add(long time, long tie, WindowSlice target, long cell, int value, boolean set) {
      if (count == targets.length) {
        grow();
      }
      int at = (head + count++) & (targets.length - 1);
      targets[at] = target;
      numbers[3 * at] = time;
      numbers[3 * at + 1] = tie;
      numbers[3 * at + 2] = cell;
      values[2 * at] = value;
      values[2 * at + 1] = set ? 1 : 0;
    }

    private void grow() {
      int old = targets.length;
      @Nullable WindowSlice[] moreTargets = new @Nullable WindowSlice[2 * old];
      long[] moreNumbers = new long[6 * old];
      int[] moreValues = new int[4 * old];
      int behind = old - head;
      System.arraycopy(targets, head, moreTargets, 0, behind);
      System.arraycopy(targets, 0, moreTargets, behind, head);
      System.arraycopy(numbers, 3 * head, moreNumbers, 0, 3 * behind);
      System.arraycopy(numbers, 0, moreNumbers, 3 * behind, 3 * head);
      System.arraycopy(values, 2 * head, moreValues, 0, 2 * behind);
      System.arraycopy(values, 0, moreValues, 2 * behind, 2 * head);
      targets = moreTargets;
      numbers = moreNumbers;
      values = moreValues;
      head = 0;
    }
  }

  boolean isEmpty() {
    return target == null;
  }

  /** Adds a signal that arrives no earlier than those before it. */
  void add(long at, long order, WindowSlice slice, long index, int amount, boolean sets) {
    if (target != null) {
      Rest behind = rest;
      if (behind == null) {
        behind = new Rest();
        rest = behind;
      }
      behind.add(at, order, slice, index, amount, sets);
      return;
    }
    target = slice;
    time = at;
    tie = order;
    cell = index;
    value = amount;
    set = sets;
  }

  /** When the first signal arrives. */
  long time() {
    return time;
  }

  long tie() {
    return tie;
  }

  WindowSlice target() {
    WindowSlice slice = target;
    if (slice == null) {
      throw new IllegalStateException("nothing is on its way");
    }
    return slice;
  }

  long cell() {
    return cell;
  }

  int value() {
    return value;
  }

  /** True when it sets its cell, false when it adds to it. */
  boolean set() {
    return set;
  }

  /** Takes the first signal out. */
  void remove() {
    Rest behind = rest;
    if (behind == null || behind.count == 0) {
      target = null;
      return;
    }
    int at = behind.head;
    target = behind.targets[at];
    behind.targets[at] = null;
    time = behind.numbers[3 * at];
    tie = behind.numbers[3 * at + 1];
    cell = behind.numbers[3 * at + 2];
    value = behind.values[2 * at];
    set = behind.values[2 * at + 1] != 0;
    behind.head = (at + 1) & (behind.targets.length - 1);
    behind.count--;
  }
}
