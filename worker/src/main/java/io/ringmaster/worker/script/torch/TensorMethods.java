package io.ringmaster.worker.script.torch;

import io.ringmaster.worker.golden.Elements;
import io.ringmaster.worker.golden.StridedLoop;
import io.ringmaster.worker.script.builtin.Iteration;
import io.ringmaster.worker.script.check.Origin;
import io.ringmaster.worker.script.value.Bound;
import io.ringmaster.worker.script.value.Call;
import io.ringmaster.worker.script.value.Convert;
import io.ringmaster.worker.script.value.Errors;
import io.ringmaster.worker.script.value.Interp;
import io.ringmaster.worker.script.value.ListValue;
import io.ringmaster.worker.script.value.MethodTable;
import io.ringmaster.worker.script.value.TupleValue;
import io.ringmaster.worker.script.value.Types;
import io.ringmaster.worker.script.value.Value;
import io.ringmaster.worker.tensor.DType;
import io.ringmaster.worker.tensor.HostTensor;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.DoubleUnaryOperator;

/** The attributes and methods of tensors. */
final class TensorMethods {

  private static final List<String> PROPERTIES =
      List.of("shape", "dtype", "ndim", "T", "mT", "device", "is_cuda", "requires_grad", "itemsize", "nbytes");

  static final MethodTable<TensorValue> TABLE = new MethodTable<>();

  static {
    shapes();
    conversions();
    reductions();
    arithmetic();
    inPlace();
    TorchChecks.methods(TABLE);
  }

  private TensorMethods() {}

  static Optional<Value> attribute(TensorValue self, String name) {
    HostTensor data = self.data();
    return switch (name) {
      case "shape" -> Optional.of(Tensors.size(data.shape()));
      case "dtype" -> Optional.of(new DtypeValue(data.dtype()));
      case "ndim" -> Optional.of(Value.of(data.rank()));
      case "T" -> Optional.of(self.view(reversed(data)));
      case "mT" -> Optional.of(self.view(Views.transpose(data, data.rank() - 2, data.rank() - 1)));
      case "device" -> Optional.of(new DeviceValue("cpu"));
      case "is_cuda", "requires_grad" -> Optional.of(Value.FALSE);
      case "itemsize" -> Optional.of(Value.of(data.dtype().bytes()));
      case "nbytes" -> Optional.of(Value.of(data.elements() * data.dtype().bytes()));
      default -> TABLE.bind(self, name);
    };
  }

  static Set<String> names() {
    Set<String> names = new TreeSet<>(TABLE.names());
    names.addAll(PROPERTIES);
    return names;
  }

  private static HostTensor reversed(HostTensor data) {
    int[] order = new int[data.rank()];
    for (int i = 0; i < order.length; i++) {
      order[i] = order.length - 1 - i;
    }
    return Views.permute(data, order);
  }

  private static void shapes() {
    TABLE
        .add("size", "dim=", TensorMethods::size)
        .add("dim", "", (t, a, c) -> Value.of(t.data().rank()))
        .add("numel", "", (t, a, c) -> Value.of(t.data().elements()))
        .add("nelement", "", (t, a, c) -> Value.of(t.data().elements()))
        .add("element_size", "", (t, a, c) -> Value.of(t.data().dtype().bytes()))
        .add("stride", "", (t, a, c) -> new TupleValue(longs(t.data().strides())))
        .add("is_contiguous", "", (t, a, c) -> Value.of(t.data().isContiguous()))
        .add("is_floating_point", "", (t, a, c) -> Value.of(t.data().dtype().isFloat()))
        .add("reshape", "*shape", (t, a, c) -> Views.reshape(t, Tensors.shape(a.rest(), c.interp()), c.interp()))
        .add("view", "*shape", TensorMethods::viewAs)
        .add("flatten", "start_dim=, end_dim=", TensorMethods::flatten)
        .add("ravel", "", (t, a, c) -> Views.reshape(t, new long[] {-1}, c.interp()))
        .add("unsqueeze", "dim", TensorMethods::unsqueeze)
        .add("squeeze", "dim=", TensorMethods::squeeze)
        .add("permute", "*dims", TensorMethods::permute)
        .add("transpose", "dim0, dim1", TensorMethods::transpose)
        .add("t", "", TensorMethods::transposed)
        .add("expand", "*sizes", (t, a, c) -> t.view(Views.expand(t.data(), Tensors.shape(a.rest(), c.interp()))))
        .add("expand_as", "other", (t, a, c) -> t.view(Views.expand(t.data(), tensor(a, "other").data().shape())))
        .add("repeat", "*sizes", TensorMethods::repeat)
        .add("chunk", "chunks, dim=", TensorMethods::chunk)
        .add("split", "split_size, dim=", TensorMethods::split)
        .add("narrow", "dim, start, length", TensorMethods::narrow)
        .add("select", "dim, index", TensorMethods::select)
        .add("roll", "shifts, dims=", TensorMethods::roll)
        .add("flip", "*dims", TensorMethods::flip);
  }

