package io.ringmaster.worker.engine;

import io.ringmaster.worker.fabric.Box;
import io.ringmaster.worker.fabric.TensorView;
import io.ringmaster.worker.stop.StopOrder;
import java.util.ArrayList;
import java.util.List;

/**
 * The bytes of a region that a view covers, as evenly spaced rows: exact, so disjoint columns are
 * disjoint.
 */
final class Footprint {

  private record Rows(long from, long count, long bytes, long stride) {

    long end() {
      return from + (count - 1) * stride + bytes;
    }

    /** True when some row reaches into {@code [low, high)}. */
    boolean touches(long low, long high) {
      if (high <= from || low >= end()) {
        return false;
      }
      if (count == 1 || stride <= bytes) {
        return true;
      }
      long first = Math.max(0, Math.floorDiv(low - from - bytes, stride) + 1);
      return first < count && from + first * stride < high;
    }
  }

  private final List<Rows> parts = new ArrayList<>();
  private long low = Long.MAX_VALUE;
  private long high = Long.MIN_VALUE;

  static Footprint of(TensorView view) {
    var footprint = new Footprint();
    new Box(view.region(), view.start(), view.shape(), view.strides(), view.dtype())
        .rows(footprint::add);
    return footprint;
  }

  private void add(long from, long count, long bytes, long stride) {
    Rows rows = new Rows(from, count, bytes, stride);
    parts.add(rows);
    low = Math.min(low, from);
    high = Math.max(high, rows.end());
  }

  /** First byte. */
  long low() {
    return low;
  }

  /** End of the last byte. */
  long high() {
    return high;
  }

  boolean isEmpty() {
    return parts.isEmpty();
  }

  /** First byte of both, taken as wholes. */
  long firstCommon(Footprint other) {
    return Math.max(low, other.low);
  }

  /** End of both, taken as wholes. */
  long endOfCommon(Footprint other) {
    return Math.min(high, other.high);
  }

  boolean sameAs(Footprint other) {
    return low == other.low && high == other.high && parts.equals(other.parts);
  }

  boolean overlaps(Footprint other) {
    if (low >= other.high || other.low >= high) {
      return false;
    }
    for (Rows mine : parts) {
      for (Rows theirs : other.parts) {
        boolean mineFewer = mine.count() <= theirs.count();
        Rows fewer = mineFewer ? mine : theirs;
        Rows more = mineFewer ? theirs : mine;
        for (long row = 0; row < fewer.count(); row++) {
          StopOrder.look(row);
          long at = fewer.from() + row * fewer.stride();
          if (more.touches(at, at + fewer.bytes())) {
            return true;
          }
        }
      }
    }
    return false;
  }

  /** Adds the bytes to a set. */
  void addTo(io.ringmaster.worker.tensor.ByteRanges ranges) {
    for (Rows rows : parts) {
      for (long row = 0; row < rows.count(); row++) {
        StopOrder.look(row);
        long at = rows.from() + row * rows.stride();
        ranges.add(at, at + rows.bytes());
      }
    }
  }
}
