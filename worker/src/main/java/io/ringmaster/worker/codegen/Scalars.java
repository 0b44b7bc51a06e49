package io.ringmaster.worker.codegen;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_DOUBLE_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_SHORT_UNALIGNED;

import io.ringmaster.worker.tensor.DType;
import java.lang.foreign.MemorySegment;

/** Raw scalars: wrapping, rounding, conversion, and their form in memory. */
final class Scalars {

  private Scalars() {}

  /** The value modulo the width of an integer type, sign- or zero-extended. */
  static long wrap(DType dtype, long value) {
    return switch (dtype) {
      case INT32 -> (int) value;
      case INT16 -> (short) value;
      case INT8 -> (byte) value;
      case INT4 -> value << 60 >> 60;
      case UINT32 -> value & 0xFFFF_FFFFL;
      case UINT16 -> value & 0xFFFF;
      case UINT8 -> value & 0xFF;
      case UINT4 -> value & 0xF;
      case BOOL -> value == 0 ? 0 : 1;
      default -> value;
    };
  }

  /** Raw bits of a floating-point value after rounding to its type. */
  static long raw(DType dtype, double value) {
    return Double.doubleToRawLongBits(
        switch (dtype) {
          case FP64 -> value;
          case FP16 -> Float.float16ToFloat(Float.floatToFloat16((float) value));
          case BF16 -> bf16(bf16Bits((float) value));
          default -> (float) value;
        });
  }

  /** Converts a raw scalar; floats become integers by dropping the fraction. */
  static long convert(long raw, DType from, DType to) {
    if (from.isFloat()) {
      double value = Double.longBitsToDouble(raw);
      if (to == DType.BOOL) {
        return value == 0 ? 0 : 1;
      }
      return to.isFloat() ? raw(to, value) : wrap(to, (long) value);
    }
    return to.isFloat() ? raw(to, asDouble(raw, from)) : wrap(to, raw);
  }

  /** The numeric value of a raw scalar. */
  static double asDouble(long raw, DType dtype) {
    if (dtype.isFloat()) {
      return Double.longBitsToDouble(raw);
    }
    return dtype == DType.UINT64 && raw < 0 ? (raw >>> 1) * 2.0 : raw;
  }

  static long read(DType dtype, MemorySegment memory, long at) {
    return switch (dtype) {
      case FP64 -> Double.doubleToRawLongBits(memory.get(JAVA_DOUBLE_UNALIGNED, at));
      case FP32 -> Double.doubleToRawLongBits(memory.get(JAVA_FLOAT_UNALIGNED, at));
      case FP16 ->
          Double.doubleToRawLongBits(Float.float16ToFloat(memory.get(JAVA_SHORT_UNALIGNED, at)));
      case BF16 -> Double.doubleToRawLongBits(bf16(memory.get(JAVA_SHORT_UNALIGNED, at)));
      default ->
          wrap(
              dtype,
              switch (dtype.bytes()) {
                case 1 -> memory.get(JAVA_BYTE, at);
                case 2 -> memory.get(JAVA_SHORT_UNALIGNED, at);
                case 4 -> memory.get(JAVA_INT_UNALIGNED, at);
                default -> memory.get(JAVA_LONG_UNALIGNED, at);
              });
    };
  }

  static void write(DType dtype, MemorySegment memory, long at, long raw) {
    switch (dtype) {
      case FP64 -> memory.set(JAVA_DOUBLE_UNALIGNED, at, Double.longBitsToDouble(raw));
      case FP32 -> memory.set(JAVA_FLOAT_UNALIGNED, at, (float) Double.longBitsToDouble(raw));
      case FP16 ->
          memory.set(
              JAVA_SHORT_UNALIGNED, at, Float.floatToFloat16((float) Double.longBitsToDouble(raw)));
      case BF16 ->
          memory.set(JAVA_SHORT_UNALIGNED, at, bf16Bits((float) Double.longBitsToDouble(raw)));
      default -> {
        switch (dtype.bytes()) {
          case 1 -> memory.set(JAVA_BYTE, at, (byte) raw);
          case 2 -> memory.set(JAVA_SHORT_UNALIGNED, at, (short) raw);
          case 4 -> memory.set(JAVA_INT_UNALIGNED, at, (int) raw);
          default -> memory.set(JAVA_LONG_UNALIGNED, at, raw);
        }
      }
    }
  }

  private static short bf16Bits(float value) {
    int bits = Float.floatToRawIntBits(value);
    if (Float.isNaN(value)) {
      return (short) ((bits >>> 16) | 0x40);
    }
    return (short) ((bits + 0x7FFF + ((bits >>> 16) & 1)) >>> 16);
  }

  private static float bf16(short bits) {
    return Float.intBitsToFloat(bits << 16);
  }
}