  private static void conversions() {
    TABLE
        .add("contiguous", "", (t, a, c) -> t.data().isContiguous() ? t : Tensors.copy(t, t.data().dtype(), c.interp()))
        .add("clone", "", (t, a, c) -> Tensors.copy(t, t.data().dtype(), c.interp()))
        .add("detach", "", (t, a, c) -> t)
        .add("cpu", "", (t, a, c) -> t)
        .add("to", "*targets, dtype=, device=, copy=", TensorMethods::to)
        .add("type", "dtype", (t, a, c) -> converted(t, Dtypes.of(a.get("dtype")), c.interp()))
        .add("type_as", "other", (t, a, c) -> converted(t, tensor(a, "other").data().dtype(), c.interp()))
        .add("item", "", (t, a, c) -> t.item(c.interp()))
        .add("tolist", "", (t, a, c) -> toList(t, t.data(), t.origin(), c.interp()))
        .add("__int__", "", (t, a, c) -> t.item(c.interp()))
        .add("share_memory_", "", TensorMethods::share)
        .add("is_shared", "", (t, a, c) -> Value.of(t.storage().isShared()));
    for (String name : List.of("float", "double", "half", "bfloat16", "int", "long", "short", "bool")) {
      DType type = Dtypes.NAMES.getOrDefault(name, DType.FP32);
      TABLE.add(name, "", (t, a, c) -> converted(t, type, c.interp()));
    }
  }

  private static void reductions() {
    for (Reductions.Kind kind : List.of(Reductions.Kind.SUM, Reductions.Kind.MEAN, Reductions.Kind.PROD)) {
      TABLE.add(
          kind.name().toLowerCase(java.util.Locale.ROOT),
          "dim=, keepdim=, *, dtype=",
          (t, a, c) -> reduced(t, kind, a, c));
    }
    TABLE
        .add("all", "dim=, keepdim=", (t, a, c) -> reduced(t, Reductions.Kind.ALL, a, c))
        .add("any", "dim=, keepdim=", (t, a, c) -> reduced(t, Reductions.Kind.ANY, a, c))
        .add("amax", "dim=, keepdim=", (t, a, c) -> reduced(t, Reductions.Kind.MAX, a, c))
        .add("amin", "dim=, keepdim=", (t, a, c) -> reduced(t, Reductions.Kind.MIN, a, c))
        .add("argmax", "dim=, keepdim=", (t, a, c) -> reduced(t, Reductions.Kind.ARGMAX, a, c))
        .add("argmin", "dim=, keepdim=", (t, a, c) -> reduced(t, Reductions.Kind.ARGMIN, a, c))
        .add("max", "dim=, keepdim=", (t, a, c) -> extreme(t, true, a, c))
        .add("min", "dim=, keepdim=", (t, a, c) -> extreme(t, false, a, c))
        .add("count_nonzero", "", TensorMethods::countNonzero)
        .add("cumsum", "dim", TensorMethods::cumsum)
        .add("std", "dim=, keepdim=, *, unbiased=", (t, a, c) -> spread(t, a, c, true))
        .add("var", "dim=, keepdim=, *, unbiased=", (t, a, c) -> spread(t, a, c, false))
        .add("norm", "", (t, a, c) -> norm(t, c.interp()));
  }

