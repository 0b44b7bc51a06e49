package io.ringmaster.worker.script.torch;

import io.ringmaster.worker.golden.Elements;
import io.ringmaster.worker.script.value.Bound;
import io.ringmaster.worker.script.value.Call;
import io.ringmaster.worker.script.value.Convert;
import io.ringmaster.worker.script.value.Errors;
import io.ringmaster.worker.script.value.Interp;
import io.ringmaster.worker.script.value.MethodTable;
import io.ringmaster.worker.script.value.TupleValue;
import io.ringmaster.worker.script.value.Value;
import io.ringmaster.worker.stop.StopOrder;
import io.ringmaster.worker.tensor.DType;
import io.ringmaster.worker.tensor.HostTensor;
import io.ringmaster.worker.tensor.Sizes;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Further ways to rearrange a tensor: diagonals, triangles, moved and repeated dimensions. */
final class LayoutMethods {

  static final List<String> FUNCTIONS =
      List.of(
          "diag",
          "diagonal",
          "diag_embed",
          "tril",
          "triu",
          "movedim",
          "moveaxis",
          "swapaxes",
          "swapdims",
          "unbind",
          "tile",
          "unflatten",
          "fliplr",
          "flipud",
          "rot90",
          "broadcast_to",
          "tensor_split",
          "ravel",
          "adjoint");

  private LayoutMethods() {}

  static void define(MethodTable<TensorValue> table) {
    table
        .add("diag", "diagonal=", LayoutMethods::diag)
        .add(
            "diagonal",
            "offset=, dim1=, dim2=",
            (t, a, c) ->
                t.view(
                    diagonal(
                        "diagonal",
                        t.data(),
                        a.integer("offset", 0),
                        a.integer("dim1", 0),
                        a.integer("dim2", 1))))
        .add("diag_embed", "offset=, dim1=, dim2=", LayoutMethods::diagEmbed)
        .add("tril", "diagonal=", (t, a, c) -> triangle(t, a, c, true))
        .add("triu", "diagonal=", (t, a, c) -> triangle(t, a, c, false))
        .add("movedim", "source, destination", LayoutMethods::movedim)
        .add("moveaxis", "source, destination", LayoutMethods::movedim)
        .add("swapaxes", "axis0, axis1", (t, a, c) -> swapped(t, a, "axis0", "axis1"))
        .add("swapdims", "dim0, dim1", (t, a, c) -> swapped(t, a, "dim0", "dim1"))
        .add("adjoint", "", (t, a, c) -> lastTwo(t))
        .add("unbind", "dim=", LayoutMethods::unbind)
        .add("unfold", "dimension, size, step", LayoutMethods::unfold)
        .add("unflatten", "dim, sizes", LayoutMethods::unflatten)
        .add("tile", "*rest, dims=", LayoutMethods::tile)
        .add(
            "broadcast_to",
            "size",
            (t, a, c) ->
                t.view(Views.expand(t.data(), Tensors.shape(List.of(a.get("size")), c.interp()))))
        .add("view_as", "other", (t, a, c) -> viewAs(t, TensorMethods.tensor(a, "other")))
        .add(
            "reshape_as",
            "other",
            (t, a, c) ->
                Views.reshape(t, TensorMethods.tensor(a, "other").data().shape(), c.interp()))
        .add("fliplr", "", (t, a, c) -> flipped(t, 1, "fliplr", c))
        .add("flipud", "", (t, a, c) -> flipped(t, 0, "flipud", c))
        .add("rot90", "k=, dims=", LayoutMethods::rot90)
        .add("tensor_split", "indices_or_sections, dim=", LayoutMethods::tensorSplit)
        .add("ndimension", "", (t, a, c) -> Value.of(t.data().rank()))
        .add("storage_offset", "", (t, a, c) -> Value.of(t.data().offset()));
    defineInPlace(table);
  }

  /** Methods that change how the tensor object itself looks at its memory. */
  private static void defineInPlace(MethodTable<TensorValue> table) {
    for (String name : List.of("squeeze", "unsqueeze", "transpose", "t", "swapaxes", "swapdims")) {
      table.add(
          name + "_",
          "*rest, **named",
          (t, a, c) -> t.become(((TensorValue) InPlace.call(table, name, t, a, c)).data()));
    }
  }

