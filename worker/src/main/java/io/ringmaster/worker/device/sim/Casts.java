package io.ringmaster.worker.device.sim;

import io.ringmaster.worker.device.TileOp.Rounding;
import io.ringmaster.worker.tensor.DType;

/**
 * Conversions between element types. Floats that don't fit an integer type saturate and NaN becomes
 * 0; integers wrap to a narrower type.
 */
final class Casts {

  private Casts() {}

  static SimTile cast(SimTile tile, DType dtype, Rounding rounding) {
    SimTile out = SimTile.blank(dtype, tile.shape(), tile.valid());
    Runs.forEach(
        tile.shape(),
        tile.valid(),
        (from, length) -> {
          for (int i = from; i < from + length; i++) {
            if (dtype.isFloat()) {
              out.floats()[i] =
                  tile.isFloat()
                      ? narrow(dtype, tile.floats()[i], rounding)
                      : Numbers.round(dtype, toFloat(tile.dtype(), tile.longs()[i]));
            } else {
              out.longs()[i] =
                  tile.isFloat()
                      ? toInteger(dtype, tile.floats()[i], rounding)
                      : Numbers.wrap(dtype, tile.longs()[i]);
            }
          }
        });
    return out.withPoison(tile.copiedPoison());
  }

  /** Rounds a float to a whole number in the given way. */
  static double whole(double value, Rounding rounding) {
    return switch (rounding) {
      case NONE, RINT -> Math.rint(value);
      case ROUND -> Math.copySign(Math.floor(Math.abs(value) + 0.5), value);
      case FLOOR -> Math.floor(value);
      case CEIL -> Math.ceil(value);
      case TRUNC -> value < 0 ? Math.ceil(value) : Math.floor(value);
      case ODD -> {
        double down = Math.floor(value);
        yield down == value || Math.abs(down % 2) == 1 ? down : down + 1;
      }
    };
  }

  private static long toInteger(DType dtype, float value, Rounding rounding) {
    if (Float.isNaN(value)) {
      return 0;
    }
    if (dtype == DType.BOOL) {
      return value == 0 ? 0 : 1;
    }
    double rounded = whole(value, rounding);
    if (dtype == DType.UINT64) {
      return rounded <= 0 ? 0 : unsigned(rounded);
    }
    long low = Numbers.smallest(dtype);
    long high = Numbers.largest(dtype);
    return Math.clamp((long) rounded, low, high);
  }

  private static long unsigned(double value) {
    double half = 0x1p63;
    if (value < half) {
      return (long) value;
    }
    return value >= 2 * half ? -1L : (long) (value - half) + Long.MIN_VALUE;
  }

  private static float toFloat(DType from, long value) {
    if (from == DType.UINT64 && value < 0) {
      return (float) ((value >>> 1) * 2.0);
    }
    return value;
  }

  /** Rounds to a narrower float type in the given way. */
  private static float narrow(DType dtype, float value, Rounding rounding) {
    float nearest = Numbers.round(dtype, value);
    if (nearest == value || Float.isNaN(value) || dtype == DType.FP32) {
      return nearest;
    }
    return switch (rounding) {
      case NONE, RINT -> nearest;
      case ROUND -> awayAtTie(dtype, value, nearest);
      case FLOOR -> nearest > value ? neighbour(dtype, nearest, false) : nearest;
      case CEIL -> nearest < value ? neighbour(dtype, nearest, true) : nearest;
      case TRUNC ->
          Math.abs(nearest) > Math.abs(value) ? neighbour(dtype, nearest, nearest < 0) : nearest;
      case ODD -> {
        float other = neighbour(dtype, nearest, nearest < value);
        yield (bits(dtype, nearest) & 1) == 1 ? nearest : other;
      }
    };
  }

  private static float awayAtTie(DType dtype, float value, float nearest) {
    float other = neighbour(dtype, nearest, nearest < value);
    double below = Math.abs((double) value - nearest);
    double above = Math.abs((double) other - value);
    return below == above && Math.abs(other) > Math.abs(nearest) ? other : nearest;
  }

  private static int bits(DType dtype, float value) {
    return dtype == DType.FP16 ? Float.floatToFloat16(value) : Numbers.bf16Bits(value);
  }

  /** The next representable value up or down. */
  private static float neighbour(DType dtype, float value, boolean up) {
    if (value == 0) {
      float tiny = value(dtype, 1);
      return up ? tiny : -tiny;
    }
    int step = value > 0 == up ? 1 : -1;
    return value(dtype, bits(dtype, value) + step);
  }

  private static float value(DType dtype, int bits) {
    return dtype == DType.FP16 ? Float.float16ToFloat((short) bits) : Numbers.bf16((short) bits);
  }
}
