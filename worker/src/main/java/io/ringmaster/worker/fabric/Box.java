package io.ringmaster.worker.fabric;

import io.ringmaster.worker.tensor.DType;

/**
 * A checked box of elements inside a region, ready to be copied.
 *
 * @param start byte of the region at which the first element lies
 * @param extents elements per dimension
 * @param strides distance between neighbours of a dimension, in elements
 */
@SuppressWarnings("ArrayRecordComponent") // Never compared.
public record Box(Region region, long start, long[] extents, long[] strides, DType dtype) {

  /** Receives runs of bytes. */
  @FunctionalInterface
  public interface Rows {
    /**
     * {@code rows} runs of {@code rowBytes} bytes, {@code rowStride} apart, the first at {@code
     * from}.
     */
    void accept(long from, long rows, long rowBytes, long rowStride);
  }

  /** Number of elements. */
  public long elements() {
    long total = 1;
    for (long extent : extents) {
      total *= extent;
    }
    return total;
  }

  public long payloadBytes() {
    return elements() * dtype.bytes();
  }

  /** True when both boxes are the same bytes in the same order. */
  public boolean sameBytes(Box other) {
    if (region != other.region || start != other.start || dtype != other.dtype) {
      return false;
    }
    if (extents.length != other.extents.length) {
      return false;
    }
    for (int axis = 0; axis < extents.length; axis++) {
      if (extents[axis] != other.extents[axis]
          || (extents[axis] > 1 && strides[axis] != other.strides[axis])) {
        return false;
      }
    }
    return true;
  }

  /** Hands out the box as few sets of equally long, equally spaced runs; nothing when empty. */
  public void rows(Rows consumer) {
    int count = 0;
    long[] sizes = new long[extents.length];
    long[] steps = new long[extents.length];
    for (int axis = extents.length - 1; axis >= 0; axis--) {
      if (extents[axis] == 0) {
        return;
      }
      if (extents[axis] == 1) {
        continue;
      }
      if (count > 0 && strides[axis] == sizes[count - 1] * steps[count - 1]) {
        sizes[count - 1] *= extents[axis];
      } else {
        sizes[count] = extents[axis];
        steps[count++] = strides[axis];
      }
    }
    int width = dtype.bytes();
    if (count == 0) {
      consumer.accept(start, 1, width, width);
      return;
    }
    boolean packed = steps[0] == 1;
    long rowBytes = packed ? sizes[0] * width : width;
    int rowAxis = packed ? 1 : 0;
    if (rowAxis >= count) {
      consumer.accept(start, 1, rowBytes, rowBytes);
      return;
    }
    outer(consumer, start, count - 1, rowAxis, sizes, steps, rowBytes);
  }

  private void outer(
      Rows consumer, long from, int axis, int rowAxis, long[] sizes, long[] steps, long rowBytes) {
    int width = dtype.bytes();
    if (axis == rowAxis) {
      consumer.accept(from, sizes[axis], rowBytes, steps[axis] * width);
      return;
    }
    for (long i = 0; i < sizes[axis]; i++) {
      outer(consumer, from + i * steps[axis] * width, axis - 1, rowAxis, sizes, steps, rowBytes);
    }
  }

  /** Tells the region that these bytes were written by a kernel. */
  public void recordWrite() {
    if (region instanceof WindowSlice) {
      return;
    }
    rows(
        (from, rows, rowBytes, rowStride) -> {
          for (long row = 0; row < rows; row++) {
            region.recordWrite(from + row * rowStride, from + row * rowStride + rowBytes);
          }
        });
  }
}
