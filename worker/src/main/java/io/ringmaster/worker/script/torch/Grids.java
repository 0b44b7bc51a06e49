package io.ringmaster.worker.script.torch;

import io.ringmaster.worker.golden.Elements;
import io.ringmaster.worker.script.builtin.Iteration;
import io.ringmaster.worker.script.value.Bound;
import io.ringmaster.worker.script.value.Call;
import io.ringmaster.worker.script.value.Errors;
import io.ringmaster.worker.script.value.ListValue;
import io.ringmaster.worker.script.value.MethodTable;
import io.ringmaster.worker.script.value.NativeFunction;
import io.ringmaster.worker.script.value.TupleValue;
import io.ringmaster.worker.script.value.Types;
import io.ringmaster.worker.script.value.Value;
import io.ringmaster.worker.stop.StopOrder;
import io.ringmaster.worker.tensor.DType;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Functions of several tensors that join or broadcast them, and further makers of tensors. */
final class Grids {

  private static final String OPTIONS = "dtype=, device=, requires_grad=, layout=, pin_memory=";

  private Grids() {}

  static void define(Map<String, Value> members) {
    add(members, "meshgrid", "*tensors, indexing=", Grids::meshgrid);
    add(members, "broadcast_tensors", "*tensors", Grids::broadcast);
    add(members, "broadcast_shapes", "*shapes", Grids::shapes);
    add(members, "vstack", "tensors, *, out=", Functions.withOut((a, c) -> joined(a, c, 2, 0)));
    add(members, "row_stack", "tensors, *, out=", Functions.withOut((a, c) -> joined(a, c, 2, 0)));
    add(members, "hstack", "tensors, *, out=", Functions.withOut((a, c) -> joined(a, c, 1, 1)));
    add(members, "dstack", "tensors, *, out=", Functions.withOut((a, c) -> joined(a, c, 3, 2)));
    add(members, "column_stack", "tensors, *, out=", Functions.withOut(Grids::columns));
    add(members, "block_diag", "*tensors", Grids::blocks);
    add(members, "cartesian_prod", "*tensors", Grids::cartesian);
    for (int rank = 1; rank <= 3; rank++) {
      int least = rank;
      add(members, "atleast_" + rank + "d", "*tensors", (a, c) -> atLeast(a, c, least));
    }
    add(members, "hsplit", "input, indices_or_sections", (a, c) -> split(a, c, "hsplit"));
    add(members, "vsplit", "input, indices_or_sections", (a, c) -> split(a, c, "vsplit"));
    add(members, "logspace", "start, end, steps, base=, *, " + OPTIONS, Grids::logspace);
    add(
        members,
        "tril_indices",
        "row, col, offset=, *, dtype=, device=, layout=",
        (a, c) -> LayoutMethods.triangleIndices(a, c, true));
    add(
        members,
        "triu_indices",
        "row, col, offset=, *, dtype=, device=, layout=",
        (a, c) -> LayoutMethods.triangleIndices(a, c, false));
    add(
        members,
        "scalar_tensor",
        "s, *, " + OPTIONS,
        (a, c) -> Tensors.ofData(a.get("s"), Optional.of(type(a, DType.FP32)), c.interp()));
    add(members, "isin", "elements, test_elements, *, assume_unique=, invert=", Sets::isin);
    add(members, "einsum", "equation, *operands", Einsum::call);
    add(members, "tensordot", "a, b, dims=", LinearAlgebra::tensordot);
    add(members, "cdist", "x1, x2, p=, compute_mode=", LinearAlgebra::cdist);
    add(
        members,
        "where",
        "condition, input=, other=, *, out=",
        Functions.withOut(
            (a, c) ->
                SelectionMethods.where(
                    TensorMethods.tensor(a, "condition"), a.find("input"), a.find("other"), c)));
  }

  /** Methods that make tensors of the tensor's own type. */
  static void define(MethodTable<TensorValue> table) {
    table
        .add("new_tensor", "data, *, " + OPTIONS, Grids::newTensor)
        .add("new_zeros", "*rest, size=, " + OPTIONS, (t, a, c) -> fresh(t, a, c, Value.of(0)))
        .add("new_ones", "*rest, size=, " + OPTIONS, (t, a, c) -> fresh(t, a, c, Value.of(1)))
        .add("new_empty", "*rest, size=, " + OPTIONS, (t, a, c) -> fresh(t, a, c, Value.of(0)))
        .add(
            "new_full",
            "size, fill_value, *, " + OPTIONS,
            (t, a, c) ->
                filled(
                    type(a, t.data().dtype()),
                    Tensors.shape(List.of(a.get("size")), c.interp()),
                    a.get("fill_value"),
                    c));
  }

