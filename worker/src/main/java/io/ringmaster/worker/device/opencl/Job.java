package io.ringmaster.worker.device.opencl;

import io.ringmaster.worker.device.opencl.Buffers.Buffer;

/**
 * One launch of a kernel: what to compute, on which boxes of elements. The kernels' own struct of
 * the same name says what each number is.
 *
 * @param extents of the box, one per dimension
 * @param out where the results go
 */
@SuppressWarnings("ArrayRecordComponent") // Never compared.
record Job(long[] extents, Operand out, Operand a, Operand b, Numbers numbers) {

  /**
   * The elements of an operand.
   *
   * @param first index of the first in its memory
   * @param strides from one to the next, one per dimension; 0 repeats
   */
  @SuppressWarnings("ArrayRecordComponent") // Never compared.
  record Operand(Buffer buffer, long first, long[] strides) {}

  /** The rest of the struct. */
  record Numbers(
      int op,
      int type,
      int mode,
      int other,
      float real,
      long whole,
      long length,
      long step,
      long left,
      long right) {

    static final Numbers NONE = new Numbers(0, 0, 0, 0, 0, 0, 0, 0, 0, 0);

    static Numbers op(int op) {
      return new Numbers(op, 0, 0, 0, 0, 0, 0, 0, 0, 0);
    }

    /** With a scalar on the right, as the element type needs it. */
    static Numbers scalar(int op, float real, long whole) {
      return new Numbers(op, 0, 1, 0, real, whole, 0, 0, 0, 0);
    }

    static Numbers conversion(int type, int rounding) {
      return new Numbers(0, type, rounding, 0, 0, 0, 0, 0, 0, 0);
    }

    static Numbers pattern(long bits) {
      return new Numbers(0, 0, 0, 0, 0, bits, 0, 0, 0, 0);
    }

    static Numbers fold(int op, long length, long step) {
      return new Numbers(op, 0, 0, 0, 0, 0, length, step, 0, 0);
    }
  }
}
