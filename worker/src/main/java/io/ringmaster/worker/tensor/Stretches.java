package io.ringmaster.worker.tensor;

import java.util.Arrays;

/** The stretches of memory that a view consists of, in bytes. */
public final class Stretches {

  /** Stretches that are told apart; of more, what lies between them counts as well. */
  private static final int MOST = 1024;

  private Stretches() {}

  /** Ascending and apart: from, to, from, to... */
  public static long[] of(HostTensor view) {
    if (view.elements() == 0) {
      return new long[0];
    }
    long bytes = view.dtype().bytes();
    long low = view.offset();
    long high = view.offset();
    for (int axis = 0; axis < view.rank(); axis++) {
      long reach = (view.shape()[axis] - 1) * view.strides()[axis];
      low += Math.min(0, reach);
      high += Math.max(0, reach);
    }
    long[] hull = {low * bytes, (high + 1) * bytes};
    int inner = view.rank();
    long run = 1;
    while (inner > 0 && (view.shape()[inner - 1] == 1 || view.strides()[inner - 1] == run)) {
      run *= view.shape()[--inner];
    }
    long count = view.elements() / run;
    // A permutation of all there is between its ends is one stretch, too.
    if (count == 1 || count > MOST || view.elements() >= high + 1 - low) {
      return hull;
    }
    long[] starts = new long[(int) count];
    for (int i = 0; i < count; i++) {
      long left = i;
      long at = view.offset();
      for (int axis = inner - 1; axis >= 0; axis--) {
        at += left % view.shape()[axis] * view.strides()[axis];
        left /= view.shape()[axis];
      }
      starts[i] = at;
    }
    Arrays.sort(starts);
    long[] ranges = new long[2 * starts.length];
    int used = 0;
    for (long start : starts) {
      long from = start * bytes;
      long to = (start + run) * bytes;
      if (used > 0 && ranges[used - 1] >= from) {
        ranges[used - 1] = Math.max(ranges[used - 1], to);
      } else {
        ranges[used++] = from;
        ranges[used++] = to;
      }
    }
    return Arrays.copyOf(ranges, used);
  }
}