  private static HostTensor diagonal(
      String function, HostTensor data, long offset, long dim1, long dim2) {
    int first = Tensors.axis(dim1, data.rank());
    int second = Tensors.axis(dim2, data.rank());
    if (first == second || data.rank() < 2) {
      throw Errors.runtime(
          function
              + ": diagonal dimensions cannot be identical "
              + dim1
              + ", "
              + dim2
              + " in shape "
              + Tensors.shown(data.shape()));
    }
    long rows = data.shape()[first];
    long columns = data.shape()[second];
    long count =
        Math.max(
            0, offset >= 0 ? Math.min(rows, columns - offset) : Math.min(rows + offset, columns));
    long start =
        count == 0
            ? 0
            : offset >= 0 ? offset * data.strides()[second] : -offset * data.strides()[first];
    List<Long> shape = new ArrayList<>();
    List<Long> strides = new ArrayList<>();
    for (int axis = 0; axis < data.rank(); axis++) {
      if (axis != first && axis != second) {
        shape.add(data.shape()[axis]);
        strides.add(data.strides()[axis]);
      }
    }
    shape.add(count);
    strides.add(data.strides()[first] + data.strides()[second]);
    return new HostTensor(
        data.buffer(), data.dtype(), longs(shape), longs(strides), data.offset() + start);
  }

  private static long[] longs(List<Long> values) {
    return values.stream().mapToLong(Long::longValue).toArray();
  }

  private static Value diag(TensorValue t, Bound a, Call c) {
    long offset = a.integer("diagonal", 0);
    if (t.data().rank() == 2) {
      HostTensor view = diagonal("diag", t.data(), offset, 0, 1);
      return Tensors.copy(t.view(view), t.data().dtype(), c.interp());
    }
    if (t.data().rank() != 1) {
      throw Errors.runtime(
          "diag(): Supports 1D or 2D tensors. Got "
              + t.data().rank()
              + "D of shape "
              + Tensors.shown(t.data().shape()));
    }
    return embedded(t, offset, 0, 1, c.interp());
  }

  private static Value diagEmbed(TensorValue t, Bound a, Call c) {
    if (t.data().rank() == 0) {
      throw Errors.runtime("diag_embed of a 0-dim tensor is not available");
    }
    int rank = t.data().rank() + 1;
    int first = Tensors.axis(a.integer("dim1", -2), rank);
    int second = Tensors.axis(a.integer("dim2", -1), rank);
    return embedded(t, a.integer("offset", 0), first, second, c.interp());
  }

  private static TensorValue embedded(
      TensorValue t, long offset, int first, int second, Interp interp) {
    HostTensor data = t.data();
    long extent = Sizes.plus(data.shape()[data.rank() - 1], Sizes.abs(offset));
    long[] shape = new long[data.rank() + 1];
    int next = 0;
    for (int axis = 0; axis < shape.length; axis++) {
      shape[axis] = axis == first || axis == second ? extent : data.shape()[next++];
    }
    TensorValue result = Tensors.derived(data.dtype(), shape, t.origin(), interp);
    Tensors.fill(diagonal("diag_embed", result.data(), offset, first, second), data);
    return result;
  }

  private static Value triangle(TensorValue t, Bound a, Call c, boolean lower) {
    HostTensor data = t.data();
    if (data.rank() < 2) {
      throw Errors.runtime(
          (lower ? "tril" : "triu")
              + ": input tensor must have at least 2 dimensions, but has shape "
              + Tensors.shown(data.shape()));
    }
    TensorValue result = Tensors.derived(data.dtype(), data.shape(), t.origin(), c.interp());
    int rowAxis = data.rank() - 2;
    long columns = data.shape()[data.rank() - 1];
    // Beyond the corners every diagonal leaves all or nothing.
    long shift = Math.clamp(a.integer("diagonal", 0), -data.shape()[rowAxis] - 1, columns + 1);
    for (long row = 0; row < data.shape()[rowAxis]; row++) {
      long edge = Math.clamp(lower ? row + shift + 1 : row + shift, 0, columns);
      long from = lower ? 0 : edge;
      long count = lower ? edge : columns - edge;
      HostTensor source = Views.select(data, rowAxis, row);
      HostTensor target = Views.select(result.data(), rowAxis, row);
      Tensors.fill(
          Views.narrow(target, rowAxis, from, count, 1),
          Views.narrow(source, rowAxis, from, count, 1));
    }
    return result;
  }

