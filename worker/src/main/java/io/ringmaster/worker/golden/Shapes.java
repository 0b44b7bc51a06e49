package io.ringmaster.worker.golden;

import java.util.Arrays;

/** Arithmetic on tensor shapes. */
public final class Shapes {

  private Shapes() {}

  /** True when two shapes broadcast to a common one. */
  public static boolean broadcasts(long[] left, long[] right) {
    int common = Math.min(left.length, right.length);
    for (int back = 1; back <= common; back++) {
      long a = left[left.length - back];
      long b = right[right.length - back];
      if (a != b && a != 1 && b != 1) {
        return false;
      }
    }
    return true;
  }

  /**
   * The common shape of two that broadcast.
   *
   * @throws IllegalArgumentException when they don't; ask {@link #broadcasts} first
   */
  public static long[] broadcast(long[] left, long[] right) {
    if (!broadcasts(left, right)) {
      throw new IllegalArgumentException(
          "shapes "
              + Arrays.toString(left)
              + " and "
              + Arrays.toString(right)
              + " don't broadcast");
    }
    int rank = Math.max(left.length, right.length);
    long[] result = new long[rank];
    for (int back = 1; back <= rank; back++) {
      long a = back <= left.length ? left[left.length - back] : 1;
      long b = back <= right.length ? right[right.length - back] : 1;
      result[rank - back] = a == 1 ? b : a;
    }
    return result;
  }
}
