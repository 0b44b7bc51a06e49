package io.ringmaster.worker.observe;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Remembers, for one rank's slice of one window, who touched which bytes last.
 *
 * <p>Bytes with the same history share a segment. A segment keeps the touches that nothing later
 * replaces: usually the last write and one read of each rank since; bounded by three per rank
 * whatever the program does.
 */
final class Shadow {

  /** Told about every unordered conflicting pair, once for each segment. */
  interface Listener {
    /**
     * Two unordered touches of {@code [from, to)}.
     *
     * @param earlier was executed first in this schedule
     * @param from first byte, {@code to} exclusive
     * @param reuse one of the two reads a value written before, and the other writes the next one
     */
    void conflict(Touch earlier, Touch later, long from, long to, boolean reuse);
  }

  private static final class Segment {
    long to;
    List<Touch> touches = new ArrayList<>(2);
    Optional<Touch> overwritten = Optional.empty();

    Segment(long to) {
      this.to = to;
    }

    boolean sameHistory(Segment other) {
      if (touches.size() != other.touches.size()) {
        return false;
      }
      for (int i = 0; i < touches.size(); i++) {
        if (!same(touches.get(i), other.touches.get(i))) {
          return false;
        }
      }
      return overwritten.equals(other.overwritten);
    }
  }

  private final TreeMap<Long, Segment> segments = new TreeMap<>();
  private final HappensBefore order;
  private final Listener listener;

  Shadow(HappensBefore order, Listener listener) {
    this.order = order;
    this.listener = listener;
  }

  /** Number of byte ranges with a history of their own. */
  int size() {
    return segments.size();
  }

  /** Records that the rank of {@code touch}, at its present point, touches {@code [from, to)}. */
  void touch(long from, long to, Touch touch) {
    if (from >= to) {
      return;
    }
    split(from);
    split(to);
    long at = from;
    while (at < to) {
      Map.Entry<Long, Segment> next = segments.ceilingEntry(at);
      long start = next == null ? to : Math.min(next.getKey(), to);
      if (next == null || start > at) {
        Segment fresh = new Segment(start);
        fresh.touches.add(touch);
        segments.put(at, fresh);
        at = start;
        continue;
      }
      record(at, next.getValue(), touch);
      at = next.getValue().to;
    }
    mergeAround(from, to);
  }

  private void split(long at) {
    Map.Entry<Long, Segment> before = segments.lowerEntry(at);
    if (before == null || before.getValue().to <= at) {
      return;
    }
    Segment left = before.getValue();
    Segment right = new Segment(left.to);
    right.touches = new ArrayList<>(left.touches);
    right.overwritten = left.overwritten;
    left.to = at;
    segments.put(at, right);
  }

  private void record(long from, Segment segment, Touch touch) {
    boolean replaced = false;
    for (Touch earlier : segment.touches) {
      if (same(earlier, touch)) {
        return;
      }
      boolean replaces = touch.replaces(earlier);
      boolean conflicts = touch.conflictsWith(earlier);
      if (!replaces && !conflicts) {
        continue;
      }
      if (order.precedes(earlier.when(), touch.rank())) {
        replaced |= replaces;
      } else if (conflicts) {
        listener.conflict(earlier, touch, from, segment.to, isReuse(segment, earlier, touch));
      }
    }
    if (replaced) {
      drop(segment, touch);
    }
    segment.touches.add(touch);
  }

  private void drop(Segment segment, Touch touch) {
    var kept = new ArrayList<Touch>(segment.touches.size());
    for (Touch earlier : segment.touches) {
      if (order.precedes(earlier.when(), touch.rank()) && touch.replaces(earlier)) {
        if (!earlier.reads()) {
          segment.overwritten = Optional.of(earlier);
        }
      } else {
        kept.add(earlier);
      }
    }
    segment.touches = kept;
  }

  /** Joins the segments of {@code [from, to)} and their two neighbours where they are alike. */
  private void mergeAround(long from, long to) {
    Map.Entry<Long, Segment> left = segments.lowerEntry(from);
    if (left == null) {
      left = segments.floorEntry(from);
    }
    while (left != null) {
      Map.Entry<Long, Segment> right = segments.higherEntry(left.getKey());
      if (right == null || left.getKey() >= to) {
        return;
      }
      boolean adjacent = left.getValue().to == right.getKey();
      if (adjacent && left.getValue().sameHistory(right.getValue())) {
        left.getValue().to = right.getValue().to;
        segments.remove(right.getKey());
      } else {
        left = right;
      }
    }
  }

  private static boolean isReuse(Segment segment, Touch earlier, Touch later) {
    if (!earlier.reads() && !later.reads()) {
      return false;
    }
    Touch reader = earlier.reads() ? earlier : later;
    Touch writer = earlier.reads() ? later : earlier;
    for (Touch other : segment.touches) {
      if (!other.reads() && !same(other, writer) && other.when().precedes(reader.when())) {
        return true;
      }
    }
    return segment.overwritten.filter(old -> old.when().precedes(reader.when())).isPresent();
  }

  /** Touches are interned: one object for each, so identity says the same and is cheap. */
  @SuppressWarnings("ReferenceEquality")
  private static boolean same(Touch one, Touch other) {
    return one == other;
  }
}