  private static Value movedim(TensorValue t, Bound a, Call c) {
    int rank = t.data().rank();
    int[] from = Softmax.axes(t, a.get("source"), c);
    int[] to = Softmax.axes(t, a.get("destination"), c);
    if (from.length != to.length) {
      throw Errors.runtime(
          "movedim: Invalid source or destination dims: source ("
              + Arrays.toString(from)
              + " dims) should contain the same number of dims as destination ("
              + Arrays.toString(to)
              + " dims)");
    }
    int[] order = new int[rank];
    Arrays.fill(order, -1);
    boolean[] taken = new boolean[rank];
    for (int i = 0; i < from.length; i++) {
      order[to[i]] = from[i];
      taken[from[i]] = true;
    }
    int next = 0;
    for (int axis = 0; axis < rank; axis++) {
      if (order[axis] < 0) {
        while (taken[next]) {
          next++;
        }
        order[axis] = next++;
      }
    }
    return t.view(Views.permute(t.data(), order)).with(t.lineage());
  }

  private static Value swapped(TensorValue t, Bound a, String first, String second) {
    int rank = t.data().rank();
    int x = Tensors.axis(a.integer(first), rank);
    int y = Tensors.axis(a.integer(second), rank);
    return t.view(Views.transpose(t.data(), x, y)).with(t.lineage());
  }

  private static Value lastTwo(TensorValue t) {
    int rank = t.data().rank();
    if (rank < 2) {
      throw Errors.runtime(
          "tensor.adjoint() is only supported on matrices or batches of matrices. Got "
              + rank
              + "-D tensor.");
    }
    return t.view(Views.transpose(t.data(), rank - 2, rank - 1)).with(t.lineage());
  }

  private static Value unbind(TensorValue t, Bound a, Call c) {
    int axis = Tensors.realAxis(a.integer("dim", 0), t.data().rank());
    List<Value> parts = new ArrayList<>();
    for (long i = 0; i < t.data().shape()[axis]; i++) {
      c.interp().session().budget().objects(Views.BYTES);
      parts.add(t.view(Views.select(t.data(), axis, i)));
    }
    return new TupleValue(parts);
  }

  private static Value unfold(TensorValue t, Bound a, Call c) {
    int axis = Tensors.realAxis(a.integer("dimension"), t.data().rank());
    HostTensor data = t.data();
    long size = a.integer("size");
    long step = a.integer("step");
    if (step <= 0) {
      throw Errors.runtime("unfold: step is " + step + " but must be > 0");
    }
    if (size < 0 || size > data.shape()[axis]) {
      throw Errors.runtime(
          "unfold: maximum size for tensor at dimension "
              + axis
              + " is "
              + data.shape()[axis]
              + " but size is "
              + size);
    }
    long[] shape = Arrays.copyOf(data.shape(), data.rank() + 1);
    long[] strides = Arrays.copyOf(data.strides(), data.rank() + 1);
    shape[axis] = (data.shape()[axis] - size) / step + 1;
    shape[data.rank()] = size;
    strides[data.rank()] = data.strides()[axis];
    strides[axis] *= step;
    return t.view(new HostTensor(data.buffer(), data.dtype(), shape, strides, data.offset()));
  }

  private static Value unflatten(TensorValue t, Bound a, Call c) {
    int axis = Tensors.realAxis(a.integer("dim"), t.data().rank());
    long[] own = t.data().shape();
    long[] sizes = Tensors.shape(List.of(a.get("sizes")), c.interp());
    sizes = Views.resolved(sizes, own[axis]);
    long[] shape = new long[own.length - 1 + sizes.length];
    System.arraycopy(own, 0, shape, 0, axis);
    System.arraycopy(sizes, 0, shape, axis, sizes.length);
    System.arraycopy(own, axis + 1, shape, axis + sizes.length, own.length - axis - 1);
    return Views.reshape(t, shape, c.interp());
  }

  private static Value tile(TensorValue t, Bound a, Call c) {
    long[] times = ShapeMethods.extents(a, "dims", c);
    long[] full = new long[Math.max(times.length, t.data().rank())];
    Arrays.fill(full, 1);
    System.arraycopy(times, 0, full, full.length - times.length, times.length);
    return ShapeMethods.repeated(t, full, c);
  }