  private static void add(
      Map<String, Value> members, String name, String parameters, NativeFunction.Body body) {
    members.put(name, NativeFunction.of(name, parameters, body));
  }

  private static DType type(Bound a, DType otherwise) {
    return a.has("dtype") ? Dtypes.of(a.get("dtype")) : otherwise;
  }

  private static Value newTensor(TensorValue t, Bound a, Call c) {
    return Tensors.ofData(a.get("data"), Optional.of(type(a, t.data().dtype())), c.interp());
  }

  private static Value fresh(TensorValue t, Bound a, Call c, Value with) {
    return filled(type(a, t.data().dtype()), ShapeMethods.extents(a, "size", c), with, c);
  }

  private static TensorValue filled(DType type, long[] shape, Value with, Call c) {
    TensorValue result = Tensors.zeros(type, shape, c.interp());
    Operand value = Operand.require(with, "new_full");
    result.storage().mix(value.origin());
    Tensors.fill(result.data(), value.data());
    return result;
  }

  private static List<TensorValue> tensors(Bound a, Call c) {
    List<Value> values = a.rest();
    if (a.find("tensors").isPresent()) {
      values = Iteration.toList(a.get("tensors"), c.interp());
    } else if (values.size() == 1
        && (values.getFirst() instanceof ListValue || values.getFirst() instanceof TupleValue)) {
      values = Iteration.toList(values.getFirst(), c.interp());
    }
    List<TensorValue> tensors = new ArrayList<>();
    for (Value value : values) {
      if (!(value instanceof TensorValue tensor)) {
        throw Errors.type(
            a.function()
                + "(): expected Tensor as element "
                + tensors.size()
                + ", but got "
                + Types.nameOf(value));
      }
      tensors.add(tensor);
    }
    if (tensors.isEmpty()) {
      throw Errors.runtime(a.function() + "(): expected a non-empty list of Tensors");
    }
    return tensors;
  }

  private static Value meshgrid(Bound a, Call c) {
    List<TensorValue> axes = tensors(a, c);
    String indexing = a.string("indexing", "ij");
    if (!indexing.equals("ij") && !indexing.equals("xy")) {
      throw Errors.runtime(
          "torch.meshgrid: indexing must be one of \"xy\" or \"ij\", but received: " + indexing);
    }
    int rank = axes.size();
    boolean swap = indexing.equals("xy") && rank >= 2;
    long[] shape = new long[rank];
    for (int i = 0; i < rank; i++) {
      if (axes.get(i).data().rank() > 1) {
        throw Errors.runtime(
            "torch.meshgrid: Expected 0D or 1D tensor in the tensor list but got shape "
                + Tensors.shown(axes.get(i).data().shape()));
      }
      shape[place(i, swap)] = axes.get(i).data().elements();
    }
    List<Value> grids = new ArrayList<>();
    for (int i = 0; i < rank; i++) {
      long[] own = new long[rank];
      Arrays.fill(own, 1);
      own[place(i, swap)] = axes.get(i).data().elements();
      TensorValue line = Views.reshape(axes.get(i), own, c.interp());
      grids.add(line.view(Views.expand(line.data(), shape)));
    }
    return new TupleValue(grids);
  }

  private static int place(int axis, boolean swap) {
    return swap && axis < 2 ? 1 - axis : axis;
  }

  private static Value broadcast(Bound a, Call c) {
    List<TensorValue> tensors = tensors(a, c);
    var common = tensors.getFirst().data();
    for (TensorValue tensor : tensors) {
      common =
          Views.expand(Views.leading(common, 0), Arithmetic.commonShape(common, tensor.data()));
    }
    List<Value> results = new ArrayList<>();
    for (TensorValue tensor : tensors) {
      results.add(tensor.view(Views.expand(tensor.data(), common.shape())));
    }
    return new TupleValue(results);
  }

  private static Value shapes(Bound a, Call c) {
    long[] common = new long[0];
    for (Value shape : a.rest()) {
      long[] next = Tensors.shape(List.of(shape), c.interp());
      if (!io.ringmaster.worker.golden.Shapes.broadcasts(common, next)) {
        throw Errors.runtime(
            "broadcast_shapes(): shapes "
                + Tensors.shown(common)
                + " and "
                + Tensors.shown(next)
                + " don't broadcast");
      }
      common = io.ringmaster.worker.golden.Shapes.broadcast(common, next);
    }
    return Tensors.size(common);
  }

