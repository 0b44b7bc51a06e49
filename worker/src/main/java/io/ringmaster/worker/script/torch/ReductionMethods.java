package io.ringmaster.worker.script.torch;

import io.ringmaster.worker.golden.Elements;
import io.ringmaster.worker.golden.StridedLoop;
import io.ringmaster.worker.script.value.Bound;
import io.ringmaster.worker.script.value.Call;
import io.ringmaster.worker.script.value.Convert;
import io.ringmaster.worker.script.value.Errors;
import io.ringmaster.worker.script.value.Interp;
import io.ringmaster.worker.script.value.MethodTable;
import io.ringmaster.worker.script.value.Value;
import io.ringmaster.worker.stop.StopOrder;
import io.ringmaster.worker.tensor.DType;
import io.ringmaster.worker.tensor.HostTensor;
import java.util.List;

/** Tensor methods that sum up along dimensions. */
final class ReductionMethods {

  private ReductionMethods() {}

  static void define(MethodTable<TensorValue> table) {
    for (Reductions.Kind kind :
        List.of(Reductions.Kind.SUM, Reductions.Kind.MEAN, Reductions.Kind.PROD)) {
      table.add(
          kind.name().toLowerCase(java.util.Locale.ROOT),
          "dim=, keepdim=, *, dtype=",
          (t, a, c) -> reduced(t, kind, a, c));
    }
    table
        .add("all", "dim=, keepdim=", (t, a, c) -> reduced(t, Reductions.Kind.ALL, a, c))
        .add("any", "dim=, keepdim=", (t, a, c) -> reduced(t, Reductions.Kind.ANY, a, c))
        .add("amax", "dim=, keepdim=", (t, a, c) -> reduced(t, Reductions.Kind.MAX, a, c))
        .add("amin", "dim=, keepdim=", (t, a, c) -> reduced(t, Reductions.Kind.MIN, a, c))
        .add("argmax", "dim=, keepdim=", (t, a, c) -> reduced(t, Reductions.Kind.ARGMAX, a, c))
        .add("argmin", "dim=, keepdim=", (t, a, c) -> reduced(t, Reductions.Kind.ARGMIN, a, c))
        .add("max", "dim=, keepdim=", (t, a, c) -> extreme(t, true, a, c))
        .add("min", "dim=, keepdim=", (t, a, c) -> extreme(t, false, a, c))
        .add("count_nonzero", "", ReductionMethods::countNonzero)
        .add("cumsum", "dim", ReductionMethods::cumsum)
        .add("std", "dim=, keepdim=, *, unbiased=", (t, a, c) -> spread(t, a, c, true))
        .add("var", "dim=, keepdim=, *, unbiased=", (t, a, c) -> spread(t, a, c, false))
        .add("norm", "", (t, a, c) -> norm(t, c.interp()));
  }

  private static int[] axes(TensorValue t, Bound a, Call c) {
    if (!a.has("dim")) {
      return new int[0];
    }
    int rank = t.data().rank();
    List<Value> dims = TensorMethods.asList(a.get("dim"), c);
    int[] axes = new int[dims.size()];
    for (int i = 0; i < axes.length; i++) {
      axes[i] = Tensors.axis(Convert.integer(dims.get(i), "dim"), rank);
    }
    return rank == 0 ? new int[0] : axes;
  }

  private static TensorValue reduced(TensorValue t, Reductions.Kind kind, Bound a, Call c) {
    TensorValue source = t;
    if (a.has("dtype")) {
      source = ContentMethods.converted(t, Dtypes.of(a.get("dtype")), c.interp());
    }
    DType type =
        a.has("dtype") ? source.data().dtype() : Reductions.resultType(kind, source.data().dtype());
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
    TensorValue hits = (TensorValue) ArithmeticMethods.flags(t, v -> v != 0, c);
    return Reductions.reduce(hits, Reductions.Kind.SUM, new int[0], false, DType.INT64, c.interp());
  }

  private static Value cumsum(TensorValue t, Bound a, Call c) {
    DType type = Reductions.resultType(Reductions.Kind.SUM, t.data().dtype());
    TensorValue result = Tensors.copy(t, type, c.interp());
    int axis = Tensors.axis(a.integer("dim"), t.data().rank());
    HostTensor data = result.data();
    if (data.elements() == 0 || data.rank() == 0) {
      return result;
    }
    long count = data.shape()[axis];
    long step = data.strides()[axis];
    Elements elements = Elements.of(data.buffer(), type);
    HostTensor first = Views.select(data, axis, 0);
    StridedLoop.over(
        first.shape(),
        (p, at) -> {
          for (long i = 1; i < count; i++) {
            StopOrder.look(i);
            long here = at[0] + i * step;
            if (type.isFloat()) {
              elements.setDouble(here, elements.getDouble(here) + elements.getDouble(here - step));
            } else {
              elements.setLong(here, elements.getLong(here) + elements.getLong(here - step));
            }
          }
        },
        first);
    return result;
  }

  private static Value spread(TensorValue t, Bound a, Call c, boolean root) {
    Interp interp = c.interp();
    int[] axes = axes(t, a, c);
    DType type = Reductions.resultType(Reductions.Kind.MEAN, t.data().dtype());
    TensorValue mean = Reductions.reduce(t, Reductions.Kind.MEAN, axes, true, type, interp);
    TensorValue apart = Arithmetic.apply(ElementOp.SUB, Operand.of(t), Operand.of(mean), interp);
    TensorValue square =
        Arithmetic.apply(ElementOp.MUL, Operand.of(apart), Operand.of(apart), interp);
    TensorValue sum =
        Reductions.reduce(
            square, Reductions.Kind.SUM, axes, a.flag("keepdim", false), type, interp);
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

  static Value softmax(TensorValue t, Bound a, Call c) {
    if (t.data().rank() == 0) {
      throw Errors.runtime("softmax of a 0-dim tensor is not available");
    }
    Interp interp = c.interp();
    int[] axes = {Tensors.axis(a.integer("dim"), t.data().rank())};
    DType type = t.data().dtype();
    TensorValue most = Reductions.reduce(t, Reductions.Kind.MAX, axes, true, type, interp);
    TensorValue apart = Arithmetic.apply(ElementOp.SUB, Operand.of(t), Operand.of(most), interp);
    TensorValue powers = Arithmetic.real(apart, Math::exp, interp);
    TensorValue sum = Reductions.reduce(powers, Reductions.Kind.SUM, axes, true, type, interp);
    return Arithmetic.apply(ElementOp.TRUE_DIVIDE, Operand.of(powers), Operand.of(sum), interp);
  }
}
