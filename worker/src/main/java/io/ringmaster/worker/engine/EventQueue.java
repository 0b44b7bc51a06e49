package io.ringmaster.worker.engine;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** What happens next: a binary heap ordered by time, then tie, without boxing. */
final class EventQueue {

  private long[] times = new long[64];
  private long[] ties = new long[64];
  private @Nullable Object[] items = new @Nullable Object[64];
  private int size;

  boolean isEmpty() {
    return size == 0;
  }

  /** Time of the first item; the largest value when there is none. */
  long firstTime() {
    return size == 0 ? Long.MAX_VALUE : times[0];
  }

  /** Tie of the first item; the largest value when there is none. */
  long firstTie() {
    return size == 0 ? Long.MAX_VALUE : ties[0];
  }

  void add(long time, long tie, Object item) {
    if (size == times.length) {
      times = Arrays.copyOf(times, size * 2);
      ties = Arrays.copyOf(ties, size * 2);
      items = Arrays.copyOf(items, size * 2);
    }
    int at = size++;
    while (at > 0) {
      int parent = (at - 1) >>> 1;
      if (!before(time, tie, times[parent], ties[parent])) {
        break;
      }
      move(parent, at);
      at = parent;
    }
    set(at, time, tie, item);
  }

  /** Removes the first item. */
  Object remove() {
    Object first = items[0];
    if (size == 0 || first == null) {
      throw new IllegalStateException("empty queue");
    }
    size--;
    long time = times[size];
    long tie = ties[size];
    Object item = items[size];
    items[size] = null;
    if (size > 0) {
      int at = 0;
      while (true) {
        int child = 2 * at + 1;
        if (child >= size) {
          break;
        }
        if (child + 1 < size
            && before(times[child + 1], ties[child + 1], times[child], ties[child])) {
          child++;
        }
        if (!before(times[child], ties[child], time, tie)) {
          break;
        }
        move(child, at);
        at = child;
      }
      set(at, time, tie, item);
    }
    return first;
  }

  private static boolean before(long time, long tie, long otherTime, long otherTie) {
    return time < otherTime || (time == otherTime && tie < otherTie);
  }

  private void move(int from, int to) {
    times[to] = times[from];
    ties[to] = ties[from];
    items[to] = items[from];
  }

  private void set(int at, long time, long tie, @Nullable Object item) {
    times[at] = time;
    ties[at] = tie;
    items[at] = item;
  }
}
