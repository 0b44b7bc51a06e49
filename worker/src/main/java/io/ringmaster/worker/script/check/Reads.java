package io.ringmaster.worker.script.check;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The bytes of kernels' outputs that a value was computed from. Rather too many than too few: where
 * the ranges grow too many, what lies between them counts as well.
 */
public final class Reads {

  public static final Reads NONE = new Reads(List.of(), List.of());

  /** Ranges of one output that are told apart. */
  private static final int MOST_RANGES = 1024;

  private final List<Output> outputs;

  /** For each output its ranges, ascending and apart: from, to, from, to... */
  private final List<long[]> ranges;

  private Reads(List<Output> outputs, List<long[]> ranges) {
    this.outputs = outputs;
    this.ranges = ranges;
  }

  /**
   * Bytes of one output.
   *
   * @param ranges ascending and apart: from, to, from, to...
   */
  public static Reads of(Output output, long... ranges) {
    return ranges.length == 0 ? NONE : new Reads(List.of(output), List.of(ranges));
  }

  public boolean isEmpty() {
    return outputs.isEmpty();
  }

  public List<Output> outputs() {
    return outputs;
  }

  /** The ranges of the output at a place of {@link #outputs}. */
  public long[] ranges(int place) {
    return ranges.get(place);
  }

  /** What either was computed from. */
  public Reads and(Reads other) {
    if (other == this || other.contains(this)) {
      return other;
    }
    if (contains(other)) {
      return this;
    }
    List<Output> all = new ArrayList<>(outputs);
    List<long[]> bytes = new ArrayList<>(ranges);
    for (int i = 0; i < other.outputs.size(); i++) {
      int mine = place(other.outputs.get(i));
      if (mine < 0) {
        all.add(other.outputs.get(i));
        bytes.add(other.ranges.get(i));
      } else {
        bytes.set(mine, union(ranges.get(mine), other.ranges.get(i)));
      }
    }
    return new Reads(all, bytes);
  }

  /** What of this was really written by the kernels. */
  public Reads written() {
    Reads all = NONE;
    for (int i = 0; i < outputs.size(); i++) {
      long[] missing = difference(ranges.get(i), outputs.get(i).written());
      all = all.and(of(outputs.get(i), difference(ranges.get(i), missing)));
    }
    return all;
  }

  /** What of this and {@code other} is the same bytes. */
  Reads within(Reads other) {
    return without(without(other));
  }

  /** What of this isn't in {@code other}. */
  public Reads without(Reads other) {
    Reads left = NONE;
    for (int i = 0; i < outputs.size(); i++) {
      int theirs = other.place(outputs.get(i));
      long[] rest =
          theirs < 0 ? ranges.get(i) : difference(ranges.get(i), other.ranges.get(theirs));
      left = left.and(of(outputs.get(i), rest));
    }
    return left;
  }

  /** True when each output of this comes from a program that none of {@code other} comes from. */
  boolean isOfOtherProgramsThan(Reads other) {
    return outputs.stream()
        .noneMatch(mine -> other.outputs.stream().anyMatch(mine::isOfSameProgramAs));
  }

  private boolean contains(Reads other) {
    for (int i = 0; i < other.outputs.size(); i++) {
      int mine = place(other.outputs.get(i));
      if (mine < 0 || !contains(ranges.get(mine), other.ranges.get(i))) {
        return false;
      }
    }
    return true;
  }

  private int place(Output output) {
    for (int i = 0; i < outputs.size(); i++) {
      if (outputs.get(i) == output) {
        return i;
      }
    }
    return -1;
  }

  private static boolean contains(long[] all, long[] some) {
    int at = 0;
    for (int i = 0; i < some.length; i += 2) {
      while (at < all.length && all[at + 1] < some[i + 1]) {
        at += 2;
      }
      if (at == all.length || all[at] > some[i]) {
        return false;
      }
    }
    return true;
  }

  static long[] union(long[] a, long[] b) {
    long[] merged = new long[a.length + b.length];
    int count = 0;
    int i = 0;
    int j = 0;
    while (i < a.length || j < b.length) {
      boolean first = j == b.length || (i < a.length && a[i] <= b[j]);
      long from = first ? a[i] : b[j];
      long to = first ? a[i + 1] : b[j + 1];
      if (first) {
        i += 2;
      } else {
        j += 2;
      }
      if (count > 0 && merged[count - 1] >= from) {
        merged[count - 1] = Math.max(merged[count - 1], to);
      } else {
        merged[count++] = from;
        merged[count++] = to;
      }
    }
    return count > 2 * MOST_RANGES
        ? new long[] {merged[0], merged[count - 1]}
        : count == merged.length ? merged : Arrays.copyOf(merged, count);
  }

  /** What of some ranges isn't in others. */
  public static long[] difference(long[] from, long[] taken) {
    List<Long> rest = new ArrayList<>();
    for (int i = 0; i < from.length; i += 2) {
      long at = from[i];
      for (int j = 0; j < taken.length && at < from[i + 1]; j += 2) {
        if (taken[j + 1] <= at || taken[j] >= from[i + 1]) {
          continue;
        }
        if (taken[j] > at) {
          rest.add(at);
          rest.add(taken[j]);
        }
        at = Math.max(at, taken[j + 1]);
      }
      if (at < from[i + 1]) {
        rest.add(at);
        rest.add(from[i + 1]);
      }
    }
    return rest.stream().mapToLong(Long::longValue).toArray();
  }

  static long size(long[] ranges) {
    long size = 0;
    for (int i = 0; i < ranges.length; i += 2) {
      size += ranges[i + 1] - ranges[i];
    }
    return size;
  }
}
