package io.ringmaster.worker.script.torch;

import io.ringmaster.worker.golden.Elements;
import io.ringmaster.worker.golden.Shapes;
import io.ringmaster.worker.golden.StridedLoop;
import io.ringmaster.worker.script.builtin.Iteration;
import io.ringmaster.worker.script.check.Origin;
import io.ringmaster.worker.script.value.Bound;
import io.ringmaster.worker.script.value.Call;
import io.ringmaster.worker.script.value.Errors;
import io.ringmaster.worker.script.value.Interp;
import io.ringmaster.worker.script.value.NativeFunction;
import io.ringmaster.worker.script.value.Types;
import io.ringmaster.worker.script.value.Value;
import io.ringmaster.worker.stop.StopOrder;
import io.ringmaster.worker.tensor.DType;
import io.ringmaster.worker.tensor.HostTensor;
import io.ringmaster.worker.tensor.Sizes;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The functions of torch that make tensors. */
final class Creation {

  private static final String OPTIONS =
      "dtype=, device=, requires_grad=, pin_memory=, layout=, memory_format=";

  private Creation() {}

  static void define(Map<String, Value> members) {
    add(
        members,
        "tensor",
        "data, *, " + OPTIONS,
        (a, c) -> Tensors.ofData(a.get("data"), dtype(a), c.interp()));
    add(members, "as_tensor", "data, " + OPTIONS, (a, c) -> asTensor(a.get("data"), a, c));
    add(
        members,
        "asarray",
        "obj, *, dtype=, device=, copy=, requires_grad=",
        (a, c) ->
            asTensor(
                a.get("obj") instanceof TensorValue tensor && a.flag("copy", false)
                    ? Tensors.copy(tensor, tensor.data().dtype(), c.interp())
                    : a.get("obj"),
                a,
                c));
    add(members, "zeros", "*shape, size=, " + OPTIONS, (a, c) -> filled(a, c, Value.of(0)));
    add(members, "ones", "*shape, size=, " + OPTIONS, (a, c) -> filled(a, c, Value.of(1)));
    add(members, "empty", "*shape, size=, " + OPTIONS, (a, c) -> filled(a, c, Value.of(0)));
    add(members, "full", "size, fill_value, *, " + OPTIONS, Creation::full);
    add(members, "zeros_like", "input, *, " + OPTIONS, (a, c) -> like(a, c, Value.of(0)));
    add(members, "ones_like", "input, *, " + OPTIONS, (a, c) -> like(a, c, Value.of(1)));
    add(members, "empty_like", "input, *, " + OPTIONS, (a, c) -> like(a, c, Value.of(0)));
    add(
        members,
        "full_like",
        "input, fill_value, *, " + OPTIONS,
        (a, c) -> like(a, c, a.get("fill_value")));
    add(members, "arange", "start, end=, step=, *, " + OPTIONS, Creation::arange);
    add(members, "linspace", "start, end, steps, *, " + OPTIONS, Creation::linspace);
    add(members, "eye", "n, m=, *, " + OPTIONS, Creation::eye);
    String joined = "tensors, dim=, *, out=";
    add(members, "stack", joined, Functions.withOut(Creation::stack));
    for (String name : List.of("cat", "concat", "concatenate")) {
      add(members, name, joined, Functions.withOut(Creation::cat));
    }
  }

  private static void add(
      Map<String, Value> members, String name, String parameters, NativeFunction.Body body) {
    members.put(name, NativeFunction.of(name, parameters, body));
  }

  private static Optional<DType> dtype(Bound a) {
    checkDevice(a);
    return a.has("dtype") ? Optional.of(Dtypes.of(a.get("dtype"))) : Optional.empty();
  }

  private static void checkDevice(Bound a) {
    if (a.has("device")
        && !(a.get("device") instanceof DeviceValue)
        && !(a.get("device") instanceof Value.Str name && name.value().equals("cpu"))) {
      throw Errors.runtime(
          a.function() + "(): tensors of a script live on the CPU; leave device= out");
    }
  }

  private static Value asTensor(Value data, Bound a, Call c) {
    Optional<DType> type = dtype(a);
    return data instanceof TensorValue tensor
        ? ContentMethods.converted(tensor, type.orElse(tensor.data().dtype()), c.interp())
        : Tensors.ofData(data, type, c.interp());
  }

  private static Value filled(Bound a, Call c, Value with) {
    long[] shape =
        a.has("size")
            ? Tensors.shape(List.of(a.get("size")), c.interp())
            : Tensors.shape(a.rest(), c.interp());
    return filled(dtype(a).orElse(DType.FP32), shape, with, c.interp());
  }

