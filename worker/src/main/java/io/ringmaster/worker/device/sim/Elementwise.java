package io.ringmaster.worker.device.sim;

import io.ringmaster.worker.device.Boxes;
import io.ringmaster.worker.device.DeviceFault;
import io.ringmaster.worker.device.Tile;
import io.ringmaster.worker.device.TileOp.Binary;
import io.ringmaster.worker.device.TileOp.Unary;
import io.ringmaster.worker.tensor.DType;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Element-wise arithmetic. Floating-point results are computed in FP32 and rounded to the element
 * type; integers wrap. NaN wins in MAX and MIN.
 */
final class Elementwise {

  private Elementwise() {}

  /** {@code old} may be an operand: each element is read before it is written. */
  static SimTile binary(Binary op, SimTile left, SimTile right, DType result, @Nullable Tile old) {
    int[] shape = Boxes.broadcast(left.shape(), right.shape());
    SimTile a = expand(converted(left, result), shape);
    SimTile b = expand(converted(right, result), shape);
    SimTile out =
        a.isFull()
            ? SimTile.in(old, result, shape, shape)
            : SimTile.blank(result, shape, a.valid());
    Runs.forEach(
        shape,
        a.valid(),
        (from, length) -> {
          if (result.isFloat()) {
            floats(op, a.floats(), b.floats(), out.floats(), from, length);
            Numbers.round(result, out.floats(), from, length);
          } else {
            longs(op, result, a.longs(), b.longs(), out.longs(), from, length);
          }
        });
    boolean rightCovers = b.poison() == null && covers(b.valid(), a.valid());
    if (a.poison() == null && rightCovers) {
      return out;
    }
    boolean[] marks = a.marks();
    boolean[] other = b.marks();
    for (int i = 0; i < marks.length; i++) {
      marks[i] |= other[i];
    }
    return out.withPoison(marks);
  }

  static SimTile binary(Binary op, SimTile left, long scalar) {
    SimTile out = SimTile.blank(left.dtype(), left.shape(), left.valid());
    if (left.isFloat()) {
      float[] value = {Numbers.round(left.dtype(), (float) Double.longBitsToDouble(scalar))};
      Runs.forEach(
          left.shape(),
          left.valid(),
          (from, length) -> {
            floatScalar(op, left.floats(), value[0], out.floats(), from, length);
            Numbers.round(left.dtype(), out.floats(), from, length);
          });
    } else {
      long value = Numbers.wrap(left.dtype(), scalar);
      long[] spread = new long[left.count()];
      Arrays.fill(spread, value);
      Runs.forEach(
          left.shape(),
          left.valid(),
          (from, length) ->
              longs(op, left.dtype(), left.longs(), spread, out.longs(), from, length));
    }
    return out.withPoison(left.copiedPoison());
  }

  static SimTile unary(Unary op, SimTile tile) {
    SimTile out = SimTile.blank(tile.dtype(), tile.shape(), tile.valid());
    if (!tile.isFloat() && op != Unary.NEG && op != Unary.ABS) {
      throw new DeviceFault(
          op + " needs a floating-point tile, got " + tile.dtype() + "; cast it first");
    }
    Runs.forEach(
        tile.shape(),
        tile.valid(),
        (from, length) -> {
          for (int i = from; i < from + length; i++) {
            if (tile.isFloat()) {
              out.floats()[i] = apply(op, tile.floats()[i]);
            } else {
              long value = tile.longs()[i];
              long negative = Numbers.wrap(tile.dtype(), -value);
              out.longs()[i] = op == Unary.NEG || value < 0 ? negative : value;
            }
          }
          if (tile.isFloat()) {
            Numbers.round(tile.dtype(), out.floats(), from, length);
          }
        });
    return out.withPoison(tile.copiedPoison());
  }

  /** {@code sum[i] += tile[i]} in the element type. */
  static void add(DType dtype, SimTile sum, SimTile tile, int from, int length) {
    if (dtype.isFloat()) {
      floats(Binary.ADD, sum.floats(), tile.floats(), sum.floats(), from, length);
      Numbers.round(dtype, sum.floats(), from, length);
    } else {
      longs(Binary.ADD, dtype, sum.longs(), tile.longs(), sum.longs(), from, length);
    }
  }

  /** The tile with its values converted to another type, rounding to nearest even. */
  static SimTile converted(SimTile tile, DType dtype) {
    return tile.dtype() == dtype
        ? tile
        : Casts.cast(tile, dtype, io.ringmaster.worker.device.TileOp.Rounding.RINT);
  }

  private static float apply(Unary op, float x) {
    return switch (op) {
      case EXP -> (float) Math.exp(x);
      case LOG -> (float) Math.log(x);
      case SQRT -> (float) Math.sqrt(x);
      case RSQRT -> (float) (1 / Math.sqrt(x));
      case NEG -> -x;
      case ABS -> Math.abs(x);
      case RECIP -> 1 / x;
      case SIN -> (float) Math.sin(x);
      case COS -> (float) Math.cos(x);
    };
  }

