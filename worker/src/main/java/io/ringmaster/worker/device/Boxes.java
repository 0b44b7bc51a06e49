package io.ringmaster.worker.device;

import java.util.Arrays;

/** The geometry of tiles, the same on every device: extents, strides, boxes, and their faults. */
public final class Boxes {

  private Boxes() {}

  /** Elements of a tile of this shape; there are at most {@link Integer#MAX_VALUE}. */
  public static long count(int[] shape) {
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

  public static long[] longs(int[] values) {
    return Arrays.stream(values).asLongStream().toArray();
  }

  /** Strides in elements of a dense tile. */
  public static long[] rowMajor(int[] shape) {
    long[] strides = new long[shape.length];
    long step = 1;
    for (int axis = shape.length - 1; axis >= 0; axis--) {
      strides[axis] = step;
      step *= shape[axis];
    }
    return strides;
  }

  /** Strides of a tile that is seen with another shape, repeated along its unit dimensions. */
  public static long[] spread(int[] own, int[] shape) {
    long[] dense = rowMajor(own);
    long[] strides = new long[shape.length];
    for (int axis = 0; axis < shape.length; axis++) {
      int at = axis - (shape.length - own.length);
      strides[axis] = at < 0 || (own[at] == 1 && shape[axis] != 1) ? 0 : dense[at];
    }
    return strides;
  }

  /** The shape of an operation on tiles of these two. */
  public static int[] broadcast(int[] left, int[] right) {
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

  /** Refuses a box that doesn't lie inside a tile of a shape. */
  public static void requireInside(int[] shape, int[] offsets, int[] extents) {
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
  public static long first(int[] shape, int[] offsets) {
    long at = 0;
    for (int axis = 0; axis < offsets.length; axis++) {
      at = at * shape[axis] + offsets[axis];
    }
    return at;
  }

  /** Refuses to see a tile with a shape that has another number of elements. */
  public static void requireReshape(int[] from, int[] to) {
    if (count(to) != count(from)) {
      throw new DeviceFault(
          "cannot reshape tile of size "
              + count(from)
              + " to "
              + Arrays.toString(to)
              + ", which has "
              + count(to));
    }
  }

  /** Where an element lies in a row-major array; one index counts through all of them. */
  public static long element(int[] shape, int[] index) {
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
