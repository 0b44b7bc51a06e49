package io.ringmaster.worker.script.torch;

import io.ringmaster.worker.script.value.Errors;
import io.ringmaster.worker.script.value.Interp;
import io.ringmaster.worker.tensor.HostTensor;
import io.ringmaster.worker.tensor.Sizes;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/** Other ways to look at the same memory. */
final class Views {

  /** What the object of a view takes on the heap, with its shape and strides. */
  static final int BYTES = 256;

  private Views() {}

  private static HostTensor make(HostTensor of, long[] shape, long[] strides, long offset) {
    return new HostTensor(of.buffer(), of.dtype(), shape, strides, offset);
  }

  static HostTensor unsqueeze(HostTensor tensor, int axis) {
    long[] shape = insert(tensor.shape(), axis, 1);
    long step = axis < tensor.rank() ? tensor.shape()[axis] * tensor.strides()[axis] : 1;
    return make(tensor, shape, insert(tensor.strides(), axis, step), tensor.offset());
  }

  /** The slice at one index of a dimension, without that dimension. */
  static HostTensor select(HostTensor tensor, int axis, long index) {
    return make(
        tensor,
        remove(tensor.shape(), axis),
        remove(tensor.strides(), axis),
        tensor.offset() + index * tensor.strides()[axis]);
  }

  static HostTensor narrow(HostTensor tensor, int axis, long start, long count, long step) {
    long[] shape = tensor.shape().clone();
    long[] strides = tensor.strides().clone();
    shape[axis] = count;
    strides[axis] *= step;
    return make(tensor, shape, strides, tensor.offset() + start * tensor.strides()[axis]);
  }

  /** Only the first dimensions; the others stand at index 0. */
  static HostTensor leading(HostTensor tensor, int count) {
    return make(
        tensor,
        Arrays.copyOf(tensor.shape(), count),
        Arrays.copyOf(tensor.strides(), count),
        tensor.offset());
  }

  static HostTensor squeeze(HostTensor tensor, int axis) {
    return tensor.shape()[axis] == 1 ? select(tensor, axis, 0) : tensor;
  }

  static HostTensor squeezeAll(HostTensor tensor) {
    HostTensor result = tensor;
    for (int axis = tensor.rank() - 1; axis >= 0; axis--) {
      result = squeeze(result, axis);
    }
    return result;
  }

  static HostTensor permute(HostTensor tensor, int[] order) {
    long[] shape = new long[order.length];
    long[] strides = new long[order.length];
    for (int i = 0; i < order.length; i++) {
      shape[i] = tensor.shape()[order[i]];
      strides[i] = tensor.strides()[order[i]];
    }
    return make(tensor, shape, strides, tensor.offset());
  }

  static HostTensor transpose(HostTensor tensor, int a, int b) {
    int[] order = new int[tensor.rank()];
    for (int i = 0; i < order.length; i++) {
      order[i] = i == a ? b : i == b ? a : i;
    }
    return tensor.rank() == 0 ? tensor : permute(tensor, order);
  }

  /** Repeats extents of 1 without copying; -1 keeps an extent. */
  static HostTensor expand(HostTensor tensor, long[] wanted) {
    if (wanted.length < tensor.rank()) {
      throw Errors.runtime(
          "expand: the number of sizes provided ("
              + wanted.length
              + ") must be greater or equal to the number of dimensions in the tensor ("
              + tensor.rank()
              + ")");
    }
    int missing = wanted.length - tensor.rank();
    long[] shape = wanted.clone();
    long[] strides = new long[wanted.length];
    for (int axis = 0; axis < wanted.length; axis++) {
      long own = axis < missing ? 1 : tensor.shape()[axis - missing];
      if (wanted[axis] == -1 && axis >= missing) {
        shape[axis] = own;
      }
      if (shape[axis] != own && own != 1) {
        throw Errors.runtime(
            "The expanded size of the tensor ("
                + wanted[axis]
                + ") must match the existing size ("
                + own
                + ") at non-singleton dimension "
                + axis
                + ".  Target sizes: "
                + Tensors.shown(wanted)
                + ".  Tensor sizes: "
                + Tensors.shown(tensor.shape()));
      }
      strides[axis] = axis < missing || own != shape[axis] ? 0 : tensor.strides()[axis - missing];
    }
    requireCountable(shape);
    return make(tensor, shape, strides, tensor.offset());
  }

