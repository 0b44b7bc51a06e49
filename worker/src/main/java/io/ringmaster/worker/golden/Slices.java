package io.ringmaster.worker.golden;

import io.ringmaster.worker.stop.StopOrder;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** Recognises values that are right but stand in the wrong slice. */
final class Slices {

  private static final int ZERO = -2;
  private static final int UNKNOWN = -1;
  private static final int LISTED = 4;

  private Slices() {}

  /**
   * Cuts both sides into equal slices and looks each wrong one up among the expected ones.
   *
   * @param noun what a slice is called: row, block or slice
   * @param byRank true when there is a slice for each rank
   * @return empty unless every wrong slice is found
   */
  static Optional<String> explain(
      double[] got, double[] wanted, int count, String noun, boolean byRank) {
    int width = got.length / count;
    if (width == 0 || !distinct(wanted, count, width)) {
      return Optional.empty();
    }
    int[] holds = new int[count];
    List<Integer> wrong = new ArrayList<>();
    for (int slice = 0; slice < count; slice++) {
      holds[slice] = find(got, slice, wanted, count, width);
      if (holds[slice] == UNKNOWN) {
        return Optional.empty();
      }
      if (holds[slice] != slice) {
        wrong.add(slice);
      }
    }
    return wrong.isEmpty() ? Optional.empty() : Optional.of(sentence(holds, wrong, noun, byRank));
  }

  private static int find(double[] got, int slice, double[] wanted, int count, int width) {
    if (Block.close(got, slice * width, wanted, slice * width, width)) {
      return slice;
    }
    StopOrder.look();
    for (int other = 0; other < count; other++) {
      if (Block.close(got, slice * width, wanted, other * width, width)) {
        return other;
      }
    }
    for (int i = 0; i < width; i++) {
      if (got[slice * width + i] != 0) {
        return UNKNOWN;
      }
    }
    return ZERO;
  }

  private static boolean distinct(double[] values, int count, int width) {
    Set<List<Double>> seen = new HashSet<>();
    for (int slice = 0; slice < count; slice++) {
      StopOrder.look();
      List<Double> one = new ArrayList<>();
      for (int i = 0; i < width; i++) {
        one.add(values[slice * width + i]);
      }
      if (!seen.add(one)) {
        return false;
      }
    }
    return true;
  }

  private static String sentence(int[] holds, List<Integer> wrong, String noun, boolean byRank) {
    TreeSet<Integer> zeros = new TreeSet<>();
    TreeMap<Integer, Integer> moved = new TreeMap<>();
    for (int slice : wrong) {
      if (holds[slice] == ZERO) {
        zeros.add(slice);
      } else {
        moved.put(slice, holds[slice]);
      }
    }
    List<String> parts = new ArrayList<>();
    if (!moved.isEmpty()) {
      parts.add(moved(holds, moved, zeros.isEmpty(), noun, byRank));
    }
    if (!zeros.isEmpty()) {
      boolean one = zeros.size() == 1;
      parts.add(
          noun
              + (one ? " " : "s ")
              + listed(zeros.stream().map(String::valueOf).toList())
              + (one ? " is" : " are")
              + " zero where data was expected: never written or never staged");
    }
    return String.join("; ", parts);
  }

  private static String moved(
      int[] holds, Map<Integer, Integer> moved, boolean complete, String noun, boolean byRank) {
    Set<Integer> sources = new HashSet<>(moved.values());
    boolean everywhere = complete && sources.size() == 1 && moved.size() == holds.length - 1;
    if (everywhere) {
      int own = sources.iterator().next();
      return "every "
          + noun
          + " holds "
          + source(own, noun, byRank)
          + (byRank
              ? ": the same window is read for every peer, or every rank was given the same input"
              : ": the same one every time");
    }
    List<String> each = new ArrayList<>();
    moved.forEach(
        (slice, from) -> each.add(noun + " " + slice + " holds " + source(from, noun, byRank)));
    int shift = rotation(holds);
    String reason = "";
    if (complete && shift > 0) {
      boolean back = shift > holds.length / 2;
      int by = back ? holds.length - shift : shift;
      reason = ": slots are rotated by " + (by == 1 ? "one" : Integer.toString(by));
    } else if (complete && sources.size() == moved.size()) {
      reason = ": slots are permuted";
    }
    return listed(each) + reason;
  }

  private static String source(int from, String noun, boolean byRank) {
    return byRank ? "rank " + from + "'s slice" : "what belongs in " + noun + " " + from;
  }

  /** How far all slices are shifted round; 0 when they aren't by one amount. */
  private static int rotation(int[] holds) {
    int count = holds.length;
    int shift = Math.floorMod(-holds[0], count);
    for (int slice = 0; slice < count; slice++) {
      if (Math.floorMod(slice - holds[slice], count) != shift) {
        return 0;
      }
    }
    return shift;
  }

  private static String listed(List<String> items) {
    return items.size() <= LISTED
        ? String.join(", ", items)
        : String.join(", ", items.subList(0, LISTED)) + " and " + (items.size() - LISTED) + " more";
  }
}