  static void floats(Binary op, float[] a, float[] b, float[] out, int from, int length) {
    int to = from + length;
    switch (op) {
      case ADD -> {
        for (int i = from; i < to; i++) {
          out[i] = a[i] + b[i];
        }
      }
      case SUB -> {
        for (int i = from; i < to; i++) {
          out[i] = a[i] - b[i];
        }
      }
      case MUL -> {
        for (int i = from; i < to; i++) {
          out[i] = a[i] * b[i];
        }
      }
      case DIV -> {
        for (int i = from; i < to; i++) {
          out[i] = a[i] / b[i];
        }
      }
      case MAX -> {
        for (int i = from; i < to; i++) {
          out[i] = Math.max(a[i], b[i]);
        }
      }
      case MIN -> {
        for (int i = from; i < to; i++) {
          out[i] = Math.min(a[i], b[i]);
        }
      }
    }
  }

  private static void floatScalar(
      Binary op, float[] a, float value, float[] out, int from, int length) {
    int to = from + length;
    switch (op) {
      case ADD -> {
        for (int i = from; i < to; i++) {
          out[i] = a[i] + value;
        }
      }
      case SUB -> {
        for (int i = from; i < to; i++) {
          out[i] = a[i] - value;
        }
      }
      case MUL -> {
        for (int i = from; i < to; i++) {
          out[i] = a[i] * value;
        }
      }
      case DIV -> {
        for (int i = from; i < to; i++) {
          out[i] = a[i] / value;
        }
      }
      case MAX -> {
        for (int i = from; i < to; i++) {
          out[i] = Math.max(a[i], value);
        }
      }
      case MIN -> {
        for (int i = from; i < to; i++) {
          out[i] = Math.min(a[i], value);
        }
      }
    }
  }

  static void longs(Binary op, DType dtype, long[] a, long[] b, long[] out, int from, int length) {
    for (int i = from; i < from + length; i++) {
      out[i] = Numbers.wrap(dtype, integer(op, dtype, a[i], b[i]));
    }
  }

  private static long integer(Binary op, DType dtype, long a, long b) {
    boolean unsigned = dtype == DType.UINT64;
    return switch (op) {
      case ADD -> a + b;
      case SUB -> a - b;
      case MUL -> a * b;
      case DIV -> {
        if (b == 0) {
          throw new DeviceFault("division by zero in a tile of " + dtype);
        }
        yield unsigned ? Long.divideUnsigned(a, b) : a / b;
      }
      case MAX -> (unsigned ? Long.compareUnsigned(a, b) : Long.compare(a, b)) >= 0 ? a : b;
      case MIN -> (unsigned ? Long.compareUnsigned(a, b) : Long.compare(a, b)) <= 0 ? a : b;
    };
  }

  private static boolean covers(int[] outer, int[] inner) {
    for (int axis = 0; axis < inner.length; axis++) {
      if (outer[axis] < inner[axis]) {
        return false;
      }
    }
    return true;
  }

  /** Repeats the tile along its unit dimensions. */
  private static SimTile expand(SimTile tile, int[] shape) {
    if (Arrays.equals(tile.shape(), shape)) {
      return tile;
    }
    int[] valid = new int[shape.length];
    int[] steps = new int[shape.length];
    int step = 1;
    for (int axis = shape.length - 1; axis >= 0; axis--) {
      int own = axis - (shape.length - tile.shape().length);
      int extent = own < 0 ? 1 : tile.shape()[own];
      boolean repeats = extent == 1 && shape[axis] != 1;
      int box = own < 0 ? 1 : tile.valid()[own];
      valid[axis] = repeats && box == 1 ? shape[axis] : box;
      steps[axis] = repeats ? 0 : step;
      step *= extent;
    }
    SimTile blank = SimTile.blank(tile.dtype(), shape, valid);
    boolean @Nullable [] from = tile.poison();
    boolean @Nullable [] marks = from == null ? null : new boolean[blank.count()];
    int[] index = new int[shape.length];
    for (int i = 0; i < blank.count(); i++) {
      int source = 0;
      for (int axis = 0; axis < shape.length; axis++) {
        source += index[axis] * steps[axis];
      }
      if (tile.isFloat()) {
        blank.floats()[i] = tile.floats()[source];
      } else {
        blank.longs()[i] = tile.longs()[source];
      }
      if (marks != null && from != null) {
        marks[i] = from[source];
      }
      advance(index, shape);
    }
    return blank.withPoison(marks);
  }

  /** The tile with its unit dimensions repeated as far as another's shape goes. */
  static SimTile spread(SimTile tile, SimTile like) {
    int[] shape = Boxes.broadcast(like.shape(), tile.shape());
    if (!Arrays.equals(shape, like.shape())) {
      throw new DeviceFault(
          "requires compatible shapes, got "
              + Arrays.toString(like.shape())
              + " and "
              + Arrays.toString(tile.shape()));
    }
    return expand(tile, shape);
  }

  private static void advance(int[] index, int[] shape) {
    for (int axis = shape.length - 1; axis >= 0; axis--) {
      if (++index[axis] < shape[axis]) {
        return;
      }
      index[axis] = 0;
    }
  }
}