  private static void requireCountable(long[] shape) {
    double elements = 1;
    for (long extent : shape) {
      elements *= extent;
    }
    if (elements >= Long.MAX_VALUE) {
      throw Errors.runtime(
          "numel: integer multiplication overflow in shape " + Arrays.toString(shape));
    }
  }

  /** A shape with -1 filled in. */
  static long[] resolved(long[] wanted, long elements) {
    long[] shape = wanted.clone();
    int open = -1;
    long known = 1;
    for (int axis = 0; axis < shape.length; axis++) {
      if (shape[axis] == -1) {
        if (open >= 0) {
          throw Errors.runtime("only one dimension can be inferred");
        }
        open = axis;
      } else if (shape[axis] < 0) {
        throw Errors.runtime("invalid shape dimension " + shape[axis]);
      } else {
        known = Sizes.times(known, shape[axis]);
      }
    }
    if (open >= 0 && known > 0 && elements % known == 0) {
      shape[open] = elements / known;
      known = elements;
    }
    if (known != elements || (open >= 0 && shape[open] == -1)) {
      throw Errors.runtime(
          "shape '" + Tensors.shown(wanted) + "' is invalid for input of size " + elements);
    }
    return shape;
  }

  /** The same memory under another shape; empty when that needs a copy. */
  static Optional<HostTensor> reshape(HostTensor tensor, long[] shape) {
    if (tensor.isContiguous() || tensor.elements() == 0) {
      return Optional.of(make(tensor, shape, HostTensor.rowMajor(shape), tensor.offset()));
    }
    // Dimensions that follow each other without a gap are merged first; each new dimension must
    // then lie within one of them.
    List<long[]> blocks = new ArrayList<>();
    for (int axis = 0; axis < tensor.rank(); axis++) {
      long extent = tensor.shape()[axis];
      long stride = tensor.strides()[axis];
      if (extent == 1) {
        continue;
      }
      if (!blocks.isEmpty() && blocks.getLast()[1] == extent * stride) {
        blocks.getLast()[0] *= extent;
        blocks.getLast()[1] = stride;
      } else {
        blocks.add(new long[] {extent, stride});
      }
    }
    long[] strides = new long[shape.length];
    int block = blocks.size() - 1;
    long inside = 1;
    for (int axis = shape.length - 1; axis >= 0; axis--) {
      if (shape[axis] == 1) {
        strides[axis] = inside;
        continue;
      }
      if (block < 0 || blocks.get(block)[0] % (inside * shape[axis]) != 0) {
        return Optional.empty();
      }
      strides[axis] = blocks.get(block)[1] * inside;
      inside *= shape[axis];
      if (inside == blocks.get(block)[0]) {
        block--;
        inside = 1;
      }
    }
    return Optional.of(make(tensor, shape, strides, tensor.offset()));
  }

  /** {@code reshape}: a view where possible, else a copy. */
  static TensorValue reshape(TensorValue self, long[] wanted, Interp interp) {
    long[] shape = resolved(wanted, self.data().elements());
    Optional<HostTensor> view = reshape(self.data(), shape);
    if (view.isPresent()) {
      return self.view(view.get()).with(self.lineage());
    }
    TensorValue copy = Tensors.copy(self, self.data().dtype(), interp);
    return copy.view(reshape(copy.data(), shape).orElseThrow());
  }

  private static long[] insert(long[] values, int at, long value) {
    long[] result = new long[values.length + 1];
    System.arraycopy(values, 0, result, 0, at);
    result[at] = value;
    System.arraycopy(values, at, result, at + 1, values.length - at);
    return result;
  }

  private static long[] remove(long[] values, int at) {
    long[] result = new long[values.length - 1];
    System.arraycopy(values, 0, result, 0, at);
    System.arraycopy(values, at + 1, result, at, values.length - at - 1);
    return result;
  }
}
