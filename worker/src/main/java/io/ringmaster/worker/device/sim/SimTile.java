package io.ringmaster.worker.device.sim;

import io.ringmaster.worker.device.Boxes;
import io.ringmaster.worker.device.Device;
import io.ringmaster.worker.device.Tile;
import io.ringmaster.worker.tensor.DType;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A tile as a row-major array: {@code floats} for floating-point types (each value already rounded
 * to the type), {@code longs} for integers (each value already wrapped to the type). Exactly one of
 * the two is non-empty unless the tile has no elements.
 *
 * <p>{@code poison} marks elements of the valid box that nobody wrote; null for none. Elements
 * outside the valid box never hold anything.
 */
@SuppressWarnings("ArrayRecordComponent") // Never compared.
record SimTile(
    DType dtype,
    int[] shape,
    int[] valid,
    float[] floats,
    long[] longs,
    boolean @Nullable [] poison)
    implements Tile {

  private static final float[] NO_FLOATS = {};
  private static final long[] NO_LONGS = {};

  /** A tile of zeros that counts as written. */
  static SimTile blank(DType dtype, int[] shape, int[] valid) {
    Numbers.requireSimulated(dtype);
    int count = count(shape);
    return dtype.isFloat()
        ? new SimTile(dtype, shape, valid, new float[count], NO_LONGS, null)
        : new SimTile(dtype, shape, valid, NO_FLOATS, new long[count], null);
  }

  /**
   * A tile to be filled where it is valid and zero elsewhere, in the arrays of {@code old} if they
   * fit. Those keep what they held where the tile is valid.
   */
  static SimTile in(@Nullable Tile old, DType dtype, int[] shape, int[] valid) {
    if (!(old instanceof SimTile last) || last.isFloat() != dtype.isFloat()) {
      return blank(dtype, shape, valid);
    }
    int count = count(shape);
    if (count != (dtype.isFloat() ? last.floats.length : last.longs.length)) {
      return blank(dtype, shape, valid);
    }
    Numbers.requireSimulated(dtype);
    if (!Arrays.equals(shape, valid)) {
      Arrays.fill(last.floats, 0);
      Arrays.fill(last.longs, 0);
    }
    return new SimTile(dtype, shape, valid, last.floats, last.longs, null);
  }

  private static int count(int[] shape) {
    return (int) Boxes.count(shape);
  }

  int count() {
    return count(shape);
  }

  boolean isFloat() {
    return dtype.isFloat();
  }

  /** True when the valid box is the whole tile. */
  boolean isFull() {
    return java.util.Arrays.equals(shape, valid);
  }

  /** True when every element of the tile holds something. */
  boolean isClean() {
    return poison == null && isFull();
  }

  /** The marks for a tile that is computed from this one. */
  boolean @Nullable [] copiedPoison() {
    return poison == null ? null : poison.clone();
  }

  SimTile withPoison(boolean @Nullable [] marks) {
    return new SimTile(dtype, shape, valid, floats, longs, marks);
  }

  /** Marks of all elements, those outside the valid box included. */
  boolean[] marks() {
    boolean[] marks = new boolean[count()];
    java.util.Arrays.fill(marks, true);
    Runs.forEach(
        shape,
        valid,
        (from, length) -> {
          if (poison == null) {
            java.util.Arrays.fill(marks, from, from + length, false);
          } else {
            System.arraycopy(poison, from, marks, from, length);
          }
        });
    return marks;
  }

  /** True when a linear index lies in the valid box. */
  boolean isInside(int index) {
    int left = index;
    for (int axis = shape.length - 1; axis >= 0; axis--) {
      if (left % shape[axis] >= valid[axis]) {
        return false;
      }
      left /= shape[axis];
    }
    return true;
  }

  /** The same with marks for values where nobody wrote, whatever was computed from them. */
  SimTile marked() {
    boolean[] marks = poison;
    if (marks == null) {
      return this;
    }
    SimTile out = new SimTile(dtype, shape, valid, floats.clone(), longs.clone(), marks);
    long mark = Device.mark(dtype);
    for (int i = 0; i < marks.length; i++) {
      if (marks[i]) {
        out.setRaw(i, mark);
      }
    }
    return out;
  }

  /** Raw scalar at a linear index. */
  long raw(int index) {
    return isFloat() ? Double.doubleToRawLongBits(floats[index]) : longs[index];
  }

  void setRaw(int index, long raw) {
    if (isFloat()) {
      floats[index] = Numbers.round(dtype, (float) Double.longBitsToDouble(raw));
    } else {
      longs[index] = Numbers.wrap(dtype, raw);
    }
  }
}
