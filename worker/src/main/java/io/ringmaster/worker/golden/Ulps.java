package io.ringmaster.worker.golden;

import io.ringmaster.worker.tensor.DType;

/** Distances in units in the last place: the step between two neighbouring values of a type. */
final class Ulps {

  private static final int FP32_LEAST = -126;
  private static final int FP16_LEAST = -14;

  private Ulps() {}

  /** The step at a value; 0 for a type whose steps nobody counts. */
  static double at(DType type, double value) {
    return switch (type) {
      case FP64 -> Math.ulp(value);
      case FP32 -> step(value, 23, FP32_LEAST);
      case FP16 -> step(value, 10, FP16_LEAST);
      case BF16 -> step(value, 7, FP32_LEAST);
      case FP8E4M3FN,
          FP8E5M2,
          FP8E8M0,
          HF8,
          FP4,
          HF4,
          INT64,
          INT32,
          INT16,
          INT8,
          INT4,
          UINT64,
          UINT32,
          UINT16,
          UINT8,
          UINT4,
          INDEX,
          BOOL,
          TASK_ID ->
          0;
    };
  }

  /** Below the least exponent the steps don't get smaller any more. */
  private static double step(double value, int fractionBits, int leastExponent) {
    return Math.scalb(1.0, Math.max(Math.getExponent(value), leastExponent) - fractionBits);
  }
}
