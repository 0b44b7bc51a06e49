package io.ringmaster.worker.script.torch;

import io.ringmaster.worker.script.value.Bound;
import io.ringmaster.worker.script.value.Call;
import io.ringmaster.worker.script.value.Convert;
import io.ringmaster.worker.script.value.Errors;
import io.ringmaster.worker.script.value.ListValue;
import io.ringmaster.worker.script.value.MethodTable;
import io.ringmaster.worker.script.value.TupleValue;
import io.ringmaster.worker.script.value.Value;
import io.ringmaster.worker.tensor.DType;
import io.ringmaster.worker.tensor.HostTensor;
import io.ringmaster.worker.tensor.Sizes;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/** Tensor methods that look at the same elements in another shape. */
final class ShapeMethods {

  private ShapeMethods() {}

  static void define(MethodTable<TensorValue> table) {
    table
        .add("size", "dim=", ShapeMethods::size)
        .add("__len__", "", (t, a, c) -> t.lengthValue())
        .add("dim", "", (t, a, c) -> Value.of(t.data().rank()))
        .add("numel", "", (t, a, c) -> t.counted(t.data().elements()))
        .add("nelement", "", (t, a, c) -> t.counted(t.data().elements()))
        .add("element_size", "", (t, a, c) -> Value.of(t.data().dtype().bytes()))
        .add("stride", "", (t, a, c) -> new TupleValue(longs(t.data().strides())))
        .add("is_contiguous", "", (t, a, c) -> Value.of(t.data().isContiguous()))
        .add("is_floating_point", "", (t, a, c) -> Value.of(t.data().dtype().isFloat()))
        .add(
            "reshape",
            "*rest, shape=",
            (t, a, c) -> Views.reshape(t, extents(a, "shape", c), c.interp()))
        .add("view", "*rest, size=, dtype=", ShapeMethods::viewAs)
        .add("flatten", "start_dim=, end_dim=", ShapeMethods::flatten)
        .add("ravel", "", (t, a, c) -> Views.reshape(t, new long[] {-1}, c.interp()))
        .add("unsqueeze", "dim", ShapeMethods::unsqueeze)
        .add("squeeze", "dim=", ShapeMethods::squeeze)
        .add("permute", "*rest, dims=", ShapeMethods::permute)
        .add("transpose", "dim0, dim1", ShapeMethods::transpose)
        .add("t", "", ShapeMethods::transposed)
        .add(
            "expand",
            "*rest, size=",
            (t, a, c) -> t.view(Views.expand(t.data(), extents(a, "size", c))))
        .add(
            "expand_as",
            "other",
            (t, a, c) ->
                t.view(Views.expand(t.data(), TensorMethods.tensor(a, "other").data().shape())))
        .add("repeat", "*rest, repeats=", ShapeMethods::repeat)
        .add("chunk", "chunks, dim=", ShapeMethods::chunk)
        .add("split", "split_size, dim=", ShapeMethods::split)
        .add("narrow", "dim, start, length", ShapeMethods::narrow)
        .add("select", "dim, index", ShapeMethods::select)
        .add("roll", "shifts, dims=", ShapeMethods::roll)
        .add("flip", "*rest, dims=", ShapeMethods::flip);
  }

  /** Numbers given one by one, as a list, or by name. */
  static long[] extents(Bound a, String name, Call c) {
    return Tensors.shape(a.has(name) ? List.of(a.get(name)) : a.rest(), c.interp());
  }

  private static List<Value> longs(long[] values) {
    List<Value> list = new ArrayList<>();
    for (long value : values) {
      list.add(Value.of(value));
    }
    return list;
  }

  private static Value size(TensorValue t, Bound a, Call c) {
    return a.has("dim")
        ? t.counted(t.data().shape()[Tensors.realAxis(a.integer("dim"), t.data().rank())])
        : t.size();
  }

  private static Value viewAs(TensorValue t, Bound a, Call c) {
    if (a.rest().size() == 1 && a.rest().getFirst() instanceof DtypeValue type) {
      return bits(t, type.type());
    }
    if (a.has("dtype")) {
      return bits(t, Dtypes.of(a.get("dtype")));
    }
    long[] wanted = extents(a, "size", c);
    return Views.reshape(t.data(), Views.resolved(wanted, t.data().elements()))
        .<Value>map(view -> t.view(view).with(t.lineage()))
        .orElseThrow(
            () ->
                Errors.runtime(
                    "view size is not compatible with input tensor's size and stride (at least one"
                        + " dimension spans across two contiguous subspaces). Use .reshape(...)"
                        + " instead."));
  }

  /** The same bits under another type of the same size. */
  private static Value bits(TensorValue t, DType type) {
    HostTensor data = t.data();
    if (type.bytes() != data.dtype().bytes()) {
      throw Errors.runtime("view(dtype) needs a type of the same size");
    }
    return t.view(new HostTensor(data.buffer(), type, data.shape(), data.strides(), data.offset()));
  }

