package io.ringmaster.worker.golden;

import io.ringmaster.worker.stop.StopOrder;
import io.ringmaster.worker.tensor.HostTensor;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Recognises sums over the ranks that took some rank's part not at all, or twice: in all of a
 * vector or in the segments that a ring or a two-phase sum cuts it into.
 */
final class Multiplicities {

  /** With more ranks there are too many sums to try. */
  private static final int MOST_RANKS = 6;

  private static final int MOST_TIMES = 2;
  private static final int LISTED = 4;

  private Multiplicities() {}

  /**
   * Compares with every sum that the ranks' parts give.
   *
   * @param inputs tensors with one row for each rank
   */
  static Optional<String> explain(double[] got, double[] wanted, List<HostTensor> inputs) {
    for (HostTensor input : inputs) {
      long[] shape = input.shape();
      if (shape.length < 2 || shape[0] < 2 || shape[0] > MOST_RANKS) {
        continue;
      }
      int ranks = (int) shape[0];
      double[] values = Block.values(input, new long[0]);
      if (values.length != got.length * ranks) {
        continue;
      }
      for (int segments : new int[] {1, ranks}) {
        if (got.length % segments == 0) {
          Optional<String> sentence = explain(got, wanted, values, ranks, segments);
          if (sentence.isPresent()) {
            return sentence;
          }
        }
      }
    }
    return Optional.empty();
  }

  private static Optional<String> explain(
      double[] got, double[] wanted, double[] values, int ranks, int segments) {
    int width = got.length / segments;
    int[] once = new int[ranks];
    java.util.Arrays.fill(once, 1);
    List<String> parts = new ArrayList<>();
    int wrong = 0;
    for (int segment = 0; segment < segments; segment++) {
      int from = segment * width;
      if (!gives(once, wanted, values, from, width)) {
        return Optional.empty();
      }
      if (Block.close(got, from, wanted, from, width)) {
        continue;
      }
      int[] times = find(got, values, ranks, from, width);
      if (times.length == 0) {
        return Optional.empty();
      }
      wrong++;
      if (parts.size() < LISTED) {
        parts.add((segments == 1 ? "the sum " : "segment " + segment + " ") + said(times));
      }
    }
    if (wrong == 0) {
      return Optional.empty();
    }
    String more = wrong > LISTED ? "; " + (wrong - LISTED) + " more segments alike" : "";
    return Optional.of(String.join(", ", parts) + more);
  }

  /** How often each rank's part is in the sum; empty when no way gives it. */
  private static int[] find(double[] got, double[] values, int ranks, int from, int width) {
    int[] times = new int[ranks];
    while (true) {
      StopOrder.look();
      if (gives(times, got, values, from, width)) {
        return times;
      }
      int rank = 0;
      while (rank < ranks && times[rank] == MOST_TIMES) {
        times[rank++] = 0;
      }
      if (rank == ranks) {
        return new int[0];
      }
      times[rank]++;
    }
  }

  private static boolean gives(int[] times, double[] sum, double[] values, int from, int width) {
    int length = values.length / times.length;
    for (int i = from; i < from + width; i++) {
      double total = 0;
      for (int rank = 0; rank < times.length; rank++) {
        total += times[rank] * values[rank * length + i];
      }
      if (!Block.close(sum[i], total)) {
        return false;
      }
    }
    return true;
  }

  /** {@code lacks ranks 2 and 3, has rank 0 twice}. */
  private static String said(int[] times) {
    List<String> missing = new ArrayList<>();
    List<String> twice = new ArrayList<>();
    for (int rank = 0; rank < times.length; rank++) {
      if (times[rank] == 0) {
        missing.add(String.valueOf(rank));
      } else if (times[rank] > 1) {
        twice.add(String.valueOf(rank));
      }
    }
    List<String> parts = new ArrayList<>();
    if (!missing.isEmpty()) {
      parts.add("lacks " + ranks(missing));
    }
    if (!twice.isEmpty()) {
      parts.add("has " + ranks(twice) + " twice");
    }
    return String.join(" and ", parts);
  }

  private static String ranks(List<String> names) {
    return names.size() == 1
        ? "rank " + names.getFirst()
        : "ranks "
            + String.join(", ", names.subList(0, names.size() - 1))
            + " and "
            + names.getLast();
  }
}