  private static void arithmetic() {
    binary("add", ElementOp.ADD);
    binary("sub", ElementOp.SUB);
    binary("mul", ElementOp.MUL);
    binary("div", ElementOp.TRUE_DIVIDE);
    binary("true_divide", ElementOp.TRUE_DIVIDE);
    binary("floor_divide", ElementOp.FLOOR_DIVIDE);
    binary("remainder", ElementOp.REMAINDER);
    binary("fmod", ElementOp.FMOD);
    binary("pow", ElementOp.POW);
    binary("maximum", ElementOp.MAXIMUM);
    binary("minimum", ElementOp.MINIMUM);
    binary("eq", ElementOp.EQ);
    binary("ne", ElementOp.NE);
    binary("lt", ElementOp.LT);
    binary("le", ElementOp.LE);
    binary("gt", ElementOp.GT);
    binary("ge", ElementOp.GE);
    binary("logical_and", ElementOp.LOGICAL_AND);
    binary("logical_or", ElementOp.LOGICAL_OR);
    binary("logical_xor", ElementOp.LOGICAL_XOR);
    binary("bitwise_and", ElementOp.BITWISE_AND);
    binary("bitwise_or", ElementOp.BITWISE_OR);
    binary("bitwise_xor", ElementOp.BITWISE_XOR);
    real("exp", Math::exp);
    real("log", Math::log);
    real("log2", v -> Math.log(v) / Math.log(2));
    real("sqrt", Math::sqrt);
    real("rsqrt", v -> 1 / Math.sqrt(v));
    real("reciprocal", v -> 1 / v);
    real("sigmoid", v -> 1 / (1 + Math.exp(-v)));
    real("tanh", Math::tanh);
    real("sin", Math::sin);
    real("cos", Math::cos);
    same("neg", (t, c) -> Arithmetic.negate(t, c.interp()));
    same("abs", TensorMethods::abs);
    same("relu", (t, c) -> map(t, v -> v > 0 || Double.isNaN(v) ? v : 0, v -> Math.max(v, 0), c));
    same("square", (t, c) -> Arithmetic.apply(ElementOp.MUL, Operand.of(t), Operand.of(t), c.interp()));
    same("round", (t, c) -> map(t, Math::rint, v -> v, c));
    same("floor", (t, c) -> map(t, Math::floor, v -> v, c));
    same("ceil", (t, c) -> map(t, Math::ceil, v -> v, c));
    same("trunc", (t, c) -> map(t, v -> v < 0 ? Math.ceil(v) : Math.floor(v), v -> v, c));
    same("sign", (t, c) -> map(t, Math::signum, Long::signum, c));
    same("logical_not", (t, c) -> flags(t, v -> v == 0, c));
    same("isnan", (t, c) -> flags(t, Double::isNaN, c));
    same("isinf", (t, c) -> flags(t, Double::isInfinite, c));
    same("isfinite", (t, c) -> flags(t, Double::isFinite, c));
    TABLE
        .add("clamp", "min=, max=", TensorMethods::clamp)
        .add("clip", "min=, max=", TensorMethods::clamp)
        .add("matmul", "other", (t, a, c) -> MatMul.matmul(t, tensor(a, "other"), c.interp()))
        .add("mm", "mat2", TensorMethods::mm)
        .add("bmm", "mat2", (t, a, c) -> MatMul.matmul(t, tensor(a, "mat2"), c.interp()))
        .add("dot", "other", (t, a, c) -> MatMul.matmul(t, tensor(a, "other"), c.interp()))
        .add("where", "condition, other", (t, a, c) -> Creation.where(tensor(a, "condition"), t, a.get("other"), c.interp()))
        .add("softmax", "dim", TensorMethods::softmax)
        .add("sort", "dim=, descending=", TensorMethods::sort)
        .add("masked_fill", "mask, value", TensorMethods::maskedFill)
        .add("gather", "dim, index", TensorMethods::gather)
        .add("index_select", "dim, index", TensorMethods::indexSelect)
        .add("nonzero", "", TensorMethods::nonzero);
  }

  private static void inPlace() {
    inPlace("add_", ElementOp.ADD);
    inPlace("sub_", ElementOp.SUB);
    inPlace("mul_", ElementOp.MUL);
    inPlace("div_", ElementOp.TRUE_DIVIDE);
    TABLE
        .add("fill_", "value", (t, a, c) -> filled(t, a.get("value"), c.interp()))
        .add("zero_", "", (t, a, c) -> filled(t, Value.of(0), c.interp()))
        .add("copy_", "src", TensorMethods::copyInto)
        .add("normal_", "mean=, std=, *, generator=", TorchRandom::fillNormal)
        .add("uniform_", "from=, to=, *, generator=", TorchRandom::fillUniform)
        .add("clamp_", "min=, max=", (t, a, c) -> replaced(t, (TensorValue) clamp(t, a, c)))
        .add("requires_grad_", "", (t, a, c) -> t);
  }

