package io.ringmaster.worker.script.torch;

import io.ringmaster.worker.golden.Elements;
import io.ringmaster.worker.script.value.Bound;
import io.ringmaster.worker.script.value.Call;
import io.ringmaster.worker.script.value.MethodTable;
import io.ringmaster.worker.script.value.TupleValue;
import io.ringmaster.worker.script.value.Value;
import io.ringmaster.worker.stop.StopOrder;
import io.ringmaster.worker.tensor.DType;
import io.ringmaster.worker.tensor.HostTensor;
import java.util.List;
import java.util.function.DoubleBinaryOperator;
import java.util.function.DoubleUnaryOperator;
import java.util.function.LongBinaryOperator;

/** Running sums, products and extremes along a dimension; half types run in float. */
final class Scans {

  static final List<String> FUNCTIONS =
      List.of("cumsum", "cumprod", "cummax", "cummin", "logcumsumexp", "diff");

  private Scans() {}

  static void define(MethodTable<TensorValue> table) {
    table
        .add("cumsum", "dim, *, dtype=", (t, a, c) -> scan(t, a, c, Double::sum, Long::sum))
        .add(
            "cumprod",
            "dim, *, dtype=",
            (t, a, c) -> scan(t, a, c, (x, y) -> x * y, (x, y) -> x * y))
        .add("cummax", "dim", (t, a, c) -> extreme(t, a, c, 1))
        .add("cummin", "dim", (t, a, c) -> extreme(t, a, c, -1))
        .add("logcumsumexp", "dim", Scans::logCumSumExp)
        .add("diff", "n=, dim=", Scans::diff);
  }

  private static Value scan(
      TensorValue t, Bound a, Call c, DoubleBinaryOperator real, LongBinaryOperator whole) {
    DType own = t.data().dtype();
    DType type =
        a.has("dtype")
            ? Dtypes.of(a.get("dtype"))
            : Reductions.resultType(Reductions.Kind.SUM, own);
    return running(t, type, a.integer("dim"), c, real, whole);
  }

  private static TensorValue running(
      TensorValue t,
      DType type,
      long dim,
      Call c,
      DoubleBinaryOperator real,
      LongBinaryOperator whole) {
    int axis = Tensors.axis(dim, t.data().rank());
    TensorValue result = Tensors.derived(type, t.data().shape(), t.origin(), c.interp());
    HostTensor from = Lanes.atLeast1d(t.data());
    HostTensor to = Lanes.atLeast1d(result.data());
    Elements in = Elements.of(from.buffer(), from.dtype());
    Elements out = Elements.of(to.buffer(), type);
    long count = from.shape()[axis];
    if (count == 0) {
      return result;
    }
    long step = from.strides()[axis];
    long stepTo = to.strides()[axis];
    DoubleUnaryOperator kept = type.bytes() == 2 ? v -> (float) v : v -> v;
    Lanes.Body reals =
        at -> {
          double sum = in.getDouble(at[0]);
          out.setDouble(at[1], sum);
          for (long i = 1; i < count; i++) {
            StopOrder.look(i);
            sum = kept.applyAsDouble(real.applyAsDouble(sum, in.getDouble(at[0] + i * step)));
            out.setDouble(at[1] + i * stepTo, sum);
          }
        };
    Lanes.Body wholes =
        at -> {
          long sum = in.getLong(at[0]);
          out.setLong(at[1], sum);
          for (long i = 1; i < count; i++) {
            StopOrder.look(i);
            sum = whole.applyAsLong(sum, in.getLong(at[0] + i * step));
            out.setLong(at[1] + i * stepTo, sum);
          }
        };
    Lanes.over(axis, type.isFloat() ? reals : wholes, from, to);
    return result;
  }

  /** {@code cummax} and {@code cummin}: the last of equal values is named; NaN stays. */
  private static Value extreme(TensorValue t, Bound a, Call c, int sign) {
    int axis = Tensors.axis(a.integer("dim"), t.data().rank());
    TensorValue values = Tensors.copy(t, t.data().dtype(), c.interp());
    TensorValue places = Tensors.derived(DType.INT64, t.data().shape(), t.origin(), c.interp());
    HostTensor best = Lanes.atLeast1d(values.data());
    HostTensor at = Lanes.atLeast1d(places.data());
    Elements elements = Elements.of(best.buffer(), best.dtype());
    Elements indices = Elements.of(at.buffer(), DType.INT64);
    boolean floats = best.dtype().isFloat();
    long count = best.shape()[axis];
    if (count > 0) {
      Lanes.over(
          axis,
          starts -> {
            long kept = 0;
            for (long i = 1; i < count; i++) {
              StopOrder.look(i);
              long here = starts[0] + i * best.strides()[axis];
              long before = starts[0] + kept * best.strides()[axis];
              boolean better =
                  floats
                      ? reaches(elements.getDouble(here), elements.getDouble(before), sign)
                      : reaches(elements.getLong(here), elements.getLong(before), sign);
              if (better) {
                kept = i;
              } else if (floats) {
                elements.setDouble(here, elements.getDouble(before));
              } else {
                elements.setLong(here, elements.getLong(before));
              }
              indices.setLong(starts[1] + i * at.strides()[axis], kept);
            }
          },
          best,
          at);
    }
    return new TupleValue(
        List.of(values, places),
        "torch.return_types." + (sign > 0 ? "cummax" : "cummin"),
        List.of("values", "indices"));
  }

  private static boolean reaches(long here, long before, int sign) {
    return sign > 0 ? here >= before : here <= before;
  }

  private static boolean reaches(double here, double before, int sign) {
    return Double.isNaN(here)
        || (!Double.isNaN(before) && (sign > 0 ? here >= before : here <= before));
  }

  private static Value logCumSumExp(TensorValue t, Bound a, Call c) {
    DType type = Softmax.floating(t, "logcumsumexp");
    return running(t, type, a.integer("dim"), c, Scans::logAdd, (x, y) -> 0);
  }

  private static double logAdd(double x, double y) {
    double most = Math.max(x, y);
    return Double.isInfinite(most) || Double.isNaN(most)
        ? most
        : most + Math.log1p(Math.exp(Math.min(x, y) - most));
  }

  private static Value diff(TensorValue t, Bound a, Call c) {
    int axis = Tensors.realAxis(a.integer("dim", -1), t.data().rank());
    TensorValue result = t;
    for (long round = a.integer("n", 1); round > 0; round--) {
      long count = Math.max(0, result.data().shape()[axis] - 1);
      long from = Math.min(1, result.data().shape()[axis]);
      TensorValue later = result.view(Views.narrow(result.data(), axis, from, count, 1));
      TensorValue earlier = result.view(Views.narrow(result.data(), axis, 0, count, 1));
      ElementOp op = t.data().dtype() == DType.BOOL ? ElementOp.LOGICAL_XOR : ElementOp.SUB;
      result = Arithmetic.apply(op, Operand.of(later), Operand.of(earlier), c.interp());
    }
    return result == t ? Tensors.copy(t, t.data().dtype(), c.interp()) : result;
  }
}