  private static TensorValue filled(DType type, long[] shape, Value with, Interp interp) {
    TensorValue result = Tensors.zeros(type, shape, interp);
    Operand value = Operand.require(with, "full");
    result.storage().mix(value.origin());
    Tensors.fill(result.data(), value.data());
    return result;
  }

  private static Value full(Bound a, Call c) {
    Value with = a.get("fill_value");
    Operand value = Operand.require(with, "full");
    DType type = dtype(a).orElse(value.defaulted());
    return filled(type, Tensors.shape(List.of(a.get("size")), c.interp()), with, c.interp());
  }

  private static Value like(Bound a, Call c, Value with) {
    HostTensor model = TensorMethods.tensor(a, "input").data();
    return filled(dtype(a).orElse(model.dtype()), model.shape(), with, c.interp());
  }

  private static Value arange(Bound a, Call c) {
    boolean single = !a.has("end");
    Value start = single ? Value.of(0) : a.get("start");
    Value end = single ? a.get("start") : a.get("end");
    Value step = a.find("step").orElse(Value.of(1));
    Operand from = Operand.require(start, "arange");
    Operand to = Operand.require(end, "arange");
    Operand by = Operand.require(step, "arange");
    boolean real = from.dtype().isFloat() || to.dtype().isFloat() || by.dtype().isFloat();
    double first = value(from);
    double width = value(by);
    if (width == 0) {
      throw Errors.runtime("step must be nonzero");
    }
    double exact = (value(to) - first) / width;
    if (exact < 0) {
      throw Errors.runtime("upper bound and larger bound inconsistent with step sign");
    }
    if (!(exact <= Long.MAX_VALUE / 64.0)) {
      throw Errors.runtime("arange: the range is too large or not a number");
    }
    long count = (long) Math.ceil(exact);
    DType type = dtype(a).orElse(real ? DType.FP32 : DType.INT64);
    TensorValue result = Tensors.zeros(type, new long[] {count}, c.interp());
    Elements out = Elements.of(result.data().buffer(), type);
    for (long i = 0; i < count; i++) {
      StopOrder.look(i);
      if (type.isFloat() || real) {
        double value = first + i * width;
        if (type.isFloat()) {
          out.setDouble(i, value);
        } else {
          out.setLong(i, (long) value);
        }
      } else {
        out.setLong(i, (long) first + i * (long) width);
      }
    }
    return result;
  }

  private static double value(Operand operand) {
    return Elements.of(operand.data().buffer(), operand.dtype()).getDouble(operand.data().offset());
  }

  private static Value linspace(Bound a, Call c) {
    double start = a.number("start");
    double end = a.number("end");
    long steps = a.integer("steps");
    DType type = dtype(a).orElse(DType.FP32);
    TensorValue result = Tensors.zeros(type, new long[] {steps}, c.interp());
    Elements out = Elements.of(result.data().buffer(), type);
    double width = steps > 1 ? (end - start) / (steps - 1) : 0;
    for (long i = 0; i < steps; i++) {
      StopOrder.look(i);
      // The upper half counts down from the end, so that the last value is exact.
      out.setDouble(
          i, i < steps / 2 || steps == 1 ? start + i * width : end - (steps - 1 - i) * width);
    }
    return result;
  }

  private static Value eye(Bound a, Call c) {
    long rows = a.integer("n");
    long columns = a.integer("m", rows);
    DType type = dtype(a).orElse(DType.FP32);
    TensorValue result = Tensors.zeros(type, new long[] {rows, columns}, c.interp());
    Elements out = Elements.of(result.data().buffer(), type);
    for (long i = 0; i < Math.min(rows, columns); i++) {
      StopOrder.look(i);
      out.setLong(i * columns + i, 1);
    }
    return result;
  }

  private static List<TensorValue> tensors(Bound a, Call c) {
    List<TensorValue> tensors = new ArrayList<>();
    for (Value value : Iteration.toList(a.get("tensors"), c.interp())) {
      if (!(value instanceof TensorValue tensor)) {
        throw Errors.type(
            "expected Tensor as element "
                + tensors.size()
                + " in argument 0, but got "
                + Types.nameOf(value));
      }
      tensors.add(tensor);
    }
    if (tensors.isEmpty()) {
      throw Errors.runtime(a.function() + "(): expected a non-empty list of Tensors");
    }
    return tensors;
  }