  static TensorValue tensor(Bound a, String name) {
    if (a.get(name) instanceof TensorValue tensor) {
      return tensor;
    }
    throw Errors.type(
        a.function() + "(): argument '" + name + "' must be Tensor, not " + Types.nameOf(a.get(name)));
  }

  /** What a method without arguments does. */
  private interface Plain {
    Value apply(TensorValue self, Call call);
  }

  private static void same(String name, Plain plain) {
    TABLE.add(name, "", (t, a, c) -> plain.apply(t, c));
  }

  private static void real(String name, DoubleUnaryOperator function) {
    TABLE.add(name, "", (t, a, c) -> Arithmetic.real(t, function, c.interp()));
  }

  private static void binary(String name, ElementOp op) {
    TABLE.add(
        name,
        name.equals("add") || name.equals("sub") ? "other, *, alpha=" : name.equals("div") ? "other, *, rounding_mode=" : "other",
        (t, a, c) -> {
          Value other = a.get("other");
          if (a.has("alpha")) {
            other = c.interp().binary(io.ringmaster.worker.source.Expr.BinaryOperator.MULTIPLY, other, a.get("alpha"));
          }
          ElementOp chosen = op;
          if (a.has("rounding_mode")) {
            if (!a.string("rounding_mode").equals("floor")) {
              throw Errors.refuse("div rounding_mode '" + a.string("rounding_mode") + "' is not available", "known: floor", c.span());
            }
            chosen = ElementOp.FLOOR_DIVIDE;
          }
          TensorValue result = Arithmetic.apply(chosen, Operand.of(t), Operand.require(other, name), c.interp());
          boolean pair = (op == ElementOp.SUB || op == ElementOp.EQ) && other instanceof TensorValue;
          if (!pair) {
            return result;
          }
          Lineage lineage = Lineage.difference(t, (TensorValue) other);
          return result.with(op == ElementOp.EQ ? lineage.within(0) : lineage);
        });
  }

  private static void inPlace(String name, ElementOp op) {
    TABLE.add(
        name,
        "other",
        (t, a, c) -> Arithmetic.inPlace(op, t, Operand.require(a.get("other"), name), c.interp()));
  }

  private static List<Value> longs(long[] values) {
    List<Value> list = new ArrayList<>();
    for (long value : values) {
      list.add(Value.of(value));
    }
    return list;
  }

  private static Value map(
      TensorValue t, DoubleUnaryOperator real, java.util.function.LongUnaryOperator whole, Call c) {
    return Arithmetic.map(t, t.data().dtype(), real, whole, c.interp());
  }

  private static Value flags(TensorValue t, java.util.function.DoublePredicate test, Call c) {
    return Arithmetic.map(
        t, DType.BOOL, v -> test.test(v) ? 1 : 0, v -> test.test(v) ? 1 : 0, c.interp());
  }

  static Value abs(TensorValue t, Call c) {
    return Arithmetic.map(t, t.data().dtype(), Math::abs, Math::abs, c.interp())
        .with(t.lineage());
  }

  private static Value size(TensorValue t, Bound a, Call c) {
    return a.has("dim")
        ? Value.of(t.data().shape()[Tensors.axis(a.integer("dim"), t.data().rank())])
        : Tensors.size(t.data().shape());
  }

  private static Value viewAs(TensorValue t, Bound a, Call c) {
    if (a.rest().size() == 1 && a.rest().getFirst() instanceof DtypeValue type) {
      return bits(t, type.type());
    }
    long[] wanted = Tensors.shape(a.rest(), c.interp());
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
    return t.view(
        new HostTensor(data.buffer(), type, data.shape(), data.strides(), data.offset()));
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
    int axis = Tensors.axis(a.integer("dim"), t.data().rank());
    return t.data().rank() == 0 ? t : t.view(Views.squeeze(t.data(), axis));
  }

