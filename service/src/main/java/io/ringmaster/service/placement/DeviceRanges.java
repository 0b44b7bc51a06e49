package io.ringmaster.service.placement;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.IntPredicate;

/**
 * A set of device ids as ranges, since simulated pools have more devices than anybody wants to
 * list.
 *
 * @param ranges ascending, none touching another
 */
public record DeviceRanges(List<Range> ranges) {

  /** Ids from the first to the last, both included. */
  public record Range(int first, int last) {

    boolean contains(int device) {
      return device >= first && device <= last;
    }

    long size() {
      return (long) last - first + 1;
    }

    @Override
    public String toString() {
      return first == last ? Integer.toString(first) : first + "-" + last;
    }
  }

  public DeviceRanges {
    var sorted = new ArrayList<>(ranges);
    sorted.sort(Comparator.comparingInt(Range::first));
    var merged = new ArrayList<Range>();
    for (var range : sorted) {
      var before = merged.isEmpty() ? null : merged.getLast();
      if (before != null && range.first() <= (long) before.last() + 1) {
        merged.removeLast();
        merged.add(new Range(before.first(), Math.max(before.last(), range.last())));
      } else {
        merged.add(range);
      }
    }
    ranges = List.copyOf(merged);
  }

  /** From pairs of first and last id, as the contract has them. */
  public static DeviceRanges of(List<List<Integer>> pairs) {
    return new DeviceRanges(each(pairs));
  }

  /** The range of each pair, in their order. */
  public static List<Range> each(List<List<Integer>> pairs) {
    return pairs.stream().map(pair -> new Range(pair.getFirst(), pair.getLast())).toList();
  }

  /** All ids of one range. */
  public static DeviceRanges of(int first, int last) {
    return new DeviceRanges(List.of(new Range(first, last)));
  }

  public boolean contains(int device) {
    int low = 0;
    int high = ranges.size() - 1;
    while (low <= high) {
      int middle = (low + high) >>> 1;
      var range = ranges.get(middle);
      if (device < range.first()) {
        high = middle - 1;
      } else if (device > range.last()) {
        low = middle + 1;
      } else {
        return true;
      }
    }
    return false;
  }

  public boolean containsAll(List<Integer> devices) {
    for (int device : devices) {
      if (!contains(device)) {
        return false;
      }
    }
    return true;
  }

  /** How many ids these are. */
  public long size() {
    long size = 0;
    for (var range : ranges) {
      size += range.size();
    }
    return size;
  }

  /**
   * The lowest ids that a rule lets through.
   *
   * @param most how many at most
   */
  public List<Integer> first(int most, IntPredicate rule) {
    var found = new ArrayList<Integer>();
    for (var range : ranges) {
      for (long device = range.first(); device <= range.last(); device++) {
        if (found.size() == most) {
          return found;
        }
        if (rule.test((int) device)) {
          found.add((int) device);
        }
      }
    }
    return found;
  }

  @Override
  public String toString() {
    return String.join(",", ranges.stream().map(Range::toString).toList());
  }
}
