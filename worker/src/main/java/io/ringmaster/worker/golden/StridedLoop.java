package io.ringmaster.worker.golden;

import io.ringmaster.worker.tensor.HostTensor;

/**
 * Walks several strided views over one shape, in row-major order.
 *
 * <p>A view whose extent is 1 where the shape's is larger stands still along that dimension, and
 * missing leading dimensions count as 1: the broadcasting rule of tensors.
 */
public final class StridedLoop {

  /** Called once for each element. */
  @FunctionalInterface
  public interface Body {
    /**
     * Looks at one element.
     *
     * @param position row-major number of the element within the shape
     * @param offsets element index into each view's buffer; the array is reused
     */
    void at(long position, long[] offsets);
  }

  private StridedLoop() {}

  /** Visits every element of {@code shape}; the views must broadcast to it. */
  public static void over(long[] shape, Body body, HostTensor... views) {
    long total = HostTensor.count(shape);
    if (total == 0) {
      return;
    }
    int rank = shape.length;
    int count = views.length;
    long[][] strides = new long[count][];
    long[] offsets = new long[count];
    for (int view = 0; view < count; view++) {
      strides[view] = stridesFor(views[view], shape);
      offsets[view] = views[view].offset();
    }
    long[] index = new long[rank];
    for (long position = 0; position < total; position++) {
      body.at(position, offsets);
      for (int axis = rank - 1; axis >= 0; axis--) {
        if (++index[axis] < shape[axis]) {
          for (int view = 0; view < count; view++) {
            offsets[view] += strides[view][axis];
          }
          break;
        }
        index[axis] = 0;
        for (int view = 0; view < count; view++) {
          offsets[view] -= strides[view][axis] * (shape[axis] - 1);
        }
      }
    }
  }

  /** The strides with which a view is read over a shape that it broadcasts to. */
  public static long[] stridesFor(HostTensor view, long[] shape) {
    long[] strides = new long[shape.length];
    int missing = shape.length - view.rank();
    for (int axis = 0; axis < view.rank(); axis++) {
      boolean stands = view.shape()[axis] == 1 && shape[missing + axis] != 1;
      strides[missing + axis] = stands ? 0 : view.strides()[axis];
    }
    return strides;
  }

  /** The indices of a row-major position. */
  public static long[] indexOf(long position, long[] shape) {
    long[] index = new long[shape.length];
    long rest = position;
    for (int axis = shape.length - 1; axis >= 0; axis--) {
      index[axis] = rest % shape[axis];
      rest /= shape[axis];
    }
    return index;
  }
}