  private static Value permute(TensorValue t, Bound a, Call c) {
    long[] dims = Tensors.shape(a.rest(), c.interp());
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
      throw Errors.runtime("t() expects a tensor with <= 2 dimensions, but self is " + t.data().rank() + "D");
    }
    return t.view(reversed(t.data()));
  }

  private static Value repeat(TensorValue t, Bound a, Call c) {
    long[] times = Tensors.shape(a.rest(), c.interp());
    int extra = times.length - t.data().rank();
    if (extra < 0) {
      throw Errors.runtime(
          "Number of dimensions of repeat dims can not be smaller than number of dimensions of"
              + " tensor");
    }
    TensorValue result = t;
    for (int i = 0; i < extra; i++) {
      result = result.view(Views.unsqueeze(result.data(), 0));
    }
    for (int axis = 0; axis < times.length; axis++) {
      if (times[axis] != 1) {
        List<TensorValue> copies =
            java.util.Collections.nCopies(Math.clamp(times[axis], 0, 1 << 24), result);
        result = copies.isEmpty() ? emptied(result, axis, c) : Creation.cat(copies, axis, c.interp());
      }
    }
    return result == t ? Tensors.copy(t, t.data().dtype(), c.interp()) : result;
  }

  private static TensorValue emptied(TensorValue t, int axis, Call c) {
    long[] shape = t.data().shape().clone();
    shape[axis] = 0;
    return Tensors.zeros(t.data().dtype(), shape, c.interp());
  }

  private static Value chunk(TensorValue t, Bound a, Call c) {
    int axis = Tensors.axis(a.integer("dim", 0), t.data().rank());
    long chunks = a.integer("chunks");
    if (chunks <= 0) {
      throw Errors.runtime("chunk expects `chunks` to be greater than 0, got: " + chunks);
    }
    long extent = t.data().shape()[axis];
    return parts(t, axis, Math.max(1, (extent + chunks - 1) / chunks));
  }

  private static Value split(TensorValue t, Bound a, Call c) {
    int axis = Tensors.axis(a.integer("dim", 0), t.data().rank());
    if (!(a.get("split_size") instanceof ListValue sizes)) {
      long size = a.integer("split_size");
      if (size <= 0) {
        throw Errors.runtime("split expects split_size to be positive, but got split_size=" + size);
      }
      return parts(t, axis, size);
    }
    List<Value> parts = new ArrayList<>();
    long at = 0;
    for (Value size : sizes.items()) {
      long count = Convert.integer(size, "split size");
      if (count < 0 || at + count > t.data().shape()[axis]) {
        break;
      }
      parts.add(t.view(Views.narrow(t.data(), axis, at, count, 1)));
      at += count;
    }
    if (at != t.data().shape()[axis] || parts.size() != sizes.items().size()) {
      throw Errors.runtime(
          "split_with_sizes expects split_sizes to sum exactly to " + t.data().shape()[axis]);
    }
    return new TupleValue(parts);
  }

  private static Value parts(TensorValue t, int axis, long size) {
    List<Value> parts = new ArrayList<>();
    long extent = t.data().shape()[axis];
    for (long at = 0; at < extent; at += size) {
      parts.add(t.view(Views.narrow(t.data(), axis, at, Math.min(size, extent - at), 1)));
    }
    return new TupleValue(parts);
  }

  private static Value narrow(TensorValue t, Bound a, Call c) {
    int axis = Tensors.axis(a.integer("dim"), t.data().rank());
    long start = a.integer("start");
    long length = a.integer("length");
    long extent = t.data().shape()[axis];
    long from = start < 0 ? start + extent : start;
    if (from < 0 || length < 0 || from + length > extent) {
      throw Errors.runtime(
          "start (" + start + ") + length (" + length + ") exceeds dimension size (" + extent + ").");
    }
    return t.view(Views.narrow(t.data(), axis, from, length, 1));
  }

  private static Value select(TensorValue t, Bound a, Call c) {
    int axis = Tensors.axis(a.integer("dim"), t.data().rank());
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
      return Views.reshape(
          rolled(flat, a.integer("shifts"), 0, c), t.data().shape(), c.interp());
    }
    List<Value> shifts = asList(a.get("shifts"), c);
    List<Value> dims = asList(a.get("dims"), c);
    for (int i = 0; i < Math.min(shifts.size(), dims.size()); i++) {
      int axis = Tensors.axis(Convert.integer(dims.get(i), "dims"), t.data().rank());
      result = rolled(result, Convert.integer(shifts.get(i), "shifts"), axis, c);
    }
    return result;
  }

  private static List<Value> asList(Value value, Call c) {
    return value instanceof Value.Int ? List.of(value) : Iteration.toList(value, c.interp());
  }

  private static TensorValue rolled(TensorValue t, long shift, int axis, Call c) {
    long extent = t.data().shape()[axis];
    if (extent == 0) {
      return t;
    }
    long at = Math.floorMod(-shift, extent);
    TensorValue head = t.view(Views.narrow(t.data(), axis, at, extent - at, 1));
    TensorValue tail = t.view(Views.narrow(t.data(), axis, 0, at, 1));
    return Creation.cat(List.of(head, tail), axis, c.interp());
  }

  private static Value flip(TensorValue t, Bound a, Call c) {
    TensorValue result = t;
    for (long dim : Tensors.shape(a.rest(), c.interp())) {
      int axis = Tensors.axis(dim, t.data().rank());
      long extent = t.data().shape()[axis];
      HostTensor turned =
          extent == 0 ? result.data() : Views.narrow(result.data(), axis, extent - 1, extent, -1);
      result = result.view(turned);
    }
    return Tensors.copy(result, t.data().dtype(), c.interp());
  }

  private static Value to(TensorValue t, Bound a, Call c) {
    List<Value> targets = new ArrayList<>(a.rest());
    a.find("dtype").ifPresent(targets::add);
    a.find("device").ifPresent(targets::add);
    TensorValue result = t;
    for (Value target : targets) {
      switch (target) {
        case DtypeValue type -> result = converted(result, type.type(), c.interp());
        case TensorValue other -> result = converted(result, other.data().dtype(), c.interp());
        case Value.Str device when device.value().equals("cpu") -> {}
        case DeviceValue device -> {}
        case Value.None none -> {}
        default ->
            throw Errors.refuse(
                "to(" + c.interp().repr(target) + ") is not available: tensors of a script live on the CPU",
                "pass host tensors to the compiled program; it moves them",
                c.span());
      }
    }
    return result == t && a.flag("copy", false)
        ? Tensors.copy(t, t.data().dtype(), c.interp())
        : result;
  }

  static TensorValue converted(TensorValue t, DType type, Interp interp) {
    return type == t.data().dtype() ? t : Tensors.copy(t, type, interp).with(t.lineage());
  }

  private static Value toList(TensorValue t, HostTensor part, Origin origin, Interp interp) {
    if (part.rank() == 0) {
      interp.session().budget().objects(64);
      return t.element(part.offset(), origin.withoutPair());
    }
    List<Value> items = new ArrayList<>();
    for (long i = 0; i < part.shape()[0]; i++) {
      interp.session().budget().step();
      items.add(toList(t, part.row(i), origin, interp));
    }
    return new ListValue(items);
  }

  private static Value share(TensorValue t, Bound a, Call c) {
    t.storage().share(c.interp().session().budget().steps());
    return t;
  }

  private static int[] axes(TensorValue t, Bound a, Call c) {
    if (!a.has("dim")) {
      return new int[0];
    }
    int rank = t.data().rank();
    List<Value> dims = asList(a.get("dim"), c);
    int[] axes = new int[dims.size()];
    for (int i = 0; i < axes.length; i++) {
      axes[i] = Tensors.axis(Convert.integer(dims.get(i), "dim"), rank);
    }
    return rank == 0 ? new int[0] : axes;
  }

  private static TensorValue reduced(TensorValue t, Reductions.Kind kind, Bound a, Call c) {
    TensorValue source = t;
    if (a.has("dtype")) {
      source = converted(t, Dtypes.of(a.get("dtype")), c.interp());
    }
    DType type =
        a.has("dtype")
            ? source.data().dtype()
            : Reductions.resultType(kind, source.data().dtype());
    return Reductions.reduce(
        source, kind, axes(t, a, c), a.flag("keepdim", false), type, c.interp());
  }

  /** {@code t.max()}, {@code t.max(dim)}, {@code t.max(other)}. */
  private static Value extreme(TensorValue t, boolean max, Bound a, Call c) {
    if (a.has("dim") && a.get("dim") instanceof TensorValue other) {
      return Arithmetic.apply(
          max ? ElementOp.MAXIMUM : ElementOp.MINIMUM,
          Operand.of(t),
          Operand.of(other),
          c.interp());
    }
    if (!a.has("dim")) {
      return reduced(t, max ? Reductions.Kind.MAX : Reductions.Kind.MIN, a, c);
    }
    int axis = Tensors.axis(a.integer("dim"), t.data().rank());
    return Reductions.withPlaces(t, max, axis, a.flag("keepdim", false), c.interp());
  }

  private static Value countNonzero(TensorValue t, Bound a, Call c) {
    TensorValue hits = (TensorValue) flags(t, v -> v != 0, c);
    return Reductions.reduce(
        hits, Reductions.Kind.SUM, new int[0], false, DType.INT64, c.interp());
  }

  private static Value cumsum(TensorValue t, Bound a, Call c) {
    DType type = Reductions.resultType(Reductions.Kind.SUM, t.data().dtype());
    TensorValue result = Tensors.copy(t, type, c.interp());
    int axis = Tensors.axis(a.integer("dim"), t.data().rank());
    for (long i = 1; t.data().rank() > 0 && i < t.data().shape()[axis]; i++) {
      TensorValue before = result.view(Views.select(result.data(), axis, i - 1));
      TensorValue here = result.view(Views.select(result.data(), axis, i));
      Arithmetic.inPlace(ElementOp.ADD, here, Operand.of(before), c.interp());
    }
    return result;
  }

  private static Value spread(TensorValue t, Bound a, Call c, boolean root) {
    Interp interp = c.interp();
    int[] axes = axes(t, a, c);
    DType type = Reductions.resultType(Reductions.Kind.MEAN, t.data().dtype());
    TensorValue mean = Reductions.reduce(t, Reductions.Kind.MEAN, axes, true, type, interp);
    TensorValue apart = Arithmetic.apply(ElementOp.SUB, Operand.of(t), Operand.of(mean), interp);
    TensorValue square = Arithmetic.apply(ElementOp.MUL, Operand.of(apart), Operand.of(apart), interp);
    TensorValue sum = Reductions.reduce(square, Reductions.Kind.SUM, axes, a.flag("keepdim", false), type, interp);
    long count = t.data().elements() / Math.max(1, sum.data().elements());
    long divisor = a.flag("unbiased", true) ? count - 1 : count;
    return Arithmetic.real(sum, v -> root ? Math.sqrt(v / divisor) : v / divisor, interp);
  }

  private static Value norm(TensorValue t, Interp interp) {
    TensorValue square = Arithmetic.apply(ElementOp.MUL, Operand.of(t), Operand.of(t), interp);
    TensorValue sum =
        Reductions.reduce(
            square, Reductions.Kind.SUM, new int[0], false, square.data().dtype(), interp);
    return Arithmetic.real(sum, Math::sqrt, interp).with(t.lineage());
  }

  private static Value clamp(TensorValue t, Bound a, Call c) {
    TensorValue result = t;
    if (a.has("min")) {
      result = Arithmetic.apply(ElementOp.MAXIMUM, Operand.of(result), Operand.require(a.get("min"), "clamp"), c.interp());
    }
    if (a.has("max")) {
      result = Arithmetic.apply(ElementOp.MINIMUM, Operand.of(result), Operand.require(a.get("max"), "clamp"), c.interp());
    }
    if (result == t) {
      throw Errors.runtime("torch.clamp: At least one of 'min' or 'max' must not be None");
    }
    return result;
  }

  private static Value mm(TensorValue t, Bound a, Call c) {
    TensorValue other = tensor(a, "mat2");
    if (t.data().rank() != 2 || other.data().rank() != 2) {
      throw Errors.runtime("mm: both arguments must be matrices");
    }
    return MatMul.matmul(t, other, c.interp());
  }

  private static Value softmax(TensorValue t, Bound a, Call c) {
    Interp interp = c.interp();
    int[] axes = {Tensors.axis(a.integer("dim"), t.data().rank())};
    DType type = t.data().dtype();
    TensorValue most = Reductions.reduce(t, Reductions.Kind.MAX, axes, true, type, interp);
    TensorValue apart = Arithmetic.apply(ElementOp.SUB, Operand.of(t), Operand.of(most), interp);
    TensorValue powers = Arithmetic.real(apart, Math::exp, interp);
    TensorValue sum = Reductions.reduce(powers, Reductions.Kind.SUM, axes, true, type, interp);
    return Arithmetic.apply(ElementOp.TRUE_DIVIDE, Operand.of(powers), Operand.of(sum), interp);
  }

  private static Value sort(TensorValue t, Bound a, Call c) {
    TensorValue values = Tensors.copy(t, t.data().dtype(), c.interp());
    TensorValue places = Tensors.derived(DType.INT64, t.data().shape(), t.origin(), c.interp());
    int axis = Tensors.axis(a.integer("dim", -1), t.data().rank());
    Sort.along(values.data(), places.data(), axis, a.flag("descending", false));
    return new TupleValue(
        List.of(values, places), "torch.return_types.sort", List.of("values", "indices"));
  }

  private static Value maskedFill(TensorValue t, Bound a, Call c) {
    return Creation.where(tensor(a, "mask"), a.get("value"), t, c.interp());
  }

  private static Value gather(TensorValue t, Bound a, Call c) {
    TensorValue index = tensor(a, "index");
    int axis = Tensors.axis(a.integer("dim"), t.data().rank());
    if (index.data().rank() != t.data().rank()) {
      throw Errors.runtime("Index tensor must have the same number of dimensions as input tensor");
    }
    HostTensor data = t.data();
    TensorValue result =
        Tensors.derived(
            data.dtype(), index.data().shape(), t.origin().and(index.origin()), c.interp());
    Elements from = Elements.of(data.buffer(), data.dtype());
    Elements to = Elements.of(result.data().buffer(), data.dtype());
    Elements places = Elements.of(index.data().buffer(), index.data().dtype());
    StridedLoop.over(
        index.data().shape(),
        (p, at) -> {
          long[] position = StridedLoop.indexOf(p, index.data().shape());
          position[axis] = places.getLong(at[1]);
          long offset = data.offset();
          for (int i = 0; i < position.length; i++) {
            if (position[i] < 0 || position[i] >= data.shape()[i]) {
              throw Errors.runtime(
                  "index " + position[i] + " is out of bounds for dimension " + i + " with size " + data.shape()[i]);
            }
            offset += position[i] * data.strides()[i];
          }
          if (data.dtype().isFloat()) {
            to.setDouble(at[0], from.getDouble(offset));
          } else {
            to.setLong(at[0], from.getLong(offset));
          }
        },
        result.data(),
        index.data());
    return result;
  }

  private static Value indexSelect(TensorValue t, Bound a, Call c) {
    int axis = Tensors.axis(a.integer("dim"), t.data().rank());
    List<Value> index = new ArrayList<>();
    for (int i = 0; i < axis; i++) {
      index.add(new Value.Slice(Value.NONE, Value.NONE, Value.NONE));
    }
    index.add(tensor(a, "index"));
    return Indexing.get(t, new TupleValue(index), c.interp());
  }

  private static Value nonzero(TensorValue t, Bound a, Call c) {
    List<long[]> hits = new ArrayList<>();
    Elements elements = Elements.of(t.data().buffer(), t.data().dtype());
    StridedLoop.over(
        t.data().shape(),
        (p, at) -> {
          if (elements.getDouble(at[0]) != 0) {
            c.interp().session().budget().objects(8L * t.data().rank() + 16);
            hits.add(StridedLoop.indexOf(p, t.data().shape()));
          }
        },
        t.data());
    TensorValue result =
        Tensors.derived(
            DType.INT64, new long[] {hits.size(), t.data().rank()}, t.origin(), c.interp());
    Elements out = Elements.of(result.data().buffer(), DType.INT64);
    for (int i = 0; i < hits.size(); i++) {
      for (int axis = 0; axis < t.data().rank(); axis++) {
        out.setLong((long) i * t.data().rank() + axis, hits.get(i)[axis]);
      }
    }
    return result;
  }

  static Value filled(TensorValue t, Value value, Interp interp) {
    Operand operand = Operand.require(value, "fill_");
    if (operand.data().rank() > 0) {
      throw Errors.runtime(
          "fill_ only supports 0-dimension value tensor but got tensor with "
              + operand.data().rank()
              + " dimensions.");
    }
    interp.session().budget().elements(t.data().elements());
    t.overwrite(operand.origin());
    Tensors.fill(t.data(), operand.data());
    return t;
  }

  private static Value copyInto(TensorValue t, Bound a, Call c) {
    return replaced(t, Tensors.copy(tensor(a, "src"), tensor(a, "src").data().dtype(), c.interp()));
  }

  private static Value replaced(TensorValue t, TensorValue by) {
    long[] shape = Arithmetic.commonShape(t.data(), by.data());
    if (!java.util.Arrays.equals(shape, t.data().shape())) {
      throw Errors.runtime(
          "output with shape "
              + Tensors.shown(t.data().shape())
              + " doesn't match the broadcast shape "
              + Tensors.shown(shape));
    }
    Origin origin = by.origin();
    t.overwrite(origin);
    Tensors.fill(t.data(), by.data());
    return t;
  }
}
