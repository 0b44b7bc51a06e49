package io.ringmaster.worker.golden;

import io.ringmaster.worker.stop.StopOrder;
import io.ringmaster.worker.tensor.HostTensor;
import java.util.Arrays;

/**
 * Walks several strided views over one shape, in row-major order, and looks at the order to stop
 * while it does.
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

  /** Called once for each run of elements that follow each other. */
  @FunctionalInterface
  public interface Run {
    /**
     * Looks at a run.
     *
     * @param position row-major number of its first element within the shape
     * @param offsets element index of its first element into each view's buffer; not to be changed
     * @param steps distance from one element to the next in each view's buffer
     * @param count how many elements it has; at most {@link StridedLoop#LONGEST}
     */
    void at(long position, long[] offsets, long[] steps, int count);
  }

  /** Elements of a run at most: their values, as doubles of three views, stay in a core's cache. */
  public static final int LONGEST = 4096;

  private StridedLoop() {}

  /** An array for the values of one run over so many elements. */
  public static double[] room(long elements) {
    return new double[(int) Math.min(LONGEST, elements)];
  }

  /** Visits every element of {@code shape}; the views must broadcast to it. */
  public static void over(long[] shape, Body body, HostTensor... views) {
    long[] at = new long[views.length];
    runs(
        shape,
        (position, offsets, steps, count) -> {
          System.arraycopy(offsets, 0, at, 0, at.length);
          for (int i = 0; i < count; i++) {
            body.at(position + i, at);
            for (int view = 0; view < at.length; view++) {
              at[view] += steps[view];
            }
          }
        },
        views);
  }

  /** Visits every element of {@code shape}, a run at a time; the views must broadcast to it. */
  public static void runs(long[] shape, Run run, HostTensor... views) {
    long total = HostTensor.count(shape);
    if (total == 0) {
      return;
    }
    int count = views.length;
    long[] offsets = new long[count];
    for (int view = 0; view < count; view++) {
      offsets[view] = views[view].offset();
    }
    // Extents of 1 change neither positions nor offsets.
    long[] extents = wide(shape, shape);
    long[][] strides = new long[count][];
    for (int view = 0; view < count; view++) {
      strides[view] = wide(shape, stridesFor(views[view], shape));
    }
    int outer = firstOfRun(extents, strides);
    long length = 1;
    for (int axis = outer; axis < extents.length; axis++) {
      length *= extents[axis];
    }
    long[] steps = new long[count];
    for (int view = 0; view < count && extents.length > 0; view++) {
      steps[view] = strides[view][extents.length - 1];
    }
    long[] index = new long[outer];
    for (long position = 0; position < total; position += length) {
      stretches(position, length, offsets, steps, run);
      advance(index, extents, strides, offsets);
    }
  }

  /** The values of those dimensions whose extent isn't 1. */
  private static long[] wide(long[] shape, long[] values) {
    if (shape.length == 1 && shape[0] != 1) {
      return values;
    }
    int count = 0;
    long[] kept = new long[shape.length];
    for (int axis = 0; axis < shape.length; axis++) {
      if (shape[axis] != 1) {
        kept[count++] = values[axis];
      }
    }
    return Arrays.copyOf(kept, count);
  }

  /** The first of the last dimensions that lie in one line in every view. */
  private static int firstOfRun(long[] shape, long[][] strides) {
    int first = Math.max(0, shape.length - 1);
    while (first > 0) {
      for (long[] stride : strides) {
        if (stride[first - 1] != stride[first] * shape[first]) {
          return first;
        }
      }
      first--;
    }
    return first;
  }

  private static void stretches(long position, long length, long[] offsets, long[] steps, Run run) {
    if (length <= LONGEST) {
      StopOrder.look();
      run.at(position, offsets, steps, (int) length);
      return;
    }
    long[] at = offsets.clone();
    for (long from = 0; from < length; from += LONGEST) {
      StopOrder.look();
      int count = (int) Math.min(LONGEST, length - from);
      run.at(position + from, at, steps, count);
      for (int view = 0; view < at.length; view++) {
        at[view] += steps[view] * count;
      }
    }
  }

  private static void advance(long[] index, long[] shape, long[][] strides, long[] offsets) {
    for (int axis = index.length - 1; axis >= 0; axis--) {
      if (++index[axis] < shape[axis]) {
        for (int view = 0; view < offsets.length; view++) {
          offsets[view] += strides[view][axis];
        }
        return;
      }
      index[axis] = 0;
      for (int view = 0; view < offsets.length; view++) {
        offsets[view] -= strides[view][axis] * (shape[axis] - 1);
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
