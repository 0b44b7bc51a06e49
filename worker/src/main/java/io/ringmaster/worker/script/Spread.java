package io.ringmaster.worker.script;

import io.ringmaster.worker.golden.Elements;
import io.ringmaster.worker.golden.StridedLoop;
import io.ringmaster.worker.tensor.DType;
import io.ringmaster.worker.tensor.HostTensor;

/**
 * The range that a kernel's values lie in, and other values of the same range: what the kernel
 * could have written as well.
 *
 * @param low smallest value of a sample
 * @param high largest value of a sample
 */
record Spread(DType dtype, double low, double high) {

  /**
   * Which other values, in the order in which they are tried. The first two are far from what was
   * written, the same at all elements, so that they also fit whatever is made of them; of the next
   * two, one is far from it at every element.
   */
  enum Other {
    HIGHER,
    LOWER,
    SCATTERED,
    MIRRORED,
    ZERO
  }

  /** Programs that are told apart by what their outputs hold when all are alike. */
  private static final int STEPS = 16;

  /** Elements that are looked at, to know the range. */
  private static final long SAMPLE = 4096;

  /** The range of a tensor's values. */
  static Spread of(HostTensor tensor) {
    Elements elements = Elements.of(tensor.buffer(), tensor.dtype());
    double low = Double.POSITIVE_INFINITY;
    double high = Double.NEGATIVE_INFINITY;
    long count = tensor.elements();
    // An odd step, so that it meets all columns of tensors whose rows are a power of two long.
    long step = count <= SAMPLE ? 1 : (count / SAMPLE) | 1;
    for (long i = 0; i < count; i += step) {
      double value = elements.getDouble(place(tensor, i));
      if (Double.isFinite(value)) {
        low = Math.min(low, value);
        high = Math.max(high, value);
      }
    }
    return low <= high ? new Spread(tensor.dtype(), low, high) : new Spread(tensor.dtype(), 0, 0);
  }

  private static long place(HostTensor tensor, long index) {
    long left = index;
    long at = tensor.offset();
    for (int axis = tensor.rank() - 1; axis >= 0; axis--) {
      at += left % tensor.shape()[axis] * tensor.strides()[axis];
      left /= tensor.shape()[axis];
    }
    return at;
  }

  /**
   * Fills a tensor with other values, each at its place: no two elements are alike by rule.
   *
   * @param salt tells one output from another
   * @param program tells the outputs of one program from those of another
   */
  void fill(HostTensor tensor, Other other, long salt, int program) {
    Elements elements = Elements.of(tensor.buffer(), tensor.dtype());
    boolean real = tensor.dtype().isFloat();
    double level = level(program) * (other == Other.LOWER ? -1 : 1);
    StridedLoop.over(
        tensor.shape(),
        (position, at) -> {
          long hash = mixed(salt * 0x9E3779B97F4A7C15L + position);
          boolean up = (hash < 0) == (other == Other.SCATTERED);
          if (other == Other.ZERO) {
            elements.setLong(at[0], 0);
          } else if (other == Other.HIGHER || other == Other.LOWER) {
            elements.setDouble(at[0], level);
          } else if (real) {
            elements.setDouble(
                at[0], real(up, (hash >>> (other == Other.MIRRORED ? 12 : 24) & 0xFFF) / 4096.0));
          } else {
            elements.setLong(at[0], whole(up));
          }
        },
        tensor);
  }

  /**
   * A whole number well above every value, and its negative well below: a power of two and some
   * sixteenths, so that narrow types hold it exactly.
   */
  private double level(int program) {
    double most = Math.max(STEPS / 2, Math.max(Math.abs(low), Math.abs(high)));
    double base = Math.scalb(1.0, Math.getExponent(most) + 1);
    return base * (STEPS + program % STEPS) / STEPS;
  }

  /** True when the type can hold values that lie above all that was written, and below. */
  boolean hasRoom() {
    double needed = 2 * level(0);
    return switch (dtype.kind()) {
      case FLOAT -> dtype != DType.FP16 || needed <= 65504;
      case SIGNED -> needed < Math.scalb(1.0, 8 * dtype.bytes() - 1);
      case UNSIGNED, BOOL -> false;
    };
  }

  private double real(boolean up, double fraction) {
    double most = Math.max(Math.abs(low), Math.abs(high));
    double size = (most == 0 ? 1 : most) * (0.5 + fraction / 2);
    return up ? size : -size;
  }

  /** Whole numbers may be counts and places: they stay between the least and the largest. */
  private long whole(boolean up) {
    long least = (long) low;
    long most = (long) high;
    if (dtype == DType.BOOL) {
      return up ? 1 : 0;
    }
    if (least == most) {
      most = least > 0 ? least - 1 : least + 1;
    }
    return up ? most : least;
  }

  /** A well mixed number (the finaliser of SplitMix64). */
  private static long mixed(long value) {
    long z = (value ^ (value >>> 30)) * 0xBF58476D1CE4E5B9L;
    z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
    return z ^ (z >>> 31);
  }
}
