package io.ringmaster.worker.fabric;

import io.ringmaster.worker.tensor.HostAccess;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The bytes of a slice that its own memory doesn't hold yet: those that are still zero, and those
 * that were copied from other memory which has not changed since. They are put into the slice when
 * somebody needs them there.
 *
 * <p>Sorted, disjoint ranges; neighbours that continue each other are one range.
 */
final class Deferred implements Borrower {

  /** Shorter ranges are copied at once: keeping account of them costs more. */
  static final long SHORTEST = 4096;

  /** More ranges than this are copied: an account of crumbs costs more than it saves. */
  private static final int MOST = 4096;

  private final WindowSlice slice;
  private long[] from = new long[4];
  private long[] to = new long[4];
  private long[] shift = new long[4];
  private @Nullable Region[] source = new @Nullable Region[4];
  private int count;

  /** Begins with nothing deferred, or with zeros everywhere. */
  Deferred(WindowSlice slice, boolean zeros, long bytes) {
    this.slice = slice;
    if (zeros) {
      insert(0, 0, bytes, null, 0);
    }
  }

  /** Index of the first range that ends behind {@code at}. */
  private int find(long at) {
    int low = 0;
    int high = count;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (to[middle] <= at) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  /** The range that holds all of {@code [first, end)} in another region; -1 if there is none. */
  int holding(long first, long end) {
    int i = find(first);
    return i < count && from[i] <= first && end <= to[i] && source[i] != null ? i : -1;
  }

  /** The region that has the bytes of a range. */
  Region source(int range) {
    Region region = source[range];
    if (region == null) {
      throw new IllegalStateException("range " + range + " is zero");
    }
    return region;
  }

  /** How much further along than here the bytes of a range lie there. */
  long shift(int range) {
    return shift[range];
  }

  /** Puts the bytes of {@code [first, end)} into the slice, and some around them. */
  void settle(long first, long end) {
    int i = find(first);
    if (i >= count || from[i] >= end) {
      return;
    }
    long low = Math.floorDiv(first, SHORTEST) * SHORTEST;
    long high = Math.ceilDiv(end, SHORTEST) * SHORTEST;
    for (i = find(low); i < count && from[i] < high; i++) {
      fill(i, Math.max(from[i], low), Math.min(to[i], high));
    }
    drop(low, high);
    if (count > MOST) {
      settleAll();
    }
  }

  void settleAll() {
    for (int i = 0; i < count; i++) {
      fill(i, from[i], to[i]);
    }
    Arrays.fill(source, 0, count, null);
    count = 0;
  }

  private void fill(int range, long first, long end) {
    MemorySegment own = slice.segment();
    Region region = source[range];
    long bytes = end - first;
    HostAccess access = slice.access();
    if (access != null) {
      access.changing(own, first, bytes);
    }
    if (region == null) {
      own.asSlice(first, bytes).fill((byte) 0);
    } else {
      if (access != null) {
        access.reading(region.segment(), first + shift[range], bytes);
      }
      MemorySegment.copy(region.segment(), first + shift[range], own, first, bytes);
    }
    if (access != null) {
      access.changed(own, first, bytes);
    }
  }

  /** Forgets what was deferred for {@code [first, end)}, which is about to be overwritten. */
  void drop(long first, long end) {
    int i = find(first);
    if (i < count && from[i] < first && to[i] > end) {
      insert(i + 1, end, to[i], source[i], shift[i]);
      to[i] = first;
      return;
    }
    if (i < count && from[i] < first) {
      to[i] = first;
      i++;
    }
    int last = i;
    while (last < count && to[last] <= end) {
      last++;
    }
    if (last < count && from[last] < end) {
      from[last] = end;
    }
    remove(i, last);
  }

  /** Defers copying {@code [first, end)} from a region that has it at {@code first + by}. */
  void borrow(long first, long end, Region lender, long by) {
    drop(first, end);
    int i = find(first);
    boolean left = i > 0 && to[i - 1] == first && continues(i - 1, lender, by);
    boolean right = i < count && from[i] == end && continues(i, lender, by);
    if (left && right) {
      to[i - 1] = to[i];
      remove(i, i + 1);
    } else if (left) {
      to[i - 1] = end;
    } else if (right) {
      from[i] = first;
    } else {
      insert(i, first, end, lender, by);
    }
    lender.lend(this, first + by, end + by);
  }

  @SuppressWarnings("ReferenceEquality") // Regions are places.
  private boolean continues(int range, Region lender, long by) {
    return source[range] == lender && shift[range] == by;
  }

  private void insert(int at, long first, long end, @Nullable Region lender, long by) {
    if (count == from.length) {
      from = Arrays.copyOf(from, 2 * count);
      to = Arrays.copyOf(to, 2 * count);
      shift = Arrays.copyOf(shift, 2 * count);
      source = Arrays.copyOf(source, 2 * count);
    }
    move(at, at + 1);
    from[at] = first;
    to[at] = end;
    shift[at] = by;
    source[at] = lender;
    count++;
  }

  private void remove(int first, int end) {
    if (first == end) {
      return;
    }
    move(end, first);
    int left = count - (end - first);
    Arrays.fill(source, left, count, null);
    count = left;
  }

  private void move(int first, int target) {
    int length = count - first;
    System.arraycopy(from, first, from, target, length);
    System.arraycopy(to, first, to, target, length);
    System.arraycopy(shift, first, shift, target, length);
    System.arraycopy(source, first, source, target, length);
  }

  @Override
  @SuppressWarnings("ReferenceEquality")
  public void copyFrom(Region lender, long first, long end) {
    for (int i = 0; i < count; i++) {
      if (source[i] == lender && from[i] + shift[i] < end && first < to[i] + shift[i]) {
        settle(Math.max(from[i], first - shift[i]), Math.min(to[i], end - shift[i]));
        i = -1;
      }
    }
  }

  @Override
  @SuppressWarnings("ReferenceEquality")
  public long firstNeeded(Region lender) {
    long first = Long.MAX_VALUE;
    for (int i = 0; i < count; i++) {
      first = source[i] == lender ? Math.min(first, from[i] + shift[i]) : first;
    }
    return first;
  }

  @Override
  @SuppressWarnings("ReferenceEquality")
  public long endNeeded(Region lender) {
    long end = Long.MIN_VALUE;
    for (int i = 0; i < count; i++) {
      end = source[i] == lender ? Math.max(end, to[i] + shift[i]) : end;
    }
    return end;
  }
}