  private static Value flatten(TensorValue t, Bound a, Call c) {
    int rank = t.data().rank();
    int from = Tensors.axis(a.integer("start_dim", 0), rank);
    int to = Tensors.axis(a.integer("end_dim", -1), rank);
    if (from > to) {
      throw Errors.runtime("flatten() has invalid args: start_dim cannot come after end_dim");
    }
    List<Long> shape = new ArrayList<>();
    long merged = 1;
    for (int axis = 0; axis < rank; axis++) {
      if (axis < from || axis > to) {
        shape.add(t.data().shape()[axis]);
        continue;
      }
      merged *= t.data().shape()[axis];
      if (axis == to) {
        shape.add(merged);
      }
    }
    long[] extents =
        rank == 0 ? new long[] {1} : shape.stream().mapToLong(Long::longValue).toArray();
    return Views.reshape(t, extents, c.interp());
  }

  private static Value unsqueeze(TensorValue t, Bound a, Call c) {
    int axis = Tensors.axis(a.integer("dim"), t.data().rank() + 1);
    return t.view(Views.unsqueeze(t.data(), axis)).with(t.lineage());
  }

  private static Value squeeze(TensorValue t, Bound a, Call c) {
    if (!a.has("dim")) {
      return t.view(Views.squeezeAll(t.data())).with(t.lineage());
    }
    int[] axes = Softmax.axes(t, a.get("dim"), c);
    java.util.Arrays.sort(axes);
    HostTensor data = t.data();
    for (int i = axes.length - 1; i >= 0; i--) {
      data = Views.squeeze(data, axes[i]);
    }
    return t.view(data).with(t.lineage());
  }

  private static Value permute(TensorValue t, Bound a, Call c) {
    long[] dims = extents(a, "dims", c);
    int rank = t.data().rank();
    int[] order = new int[dims.length];
    Set<Integer> seen = new TreeSet<>();
    for (int i = 0; i < dims.length; i++) {
      order[i] = Tensors.axis(dims[i], rank);
      seen.add(order[i]);
    }
    if (dims.length != rank || seen.size() != rank) {
      throw Errors.runtime("permute(dims): each of the " + rank + " dimensions must appear once");
    }
    return t.view(Views.permute(t.data(), order));
  }

  private static Value transpose(TensorValue t, Bound a, Call c) {
    int rank = t.data().rank();
    return t.view(
        Views.transpose(
            t.data(),
            Tensors.axis(a.integer("dim0"), rank),
            Tensors.axis(a.integer("dim1"), rank)));
  }

  private static Value transposed(TensorValue t, Bound a, Call c) {
    if (t.data().rank() > 2) {
      throw Errors.runtime(
          "t() expects a tensor with <= 2 dimensions, but self is " + t.data().rank() + "D");
    }
    return t.view(TensorMethods.reversed(t.data()));
  }

  private static Value repeat(TensorValue t, Bound a, Call c) {
    return repeated(t, extents(a, "repeats", c), c);
  }

  static TensorValue repeated(TensorValue t, long[] times, Call c) {
    int extra = times.length - t.data().rank();
    if (extra < 0) {
      throw Errors.runtime(
          "Number of dimensions of repeat dims can not be smaller than number of dimensions of"
              + " tensor");
    }
    if (java.util.Arrays.stream(times).allMatch(count -> count == 1)) {
      long[] kept = new long[times.length];
      java.util.Arrays.fill(kept, 0, extra, 1);
      System.arraycopy(t.data().shape(), 0, kept, extra, t.data().rank());
      return Tensors.copy(t.view(Views.expand(t.data(), kept)), t.data().dtype(), c.interp());
    }
    // The result is made whole first, so that what is too large is refused before any copying.
    // Seen with each dimension split into rounds and extent, it is the tensor, broadcast.
    long[] shape = new long[times.length];
    long[] split = new long[2 * times.length];
    long[] once = new long[2 * times.length];
    for (int axis = 0; axis < times.length; axis++) {
      long extent = axis < extra ? 1 : t.data().shape()[axis - extra];
      if (times[axis] < 0) {
        throw Errors.runtime(
            "Trying to create tensor with negative dimension "
                + times[axis]
                + ": "
                + Tensors.shown(times));
      }
      shape[axis] = Sizes.times(times[axis], extent);
      split[2 * axis] = times[axis];
      split[2 * axis + 1] = extent;
      once[2 * axis] = 1;
      once[2 * axis + 1] = extent;
    }
    TensorValue result = Tensors.derived(t.data().dtype(), shape, t.origin(), c.interp());
    if (result.data().elements() > 0) {
      HostTensor rounds = Views.reshape(result.data(), split).orElseThrow();
      Tensors.fill(rounds, Views.reshape(t, once, c.interp()).data());
    }
    return result;
  }

