package io.ringmaster.worker.script.torch;

import io.ringmaster.worker.script.value.Bound;
import io.ringmaster.worker.script.value.Call;
import io.ringmaster.worker.script.value.MethodTable;
import io.ringmaster.worker.script.value.Value;
import io.ringmaster.worker.tensor.DType;
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
        .add("min", "dim=, keepdim=", (t, a, c) -> extreme(t, false, a, c));
  }

  private static TensorValue reduced(TensorValue t, Reductions.Kind kind, Bound a, Call c) {
    TensorValue source = t;
    if (a.has("dtype")) {
      source = ContentMethods.converted(t, Dtypes.of(a.get("dtype")), c.interp());
    }
    DType type =
        a.has("dtype") ? source.data().dtype() : Reductions.resultType(kind, source.data().dtype());
    return Reductions.reduce(
        source, kind, Softmax.axes(t, a, c), a.flag("keepdim", false), type, c.interp());
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
}