  private static Value viewAs(TensorValue t, TensorValue other) {
    long[] shape = Views.resolved(other.data().shape(), t.data().elements());
    return Views.reshape(t.data(), shape)
        .<Value>map(view -> t.view(view).with(t.lineage()))
        .orElseThrow(
            () ->
                Errors.runtime(
                    "view_as: view size "
                        + Tensors.shown(shape)
                        + " is not compatible with input tensor's size and stride. Use"
                        + " .reshape_as(...) instead."));
  }

  private static TensorValue flipped(TensorValue t, int axis, String function, Call c) {
    if (t.data().rank() <= axis) {
      throw Errors.runtime(
          function
              + ": input must be at least "
              + (axis + 1)
              + "-d, but has shape "
              + Tensors.shown(t.data().shape()));
    }
    long extent = t.data().shape()[axis];
    TensorValue turned =
        extent == 0 ? t : t.view(Views.narrow(t.data(), axis, extent - 1, extent, -1));
    return Tensors.copy(turned, t.data().dtype(), c.interp());
  }

  private static Value rot90(TensorValue t, Bound a, Call c) {
    int[] dims = a.has("dims") ? Softmax.axes(t, a.get("dims"), c) : new int[] {0, 1};
    if (dims.length != 2 || t.data().rank() < 2) {
      throw Errors.runtime("rot90: expected total rotation dims == 2, but got " + dims.length);
    }
    TensorValue result = Tensors.copy(t, t.data().dtype(), c.interp());
    for (long turn = Math.floorMod(a.integer("k", 1), 4L); turn > 0; turn--) {
      TensorValue mirrored = flipped(result, dims[1], "rot90", c);
      TensorValue turned = mirrored.view(Views.transpose(mirrored.data(), dims[0], dims[1]));
      result = Tensors.copy(turned, t.data().dtype(), c.interp());
    }
    return result;
  }

  private static Value tensorSplit(TensorValue t, Bound a, Call c) {
    int axis = Tensors.realAxis(a.integer("dim", 0), t.data().rank());
    long extent = t.data().shape()[axis];
    List<Long> cuts = new ArrayList<>(List.of(0L));
    Value where = a.get("indices_or_sections");
    if (where instanceof Value.Int) {
      long sections = a.integer("indices_or_sections");
      if (sections <= 0) {
        throw Errors.runtime("number of sections must be larger than 0, got " + sections);
      }
      for (long i = 0; i < sections - 1; i++) {
        c.interp().session().budget().objects(Long.BYTES * 4);
        cuts.add(cuts.getLast() + extent / sections + (i < extent % sections ? 1 : 0));
      }
    } else {
      for (Value cut : TensorMethods.asList(where, c)) {
        long at = Convert.integer(cut, "indices");
        cuts.add(Math.clamp(at < 0 ? at + extent : at, 0, extent));
      }
    }
    cuts.add(extent);
    List<Value> parts = new ArrayList<>();
    for (int i = 1; i < cuts.size(); i++) {
      c.interp().session().budget().objects(Views.BYTES);
      long from = cuts.get(i - 1);
      parts.add(t.view(Views.narrow(t.data(), axis, from, Math.max(0, cuts.get(i) - from), 1)));
    }
    return new TupleValue(parts);
  }

  /** The element numbers of a triangle: {@code torch.tril_indices} and {@code triu_indices}. */
  static Value triangleIndices(Bound a, Call c, boolean lower) {
    long rows = a.integer("row");
    long columns = a.integer("col");
    long shift = a.integer("offset", 0);
    long count = 0;
    for (long row = 0; row < rows; row++) {
      StopOrder.look(row);
      long edge = Math.clamp(row + shift + (lower ? 1 : 0), 0, columns);
      count += lower ? edge : columns - edge;
    }
    TensorValue result = Tensors.zeros(DType.INT64, new long[] {2, count}, c.interp());
    Elements out = Elements.of(result.data().buffer(), DType.INT64);
    long next = 0;
    for (long row = 0; row < rows; row++) {
      long edge = Math.clamp(row + shift + (lower ? 1 : 0), 0, columns);
      for (long column = lower ? 0 : edge; column < (lower ? edge : columns); column++) {
        StopOrder.look(next);
        out.setLong(next, row);
        out.setLong(count + next, column);
        next++;
      }
    }
    return result;
  }
}