  private static Value chunk(TensorValue t, Bound a, Call c) {
    if (t.data().rank() == 0) {
      throw Errors.runtime("chunk expects at least a 1-dimensional tensor");
    }
    int axis = Tensors.axis(a.integer("dim", 0), t.data().rank());
    long chunks = a.integer("chunks");
    if (chunks <= 0) {
      throw Errors.runtime("chunk expects `chunks` to be greater than 0, got: " + chunks);
    }
    long extent = t.data().shape()[axis];
    return parts(t, axis, Math.max(1, (extent + chunks - 1) / chunks), c);
  }

  private static Value split(TensorValue t, Bound a, Call c) {
    if (t.data().rank() == 0) {
      throw Errors.runtime("split expects at least a 1-dimensional tensor");
    }
    int axis = Tensors.axis(a.integer("dim", 0), t.data().rank());
    if (!(a.get("split_size") instanceof ListValue || a.get("split_size") instanceof TupleValue)) {
      long size = a.integer("split_size");
      if (size <= 0) {
        throw Errors.runtime("split expects split_size to be positive, but got split_size=" + size);
      }
      return parts(t, axis, size, c);
    }
    List<Value> parts = new ArrayList<>();
    long at = 0;
    List<Value> sizes = TensorMethods.asList(a.get("split_size"), c);
    for (Value size : sizes) {
      long count = Convert.integer(size, "split size");
      if (count < 0 || count > t.data().shape()[axis] - at) {
        break;
      }
      parts.add(t.view(Views.narrow(t.data(), axis, at, count, 1)));
      at += count;
    }
    if (at != t.data().shape()[axis] || parts.size() != sizes.size()) {
      throw Errors.runtime(
          "split_with_sizes expects split_sizes to sum exactly to "
              + t.data().shape()[axis]
              + " (input tensor's size at dimension "
              + axis
              + "), but got split_sizes="
              + c.interp().repr(a.get("split_size")));
    }
    return new TupleValue(parts);
  }

  private static Value parts(TensorValue t, int axis, long size, Call c) {
    List<Value> parts = new ArrayList<>();
    long extent = t.data().shape()[axis];
    for (long at = 0; at < extent; at += size) {
      c.interp().session().budget().objects(Views.BYTES);
      parts.add(t.view(Views.narrow(t.data(), axis, at, Math.min(size, extent - at), 1)));
    }
    return new TupleValue(parts);
  }

  private static Value narrow(TensorValue t, Bound a, Call c) {
    int axis = Tensors.realAxis(a.integer("dim"), t.data().rank());
    long start = a.integer("start");
    long length = a.integer("length");
    long extent = t.data().shape()[axis];
    long from = start < 0 ? start + extent : start;
    if (from < 0 || from > extent || length < 0 || length > extent - from) {
      throw Errors.runtime(
          "start ("
              + start
              + ") + length ("
              + length
              + ") exceeds dimension size ("
              + extent
              + ").");
    }
    return t.view(Views.narrow(t.data(), axis, from, length, 1));
  }

  private static Value select(TensorValue t, Bound a, Call c) {
    int axis = Tensors.realAxis(a.integer("dim"), t.data().rank());
    long index = a.integer("index");
    long extent = t.data().shape()[axis];
    if (index < -extent || index >= extent) {
      throw Errors.index("select(): index " + index + " out of range for size " + extent);
    }
    return t.view(Views.select(t.data(), axis, index < 0 ? index + extent : index));
  }

  private static Value roll(TensorValue t, Bound a, Call c) {
    TensorValue result = t;
    if (!a.has("dims")) {
      TensorValue flat = Views.reshape(t, new long[] {-1}, c.interp());
      return Views.reshape(rolled(flat, a.integer("shifts"), 0, c), t.data().shape(), c.interp());
    }
    List<Value> shifts = TensorMethods.asList(a.get("shifts"), c);
    List<Value> dims = TensorMethods.asList(a.get("dims"), c);
    for (int i = 0; i < Math.min(shifts.size(), dims.size()); i++) {
      int axis = Tensors.realAxis(Convert.integer(dims.get(i), "dims"), t.data().rank());
      result = rolled(result, Convert.integer(shifts.get(i), "shifts"), axis, c);
    }
    return result;
  }

  private static TensorValue rolled(TensorValue t, long shift, int axis, Call c) {
    long extent = t.data().shape()[axis];
    if (extent == 0) {
      return t;
    }
    long at = Math.floorMod(-Math.floorMod(shift, extent), extent);
    TensorValue head = t.view(Views.narrow(t.data(), axis, at, extent - at, 1));
    TensorValue tail = t.view(Views.narrow(t.data(), axis, 0, at, 1));
    return Creation.cat(List.of(head, tail), axis, c.interp());
  }

  private static Value flip(TensorValue t, Bound a, Call c) {
    TensorValue result = t;
    for (long dim : extents(a, "dims", c)) {
      int axis = Tensors.realAxis(dim, t.data().rank());
      long extent = t.data().shape()[axis];
      HostTensor turned =
          extent == 0 ? result.data() : Views.narrow(result.data(), axis, extent - 1, extent, -1);
      result = result.view(turned);
    }
    return Tensors.copy(result, t.data().dtype(), c.interp());
  }
}
