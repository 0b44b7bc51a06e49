package io.ringmaster.worker.fabric;

import io.ringmaster.worker.tensor.DType;
import io.ringmaster.worker.tensor.HostTensor;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A strided view of a region: the run-time value of every tensor of a kernel.
 *
 * @param start byte of the region at which element 0 lies
 * @param shape extents, one per dimension
 * @param strides distance between neighbours of a dimension, in elements
 * @param valid extents of the part at the origin that holds values and lies in memory; the shape
 *     where that is all of it
 */
@SuppressWarnings("ArrayRecordComponent") // Compared by equals() below.
public record TensorView(
    Region region, long start, long[] shape, long[] strides, DType dtype, long[] valid) {

  /** A view all of which holds values. */
  public TensorView(Region region, long start, long[] shape, long[] strides, DType dtype) {
    this(region, start, shape, strides, dtype, shape);
  }

  /** A row-major view from {@code start}. */
  public static TensorView packed(Region region, long start, long[] shape, DType dtype) {
    return new TensorView(region, start, shape, HostTensor.rowMajor(shape), dtype);
  }

  /** The view of a host tensor. */
  public static TensorView of(HostRegion region, HostTensor tensor) {
    return new TensorView(
        region,
        tensor.offset() * tensor.dtype().bytes(),
        tensor.shape(),
        tensor.strides(),
        tensor.dtype());
  }

  public int rank() {
    return shape.length;
  }

  /** Number of elements. */
  public long elements() {
    return HostTensor.count(shape);
  }

  /** Bytes of all elements. */
  public long payloadBytes() {
    return elements() * dtype.bytes();
  }

  /** The same place in another region of the same layout, such as a peer's slice. */
  public TensorView in(Region other) {
    return new TensorView(other, start, shape, strides, dtype, valid);
  }

  /** False when only a part holds values. */
  public boolean isWhole() {
    return Arrays.equals(valid, shape);
  }

  /** The same place with another part that holds values. */
  public TensorView withValid(long[] extents) {
    return new TensorView(region, start, shape, strides, dtype, extents);
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

  /**
   * The view with other extents over the same bytes: dimensions of extent 1 may come and go in any
   * view, everything else needs a view without gaps. Null when the bytes can't be seen that way; a
   * smaller shape takes the first elements.
   */
  public @Nullable TensorView as(long[] wanted, DType type) {
    if (type == dtype && Arrays.equals(wanted, shape)) {
      return this;
    }
    if (isWhole() && isContiguous()) {
      return packed(region, start, wanted, type);
    }
    if (type != dtype) {
      return null;
    }
    long[] steps = new long[wanted.length];
    long[] holding = wanted.clone();
    int axis = 0;
    for (int i = 0; i < wanted.length; i++) {
      if (wanted[i] == 1) {
        continue;
      }
      while (axis < shape.length && shape[axis] == 1) {
        axis++;
      }
      if (axis == shape.length || shape[axis] != wanted[i]) {
        return null;
      }
      holding[i] = valid[axis];
      steps[i] = strides[axis++];
    }
    while (axis < shape.length) {
      if (shape[axis++] != 1) {
        return null;
      }
    }
    if (HostTensor.count(valid) == 0) {
      Arrays.fill(holding, 0);
    }
    return new TensorView(region, start, wanted, steps, dtype, holding);
  }

  /** True when both views start at the same byte of the same region. */
  public boolean sameStart(TensorView other) {
    return region == other.region && start == other.start;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof TensorView that
        && sameStart(that)
        && dtype == that.dtype
        && Arrays.equals(shape, that.shape)
        && Arrays.equals(strides, that.strides)
        && Arrays.equals(valid, that.valid);
  }

  @Override
  public int hashCode() {
    return System.identityHashCode(region) * 31 + Long.hashCode(start);
  }

  @Override
  public String toString() {
    return dtype + Arrays.toString(shape);
  }
}