  /** Brings a tensor to a least number of dimensions, as {@code atleast_2d} and its kin do. */
  private static TensorValue raised(TensorValue t, int rank) {
    TensorValue result = t;
    while (result.data().rank() < rank) {
      int own = result.data().rank();
      int axis = own == 0 || (own == 1 && rank > 1) ? 0 : own;
      result = result.view(Views.unsqueeze(result.data(), axis));
    }
    return result;
  }

  private static Value atLeast(Bound a, Call c, int rank) {
    List<TensorValue> tensors = tensors(a, c);
    if (tensors.size() == 1 && a.rest().getFirst() instanceof TensorValue) {
      return raised(tensors.getFirst(), rank);
    }
    return new TupleValue(tensors.stream().<Value>map(t -> raised(t, rank)).toList());
  }

  private static Value joined(Bound a, Call c, int rank, int axis) {
    List<TensorValue> raised = tensors(a, c).stream().map(t -> raised(t, rank)).toList();
    int along = Math.min(axis, raised.getFirst().data().rank() - 1);
    return Creation.cat(raised, along, c.interp());
  }

  private static Value columns(Bound a, Call c) {
    List<TensorValue> columns = new ArrayList<>();
    for (TensorValue tensor : tensors(a, c)) {
      boolean flat = tensor.data().rank() <= 1;
      columns.add(
          flat
              ? Views.reshape(tensor, new long[] {tensor.data().elements(), 1}, c.interp())
              : tensor);
    }
    return Creation.cat(columns, 1, c.interp());
  }

  private static Value blocks(Bound a, Call c) {
    List<TensorValue> blocks = tensors(a, c).stream().map(t -> raised(t, 2)).toList();
    long rows = 0;
    long columns = 0;
    var origin = blocks.getFirst().origin();
    DType type = blocks.getFirst().data().dtype();
    for (TensorValue block : blocks) {
      if (block.data().rank() != 2) {
        throw Errors.runtime(
            "torch.block_diag: Input tensors must have 2 or fewer dimensions, but got shape "
                + Tensors.shown(block.data().shape()));
      }
      rows += block.data().shape()[0];
      columns += block.data().shape()[1];
      origin = origin.and(block.origin());
      type = Dtypes.promote(type, block.data().dtype());
    }
    TensorValue result = Tensors.derived(type, new long[] {rows, columns}, origin, c.interp());
    long row = 0;
    long column = 0;
    for (TensorValue block : blocks) {
      long[] shape = block.data().shape();
      var band = Views.narrow(result.data(), 0, row, shape[0], 1);
      Tensors.fill(Views.narrow(band, 1, column, shape[1], 1), block.data());
      row += shape[0];
      column += shape[1];
    }
    return result;
  }

  private static Value cartesian(Bound a, Call c) {
    TupleValue grids = (TupleValue) meshgrid(a, c);
    List<TensorValue> columns = new ArrayList<>();
    for (Value grid : grids.items()) {
      TensorValue tensor = (TensorValue) grid;
      columns.add(Views.reshape(tensor, new long[] {tensor.data().elements(), 1}, c.interp()));
    }
    TensorValue rows = Creation.cat(columns, 1, c.interp());
    return columns.size() == 1 ? rows.view(Views.select(rows.data(), 1, 0)) : rows;
  }

  private static Value split(Bound a, Call c, String name) {
    TensorValue t = TensorMethods.tensor(a, "input");
    int rank = t.data().rank();
    boolean across = name.equals("hsplit");
    if (rank < (across ? 1 : 2)) {
      throw Errors.runtime(
          "torch."
              + name
              + " requires a tensor with at least "
              + (across ? 1 : 2)
              + " dimension, but got a tensor with "
              + rank
              + " dimensions!");
    }
    Value dim = Value.of(across && rank > 1 ? 1 : 0);
    Bound arguments =
        new Bound(name, Map.of(), List.of(a.get("indices_or_sections")), Map.of("dim", dim));
    return InPlace.call(TensorMethods.TABLE, "tensor_split", t, arguments, c);
  }

  private static Value logspace(Bound a, Call c) {
    double start = a.number("start");
    double end = a.number("end");
    double base = a.number("base", 10);
    long steps = a.integer("steps");
    DType type = type(a, DType.FP32);
    TensorValue result = Tensors.zeros(type, new long[] {steps}, c.interp());
    Elements out = Elements.of(result.data().buffer(), type);
    for (long i = 0; i < steps; i++) {
      StopOrder.look(i);
      double exponent = steps == 1 ? start : start + (end - start) * i / (steps - 1);
      out.setDouble(i, Math.pow(base, exponent));
    }
    return result;
  }
}
