package io.ringmaster.worker.device.sim;

import io.ringmaster.worker.device.DeviceFault;
import io.ringmaster.worker.tensor.DType;

/** What values an element type can hold: rounding, wrapping and bit patterns in memory. */
final class Numbers {

  private Numbers() {}

  /** Refuses the types that have no arithmetic here. */
  static void requireSimulated(DType dtype) {
    switch (dtype) {
      case FP32, FP16, BF16, INT64, INT32, INT16, INT8, INDEX, BOOL -> {}
      case UINT64, UINT32, UINT16, UINT8 -> {}
      case FP64, FP8E4M3FN, FP8E5M2, FP8E8M0, HF8, FP4, HF4, INT4, UINT4, TASK_ID ->
          throw new DeviceFault(
              "dtype "
                  + dtype
                  + " isn't simulated; tiles may be FP32, FP16, BF16, INT8..INT64, UINT8..UINT64 or"
                  + " BOOL");
    }
  }

  /** The nearest value of a floating-point type, ties to even. */
  static float round(DType dtype, float value) {
    return switch (dtype) {
      case FP16 -> Float.float16ToFloat(Float.floatToFloat16(value));
      case BF16 -> bf16(bf16Bits(value));
      default -> value;
    };
  }

  /** Rounds a range in place. */
  static void round(DType dtype, float[] values, int from, int length) {
    if (dtype == DType.FP32) {
      return;
    }
    for (int i = from; i < from + length; i++) {
      values[i] = round(dtype, values[i]);
    }
  }

  /** The value modulo the width of an integer type, sign- or zero-extended. */
  static long wrap(DType dtype, long value) {
    return switch (dtype) {
      case INT32 -> (int) value;
      case INT16 -> (short) value;
      case INT8 -> (byte) value;
      case UINT32 -> value & 0xFFFF_FFFFL;
      case UINT16 -> value & 0xFFFF;
      case UINT8 -> value & 0xFF;
      case BOOL -> value == 0 ? 0 : 1;
      default -> value;
    };
  }

  /** BF16 bits of a float, ties to even; NaN stays NaN. */
  static short bf16Bits(float value) {
    int bits = Float.floatToRawIntBits(value);
    if (Float.isNaN(value)) {
      return (short) ((bits >>> 16) | 0x40);
    }
    return (short) ((bits + 0x7FFF + ((bits >>> 16) & 1)) >>> 16);
  }

  static float bf16(short bits) {
    return Float.intBitsToFloat(bits << 16);
  }

  /** The largest finite value, as raw scalar. */
  static long largest(DType dtype) {
    return switch (dtype) {
      case FP32 -> Double.doubleToRawLongBits(Float.MAX_VALUE);
      case FP16 -> Double.doubleToRawLongBits(65504);
      case BF16 -> Double.doubleToRawLongBits(Float.intBitsToFloat(0x7F7F_0000));
      case INT32 -> Integer.MAX_VALUE;
      case INT16 -> Short.MAX_VALUE;
      case INT8 -> Byte.MAX_VALUE;
      case UINT32 -> 0xFFFF_FFFFL;
      case UINT16 -> 0xFFFF;
      case UINT8 -> 0xFF;
      case BOOL -> 1;
      case UINT64 -> -1L;
      default -> Long.MAX_VALUE;
    };
  }

  /** The smallest finite value, as raw scalar. */
  static long smallest(DType dtype) {
    return switch (dtype.kind()) {
      case FLOAT -> Double.doubleToRawLongBits(-Double.longBitsToDouble(largest(dtype)));
      case SIGNED -> -largest(dtype) - 1;
      case UNSIGNED, BOOL -> 0;
    };
  }
}
