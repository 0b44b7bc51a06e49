package io.ringmaster.worker.script.torch;

import io.ringmaster.worker.golden.Elements;
import io.ringmaster.worker.golden.StridedLoop;
import io.ringmaster.worker.script.value.Errors;
import io.ringmaster.worker.tensor.DType;
import io.ringmaster.worker.tensor.HostTensor;

/** Index tensors of gather, scatter and their kin: their checks, and the elements they name. */
final class Positions {

  private Positions() {}

  /** Called for each element of an index tensor. */
  interface Body {
    /**
     * Handles one element.
     *
     * @param target element index in the tensor's buffer that the index names
     * @param other element index in the other tensor's buffer, at the index's own position
     */
    void at(long target, long other);
  }

  /** The type an index must have. */
  static void requireLong(String function, HostTensor index) {
    if (index.dtype() != DType.INT64) {
      throw Errors.runtime(
          function
              + "(): Expected dtype int64 for index, but got "
              + Dtypes.nameOf(index.dtype())
              + "; convert it with .long()");
    }
  }

  /** Index tensors that may be of either size. */
  static void requireVector(String function, HostTensor index) {
    if (index.dtype() != DType.INT64 && index.dtype() != DType.INT32) {
      throw Errors.index(
          function
              + "(): Expected dtype int32 or int64 for index, but got "
              + Dtypes.nameOf(index.dtype()));
    }
    if (index.rank() > 1) {
      throw Errors.index(
          function
              + "(): Index is supposed to be a vector, but got dim: "
              + index.rank()
              + " with shape "
              + Tensors.shown(index.shape()));
    }
  }

  /** The index must have the tensor's rank and, apart from one dimension, fit within it. */
  static void requireWithin(
      String function, HostTensor index, HostTensor tensor, int exceptAxis, String what) {
    if (index.rank() != tensor.rank() && index.elements() > 0) {
      throw Errors.runtime(
          function
              + "(): Index tensor must have the same number of dimensions as "
              + what
              + " tensor: index has shape "
              + Tensors.shown(index.shape())
              + ", "
              + what
              + " "
              + Tensors.shown(tensor.shape()));
    }
    for (int axis = 0; axis < Math.min(index.rank(), tensor.rank()); axis++) {
      if (axis != exceptAxis && index.shape()[axis] > tensor.shape()[axis]) {
        throw Errors.runtime(
            function
                + "(): Size does not match at dimension "
                + axis
                + " expected index "
                + Tensors.shown(index.shape())
                + " to be no larger than "
                + what
                + " "
                + Tensors.shown(tensor.shape())
                + (exceptAxis < 0 ? "" : " apart from dimension " + exceptAxis));
      }
    }
  }

  /** An index from a tensor, checked against an extent. */
  static long checked(String function, long index, int axis, long extent) {
    if (index < 0 || index >= extent) {
      throw Errors.index(outside(function, index, axis, extent));
    }
    return index;
  }

  private static String outside(String function, long index, int axis, long extent) {
    return function
        + "(): index "
        + index
        + " is out of bounds for dimension "
        + axis
        + " with size "
        + extent;
  }

  /**
   * Walks an index tensor: its values are positions of {@code tensor} along {@code axis}, its own
   * positions are those along all other dimensions.
   */
  static void over(
      String function, HostTensor tensor, int axis, HostTensor index, HostTensor other, Body body) {
    if (index.elements() == 0) {
      return;
    }
    long[] shape = index.shape();
    if (shape.length == 0) {
      over(
          function,
          Lanes.atLeast1d(tensor),
          0,
          Views.unsqueeze(index, 0),
          Lanes.atLeast1d(other),
          body);
      return;
    }
    Elements places = Elements.of(index.buffer(), index.dtype());
    HostTensor corner = within(tensor, shape, axis);
    long step = tensor.strides()[axis];
    long extent = tensor.shape()[axis];
    StridedLoop.over(
        shape,
        (p, at) ->
            body.at(at[1] + checked(function, places.getLong(at[0]), axis, extent) * step, at[2]),
        index,
        corner,
        within(other, shape, -1));
  }

  /** The first corner of a tensor, of a given shape; it stands still along one dimension. */
  private static HostTensor within(HostTensor tensor, long[] shape, int still) {
    long[] strides = tensor.strides().clone();
    if (still >= 0) {
      strides[still] = 0;
    }
    return new HostTensor(tensor.buffer(), tensor.dtype(), shape, strides, tensor.offset());
  }
}
