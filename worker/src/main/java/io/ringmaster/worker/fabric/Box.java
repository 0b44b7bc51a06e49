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

  /** Byte behind the last one. */
  public long end() {
    long last = start;
    for (int axis = 0; axis < extents.length; axis++) {
      if (extents[axis] == 0) {
        return start;
      }
      last += (extents[axis] - 1) * strides[axis] * dtype.bytes();
    }
    return last + dtype.bytes();
  }

  /** True when the elements lie in row-major order without gaps. */
  public boolean isContiguous() {
    return end() - start == payloadBytes()
        && new TensorView(region, start, extents, strides, dtype).isContiguous();
  }

  /** True when remembering where the elements are costs less than copying them. */
  public boolean isWorthBorrowing() {
    return payloadBytes() >= Deferred.SHORTEST && isContiguous();
  }

  /** The same elements where they are in memory: here, or where they were copied from. */
  public Box here() {
    Deferred open = region.deferred();
    long end = open == null ? start : end();
    if (open == null || end == start) {
      return this;
    }
    int range = open.holding(start, end);
    if (range >= 0) {
      return new Box(open.source(range), start + open.shift(range), extents, strides, dtype);
    }
    open.settle(start, end);
    return this;
  }

  /**
   * Prepares the region's memory for being written to.
   *
   * @param whole true when every byte of the box will be overwritten, whatever it holds
   */
  public void beforeWrite(boolean whole) {
    long end = end();
    if (end == start) {
      return;
    }
    region.changing(start, end);
    Deferred open = region.deferred();
    if (open == null) {
      return;
    }
    if (whole && end - start >= Deferred.SHORTEST && isContiguous()) {
      open.drop(start, end);
    } else {
      open.settle(start, end);
    }
  }

  /**
   * Makes the region hold what {@code from} holds, without copying it yet. False when that isn't
   * possible or not worth the trouble; nothing has changed then.
   *
   * @param from another region's memory that really has the elements, see {@link #here()}
   */
  @SuppressWarnings("ReferenceEquality") // Regions are places.
  public boolean borrow(Box from) {
    Deferred open = region.deferred();
    if (open == null || from.region == region || !isWorthBorrowing() || !from.isContiguous()) {
      return false;
    }
    long end = start + payloadBytes();
    region.changing(start, end);
    open.borrow(start, end, from.region, from.start - start);
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
