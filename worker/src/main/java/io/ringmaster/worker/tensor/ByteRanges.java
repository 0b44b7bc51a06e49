package io.ringmaster.worker.tensor;

import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;

/** A set of bytes, kept as disjoint, merged, half-open ranges. */
public final class ByteRanges {

  private final TreeMap<Long, Long> ends = new TreeMap<>();

  /** Adds {@code [from, to)}. */
  public void add(long from, long to) {
    if (from >= to) {
      return;
    }
    long start = from;
    long end = to;
    Map.Entry<Long, Long> before = ends.floorEntry(from);
    if (before != null && before.getValue() >= from) {
      start = before.getKey();
      end = Math.max(end, before.getValue());
    }
    Map.Entry<Long, Long> next = ends.ceilingEntry(start);
    while (next != null && next.getKey() <= end) {
      end = Math.max(end, next.getValue());
      ends.remove(next.getKey());
      next = ends.ceilingEntry(start);
    }
    ends.put(start, end);
  }

  /** Takes {@code [from, to)} out. */
  public void remove(long from, long to) {
    if (from >= to) {
      return;
    }
    Map.Entry<Long, Long> last = ends.lowerEntry(to);
    while (last != null && last.getValue() > from) {
      ends.remove(last.getKey());
      if (last.getValue() > to) {
        ends.put(to, last.getValue());
      }
      if (last.getKey() < from) {
        ends.put(last.getKey(), from);
      }
      last = ends.lowerEntry(last.getKey());
    }
  }

  /** True when every byte of {@code [from, to)} is in the set. */
  public boolean containsAll(long from, long to) {
    if (from >= to) {
      return true;
    }
    Map.Entry<Long, Long> before = ends.floorEntry(from);
    return before != null && before.getValue() >= to;
  }

  /** True when some byte of {@code [from, to)} is in the set. */
  public boolean intersects(long from, long to) {
    if (from >= to) {
      return false;
    }
    Map.Entry<Long, Long> before = ends.lowerEntry(to);
    return before != null && before.getValue() > from;
  }

  /** What of the set lies in {@code [from, to)}: ascending ranges as from, to, from, to... */
  public long[] within(long from, long to) {
    long[] found = new long[8];
    int count = 0;
    Map.Entry<Long, Long> range = ends.floorEntry(from);
    if (range == null || range.getValue() <= from) {
      range = ends.higherEntry(from);
    }
    while (range != null && range.getKey() < to) {
      if (count == found.length) {
        found = Arrays.copyOf(found, 2 * count);
      }
      found[count++] = Math.max(from, range.getKey());
      found[count++] = Math.min(to, range.getValue());
      range = ends.higherEntry(range.getKey());
    }
    return Arrays.copyOf(found, count);
  }

  /** Number of disjoint ranges. */
  public int count() {
    return ends.size();
  }

  public boolean isEmpty() {
    return ends.isEmpty();
  }

  /** Number of bytes in the set. */
  public long size() {
    long total = 0;
    for (Map.Entry<Long, Long> range : ends.entrySet()) {
      total += range.getValue() - range.getKey();
    }
    return total;
  }

  /** Adds all of it to {@code other} and leaves this set empty. */
  public void moveTo(ByteRanges other) {
    ends.forEach(other::add);
    ends.clear();
  }

  public void clear() {
    ends.clear();
  }
}
