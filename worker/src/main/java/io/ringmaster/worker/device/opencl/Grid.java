package io.ringmaster.worker.device.opencl;

import java.util.ArrayList;
import java.util.List;

/**
 * The dimensions of a launch with as few of them as possible: those of extent 1 left away,
 * neighbours that lie behind one another in every operand joined, the longest first.
 *
 * @param extents innermost first
 * @param steps of each operand (out, a, b) along each dimension
 */
@SuppressWarnings("ArrayRecordComponent") // Never compared.
record Grid(long[] extents, long[][] steps) {

  private static final int OPERANDS = 3;

  /** Below this a dimension is too short to be spread over neighbouring work items. */
  private static final long SHORT = 32;

  static Grid of(Job job) {
    long[][] strides = {job.out().strides(), job.a().strides(), job.b().strides()};
    List<long[]> dims = new ArrayList<>();
    for (int axis = job.extents().length - 1; axis >= 0; axis--) {
      long extent = job.extents()[axis];
      if (extent == 1) {
        continue;
      }
      long[] dim = {extent, strides[0][axis], strides[1][axis], strides[2][axis]};
      if (dims.isEmpty() || !joins(dims.getLast(), dim)) {
        dims.add(dim);
      } else {
        dims.getLast()[0] *= extent;
      }
    }
    if (dims.isEmpty()) {
      dims.add(new long[] {1, 0, 0, 0});
    }
    if (dims.getFirst()[0] < SHORT) {
      int longest = 0;
      for (int i = 1; i < dims.size(); i++) {
        longest = dims.get(i)[0] > dims.get(longest)[0] ? i : longest;
      }
      dims.addFirst(dims.remove(longest));
    }
    long[] extents = new long[dims.size()];
    long[][] steps = new long[OPERANDS][dims.size()];
    for (int i = 0; i < extents.length; i++) {
      extents[i] = dims.get(i)[0];
      for (int operand = 0; operand < OPERANDS; operand++) {
        steps[operand][i] = dims.get(i)[operand + 1];
      }
    }
    return new Grid(extents, steps);
  }

  private static boolean joins(long[] inner, long[] outer) {
    for (int operand = 1; operand <= OPERANDS; operand++) {
      if (outer[operand] != inner[operand] * inner[0]) {
        return false;
      }
    }
    return true;
  }

  /** Whether each operand lies in one piece. */
  boolean isFlat() {
    if (extents.length > 1) {
      return false;
    }
    for (long[] step : steps) {
      if (step[0] != 1 && extents[0] > 1) {
        return false;
      }
    }
    return true;
  }

  long extent(int dim) {
    return dim < extents.length ? extents[dim] : 1;
  }

  long step(int operand, int dim) {
    return dim < extents.length ? steps[operand][dim] : 0;
  }
}
