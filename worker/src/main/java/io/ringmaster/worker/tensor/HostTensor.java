package io.ringmaster.worker.tensor;

import java.util.Arrays;

/**
 * A strided view of a {@link HostBuffer}.
 *
 * @param shape extents, one per dimension; empty for a scalar tensor
 * @param strides distance between neighbours of a dimension, in elements; same length as shape
 * @param offset index of the first element in the buffer, in elements
 */
// Arrays, because kernels index them in inner loops; equality and text are written out below.
@SuppressWarnings("ArrayRecordComponent")
public record HostTensor(
    HostBuffer buffer, DType dtype, long[] shape, long[] strides, long offset) {

  /** A new zeroed, contiguous, row-major tensor. */
  public static HostTensor zeros(DType dtype, long... shape) {
    return new HostTensor(
        HostBuffer.allocate(count(shape) * dtype.bytes()),
        dtype,
        shape.clone(),
        rowMajor(shape),
        0);
  }

  /**
   * Number of elements of a shape.
   *
   * @throws Sizes.TooLarge when that is more than a {@code long} holds
   */
  public static long count(long... shape) {
    long total = 1;
    for (long extent : shape) {
      if (extent == 0) {
        // What the other extents multiply to is nobody's concern then, however large.
        return 0;
      }
    }
    for (long extent : shape) {
      total = Sizes.times(total, extent);
    }
    return total;
  }

  /** Row-major strides of a shape, in elements. */
  public static long[] rowMajor(long... shape) {
    long[] strides = new long[shape.length];
    long step = 1;
    for (int axis = shape.length - 1; axis >= 0; axis--) {
      strides[axis] = step;
      step *= Math.max(shape[axis], 1);
    }
    return strides;
  }

  public int rank() {
    return shape.length;
  }

  /** Number of elements. */
  public long elements() {
    return count(shape);
  }

  /** True when the elements lie in row-major order without gaps. */
  public boolean isContiguous() {
    long step = 1;
    for (int axis = shape.length - 1; axis >= 0; axis--) {
      if (shape[axis] != 1 && strides[axis] != step) {
        return false;
      }
      step *= shape[axis];
    }
    return true;
  }

  /** The view with the first dimension fixed at {@code index}, which the caller has checked. */
  public HostTensor row(long index) {
    return new HostTensor(
        buffer,
        dtype,
        Arrays.copyOfRange(shape, 1, shape.length),
        Arrays.copyOfRange(strides, 1, strides.length),
        offset + index * strides[0]);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof HostTensor that
        && buffer == that.buffer
        && dtype == that.dtype
        && offset == that.offset
        && Arrays.equals(shape, that.shape)
        && Arrays.equals(strides, that.strides);
  }

  @Override
  public int hashCode() {
    return System.identityHashCode(buffer) * 31 + Long.hashCode(offset) + Arrays.hashCode(shape);
  }

  @Override
  public String toString() {
    return dtype + Arrays.toString(shape);
  }
}