  private static Value stack(Bound a, Call c) {
    List<TensorValue> tensors = tensors(a, c);
    HostTensor first = tensors.getFirst().data();
    int axis = Tensors.axis(a.integer("dim", 0), first.rank() + 1);
    List<TensorValue> thicker = new ArrayList<>();
    for (int i = 0; i < tensors.size(); i++) {
      HostTensor data = tensors.get(i).data();
      if (!Arrays.equals(data.shape(), first.shape())) {
        throw Errors.runtime(
            "stack expects each tensor to be equal size, but got "
                + Tensors.shown(first.shape())
                + " at entry 0 and "
                + Tensors.shown(data.shape())
                + " at entry "
                + i);
      }
      thicker.add(tensors.get(i).view(Views.unsqueeze(data, axis)));
    }
    return cat(thicker, axis, c.interp());
  }

  private static Value cat(Bound a, Call c) {
    List<TensorValue> tensors = tensors(a, c);
    return cat(
        tensors, Tensors.axis(a.integer("dim", 0), tensors.getFirst().data().rank()), c.interp());
  }

  static TensorValue cat(List<TensorValue> tensors, int axis, Interp interp) {
    HostTensor first = tensors.getFirst().data();
    if (first.rank() == 0) {
      throw Errors.runtime("zero-dimensional tensor (at position 0) cannot be concatenated");
    }
    long[] shape = first.shape().clone();
    shape[axis] = 0;
    DType type = first.dtype();
    Origin origin = Origin.NONE;
    for (int i = 0; i < tensors.size(); i++) {
      HostTensor data = tensors.get(i).data();
      if (data.rank() != shape.length) {
        throw Errors.runtime(
            "Tensors must have same number of dimensions: got "
                + shape.length
                + " and "
                + data.rank()
                + " (tensor number "
                + i
                + " in the list has shape "
                + Tensors.shown(data.shape())
                + ")");
      }
      boolean fits = true;
      for (int k = 0; fits && k < shape.length; k++) {
        fits = k == axis || data.shape()[k] == shape[k];
      }
      if (!fits) {
        throw Errors.runtime(
            "Sizes of tensors must match except in dimension "
                + axis
                + ". Expected "
                + Tensors.shown(first.shape())
                + " but got "
                + Tensors.shown(data.shape())
                + " for tensor number "
                + i
                + " in the list.");
      }
      shape[axis] = Sizes.plus(shape[axis], data.shape()[axis]);
      type = Dtypes.promote(type, data.dtype());
      origin = origin.and(tensors.get(i).origin());
      StopOrder.look();
    }
    TensorValue result = Tensors.derived(type, shape, origin, interp);
    long at = 0;
    for (TensorValue tensor : tensors) {
      long extent = tensor.data().shape()[axis];
      Tensors.fill(Views.narrow(result.data(), axis, at, extent, 1), tensor.data());
      at += extent;
    }
    return result;
  }

  /** Elements of one where a condition holds, of the other elsewhere. */
  static TensorValue where(TensorValue condition, Value yes, Value no, Interp interp) {
    if (condition.data().dtype() != DType.BOOL) {
      throw Errors.runtime(
          "where expected condition to be a boolean tensor, but got a tensor with dtype "
              + Dtypes.scalarName(condition.data().dtype()));
    }
    Operand left = Operand.require(yes, "where");
    Operand right = Operand.require(no, "where");
    DType type =
        left.rank() == 0 && right.rank() == 0
            ? Dtypes.promote(left.defaulted(), right.defaulted())
            : Dtypes.result(left, right);
    long[] shape = Arithmetic.commonShape(left.data(), right.data());
    if (!Shapes.broadcasts(shape, condition.data().shape())) {
      throw Errors.runtime("where: the condition's shape does not broadcast with the values'");
    }
    shape = Shapes.broadcast(shape, condition.data().shape());
    Origin origin = condition.origin().and(left.origin()).and(right.origin());
    TensorValue result = Tensors.derived(type, shape, origin, interp);
    Elements out = Elements.of(result.data().buffer(), type);
    Elements flags = Elements.of(condition.data().buffer(), DType.BOOL);
    Elements a = Elements.of(left.data().buffer(), left.dtype());
    Elements b = Elements.of(right.data().buffer(), right.dtype());
    StridedLoop.over(
        shape,
        (p, at) -> {
          boolean first = flags.getLong(at[1]) != 0;
          if (type.isFloat()) {
            out.setDouble(at[0], first ? a.getDouble(at[2]) : b.getDouble(at[3]));
          } else {
            out.setLong(at[0], first ? a.getLong(at[2]) : b.getLong(at[3]));
          }
        },
        result.data(),
        condition.data(),
        left.data(),
        right.data());
    return result;
  }
}
