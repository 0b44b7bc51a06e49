package io.ringmaster.worker.device.opencl;

import io.ringmaster.worker.device.DeviceFault;
import java.util.Arrays;

/** Arithmetic of extents and strides. */
final class Boxes {

  private Boxes() {}

  static long count(int[] shape) {
    long total = 1;
    for (int extent : shape) {
      total *= extent;
      if (total > Integer.MAX_VALUE) {
        throw new DeviceFault(
            "a tile of shape "
                + Arrays.toString(shape)
                + " has more than "
                + Integer.MAX_VALUE
                + " elements, which is the limit");
      }
    }
    return total;
  }

  static long[] longs(int[] values) {
    return Arrays.stream(values).asLongStream().toArray();
  }

  static long[] rowMajor(int[] shape) {
    long[] strides = new long[shape.length];
    long step = 1;
    for (int axis = shape.length - 1; axis >= 0; axis--) {
      strides[axis] = step;
      step *= shape[axis];
    }
    return strides;
  }

  /** Strides of a tile that is seen with another shape, repeated along its unit dimensions. */
  static long[] spread(int[] own, int[] shape) {
    long[] dense = rowMajor(own);
    long[] strides = new long[shape.length];
    for (int axis = 0; axis < shape.length; axis++) {
      int at = axis - (shape.length - own.length);
      strides[axis] = at < 0 || (own[at] == 1 && shape[axis] != 1) ? 0 : dense[at];
    }
    return strides;
  }

  static int[] broadcast(int[] left, int[] right) {
    int rank = Math.max(left.length, right.length);
    int[] shape = new int[rank];
    for (int axis = 0; axis < rank; axis++) {
      int a = axis < rank - left.length ? 1 : left[axis - (rank - left.length)];
      int b = axis < rank - right.length ? 1 : right[axis - (rank - right.length)];
      if (a != b && a != 1 && b != 1) {
        throw new DeviceFault(
            "requires compatible shapes, got "
                + Arrays.toString(left)
                + " and "
                + Arrays.toString(right));
      }
      shape[axis] = Math.max(a, b);
    }
    return shape;
  }

  static void requireInside(int[] shape, int[] offsets, int[] extents) {
    boolean fits = offsets.length == shape.length && extents.length == offsets.length;
    for (int axis = 0; fits && axis < offsets.length; axis++) {
      fits =
          offsets[axis] >= 0
              && extents[axis] >= 0
              && offsets[axis] + (long) extents[axis] <= shape[axis];
    }
    if (!fits) {
      throw DeviceFault.outOfBounds(
          "box at "
              + Arrays.toString(offsets)
              + " of extents "
              + Arrays.toString(extents)
              + " lies outside a tile of shape "
              + Arrays.toString(shape));
    }
  }

  /** Index of the first element of a box in a row-major array. */
  static long first(int[] shape, int[] offsets) {
    long at = 0;
    for (int axis = 0; axis < offsets.length; axis++) {
      at = at * shape[axis] + offsets[axis];
    }
    return at;
  }

  static long element(int[] shape, int[] index) {
    if (index.length == 1 && shape.length > 1) {
      long count = count(shape);
      if (index[0] < 0 || index[0] >= count) {
        throw DeviceFault.outOfBounds(
            "element " + index[0] + " lies outside a tile of " + count + " elements");
      }
      return index[0];
    }
    int[] ones = new int[index.length];
    Arrays.fill(ones, 1);
    requireInside(shape, index, ones);
    return first(shape, index);
  }
}
