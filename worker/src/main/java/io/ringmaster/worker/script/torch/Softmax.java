package io.ringmaster.worker.script.torch;

import io.ringmaster.worker.script.value.Bound;
import io.ringmaster.worker.script.value.Call;
import io.ringmaster.worker.script.value.Convert;
import io.ringmaster.worker.script.value.Errors;
import io.ringmaster.worker.script.value.Interp;
import io.ringmaster.worker.script.value.MethodTable;
import io.ringmaster.worker.script.value.TupleValue;
import io.ringmaster.worker.script.value.Value;
import io.ringmaster.worker.tensor.DType;
import java.util.ArrayList;
import java.util.List;

/** Reductions of several steps: softmax and its kin, deviations, norms. */
final class Softmax {

  static final List<String> FUNCTIONS =
      List.of(
          "softmax",
          "log_softmax",
          "logsumexp",
          "std",
          "var",
          "std_mean",
          "var_mean",
          "norm",
          "nansum",
          "nanmean",
          "aminmax",
          "count_nonzero");

  private Softmax() {}

  static void define(MethodTable<TensorValue> table) {
    table
        .add("softmax", "dim, dtype=", (t, a, c) -> softmax(t, a, c, false))
        .add("log_softmax", "dim, dtype=", (t, a, c) -> softmax(t, a, c, true))
        .add("logsumexp", "dim, keepdim=", Softmax::logSumExp)
        .add("std", "dim=, unbiased=, keepdim=, *, correction=", (t, a, c) -> spread(t, a, c, true))
        .add(
            "var", "dim=, unbiased=, keepdim=, *, correction=", (t, a, c) -> spread(t, a, c, false))
        .add(
            "std_mean",
            "dim=, unbiased=, keepdim=, *, correction=",
            (t, a, c) -> both(t, a, c, true))
        .add(
            "var_mean",
            "dim=, unbiased=, keepdim=, *, correction=",
            (t, a, c) -> both(t, a, c, false))
        .add("norm", "p=, dim=, keepdim=, dtype=", Softmax::norm)
        .add("nansum", "dim=, keepdim=, *, dtype=", (t, a, c) -> withoutNan(t, a, c, false))
        .add("nanmean", "dim=, keepdim=, *, dtype=", (t, a, c) -> withoutNan(t, a, c, true))
        .add("aminmax", "*, dim=, keepdim=", Softmax::aminmax)
        .add("count_nonzero", "dim=", Softmax::countNonzero);
  }

  /** The type of a tensor that must be of floats. */
  static DType floating(TensorValue t, String function) {
    DType type = t.data().dtype();
    if (!type.isFloat()) {
      throw Errors.runtime(
          "\"" + function + "\" not implemented for '" + Dtypes.scalarName(type) + "'");
    }
    return type;
  }

  /** The dimensions that {@code dim=} names; none for all. */
  static int[] axes(TensorValue t, Bound a, Call c) {
    if (!a.has("dim") || a.get("dim") instanceof Value.Bool) {
      return new int[0];
    }
    return axes(t, a.get("dim"), c);
  }

  static int[] axes(TensorValue t, Value dim, Call c) {
    int rank = t.data().rank();
    List<Value> dims = TensorMethods.asList(dim, c);
    int[] axes = new int[dims.size()];
    boolean[] seen = new boolean[Math.max(1, rank)];
    for (int i = 0; i < axes.length; i++) {
      axes[i] = Tensors.axis(Convert.integer(dims.get(i), "dim"), rank);
      if (seen[axes[i]]) {
        throw Errors.runtime("dim " + axes[i] + " appears multiple times in the list of dims");
      }
      seen[axes[i]] = true;
    }
    return rank == 0 ? new int[0] : axes;
  }

  private static Value softmax(TensorValue t, Bound a, Call c, boolean logarithm) {
    DType type =
        a.has("dtype")
            ? Dtypes.of(a.get("dtype"))
            : floating(t, logarithm ? "log_softmax" : "softmax");
    return softmax(t, a.integer("dim"), type, logarithm, c.interp());
  }

  static TensorValue softmax(
      TensorValue t, long dim, DType type, boolean logarithm, Interp interp) {
    int axis = Tensors.axis(dim, t.data().rank());
    int[] axes = t.data().rank() == 0 ? new int[0] : new int[] {axis};
    if (t.data().elements() == 0) {
      return Tensors.copy(t, type, interp);
    }
    Wide wide = Wide.of(t, interp);
    Wide apart = wide.minus(wide.reduce(Reductions.Kind.MAX, axes, true));
    Wide powers = apart.map(Math::exp);
    Wide sum = powers.sum(axes, true);
    return (logarithm ? apart.minus(sum.map(Math::log)) : powers.over(sum)).as(type);
  }

  private static Value logSumExp(TensorValue t, Bound a, Call c) {
    DType type = t.data().dtype().isFloat() ? t.data().dtype() : DType.FP32;
    int[] axes = axes(t, a, c);
    boolean keep = a.flag("keepdim", false);
    Wide wide = Wide.of(t, c.interp());
    // An infinite maximum is no help: what is left would be NaN.
    Wide most = wide.reduce(Reductions.Kind.MAX, axes, true).map(v -> Double.isInfinite(v) ? 0 : v);
    Wide sum = wide.minus(most).map(Math::exp).sum(axes, true).map(Math::log).plus(most);
    return Reductions.reduce(sum.as(type), Reductions.Kind.SUM, axes, keep, type, c.interp());
  }

  private static double correction(Bound a) {
    if (a.has("correction")) {
      return a.number("correction");
    }
    if (a.has("dim") && a.get("dim") instanceof Value.Bool unbiased) {
      return unbiased.value() ? 1 : 0;
    }
    return a.flag("unbiased", true) ? 1 : 0;
  }

  private static TensorValue spread(TensorValue t, Bound a, Call c, boolean root) {
    DType type = t.data().dtype();
    if (!type.isFloat()) {
      throw Errors.runtime(
          "std and var only support floating point and complex dtypes, not "
              + Dtypes.scalarName(type));
    }
    int[] axes = axes(t, a, c);
    Wide wide = Wide.of(t, c.interp());
    Wide squares = wide.minus(wide.mean(axes, true)).squared();
    Wide sum = squares.sum(axes, a.flag("keepdim", false));
    double count = (double) t.data().elements() / Math.max(1, sum.value().data().elements());
    double divisor = Math.max(0, count - correction(a));
    return sum.map(v -> root ? Math.sqrt(v / divisor) : v / divisor).as(type);
  }

  private static Value both(TensorValue t, Bound a, Call c, boolean root) {
    TensorValue spread = spread(t, a, c, root);
    Wide mean = Wide.of(t, c.interp()).mean(axes(t, a, c), a.flag("keepdim", false));
    return new TupleValue(List.of(spread, mean.as(t.data().dtype())));
  }

  private static Value norm(TensorValue t, Bound a, Call c) {
    double p = 2;
    if (a.has("p") && a.get("p") instanceof Value.Str kind) {
      if (!kind.value().equals("fro")) {
        throw Errors.refuse(
            "norm(p='" + kind.value() + "') is not available",
            "known: 'fro' and numbers",
            c.span());
      }
    } else {
      p = a.number("p", 2);
    }
    DType type = a.has("dtype") ? Dtypes.of(a.get("dtype")) : floating(t, "norm");
    return norm(t, p, axes(t, a, c), a.flag("keepdim", false), type, c.interp());
  }

  /** The p-norm over dimensions; all when none are named. */
  static TensorValue norm(
      TensorValue t, double p, int[] axes, boolean keep, DType type, Interp interp) {
    Wide sizes = Wide.of(t, interp).map(Math::abs);
    Wide result;
    if (p == 0) {
      result = sizes.map(v -> v == 0 ? 0 : 1).sum(axes, keep);
    } else if (p == 1) {
      result = sizes.sum(axes, keep);
    } else if (p == 2) {
      result = sizes.squared().sum(axes, keep).map(Math::sqrt);
    } else if (p == Double.POSITIVE_INFINITY) {
      result = sizes.reduce(Reductions.Kind.MAX, axes, keep);
    } else if (p == Double.NEGATIVE_INFINITY) {
      result = sizes.reduce(Reductions.Kind.MIN, axes, keep);
    } else {
      result = sizes.map(v -> Math.pow(v, p)).sum(axes, keep).map(v -> Math.pow(v, 1 / p));
    }
    return result.as(type).with(t.lineage());
  }

  private static Value withoutNan(TensorValue t, Bound a, Call c, boolean mean) {
    DType own = t.data().dtype();
    DType type = own.isFloat() ? own : Reductions.resultType(Reductions.Kind.SUM, own);
    if (a.has("dtype")) {
      type = Dtypes.of(a.get("dtype"));
    }
    int[] axes = axes(t, a, c);
    boolean keep = a.flag("keepdim", false);
    Wide wide = Wide.of(t, c.interp());
    Wide sum = wide.map(v -> Double.isNaN(v) ? 0 : v).sum(axes, keep);
    if (mean) {
      floating(t, "nanmean");
      sum = sum.over(wide.map(v -> Double.isNaN(v) ? 0 : 1).sum(axes, keep));
    }
    return sum.as(type);
  }

  private static Value aminmax(TensorValue t, Bound a, Call c) {
    int[] axes = axes(t, a, c);
    boolean keep = a.flag("keepdim", false);
    List<Value> ends = new ArrayList<>();
    for (Reductions.Kind kind : List.of(Reductions.Kind.MIN, Reductions.Kind.MAX)) {
      ends.add(Reductions.reduce(t, kind, axes, keep, t.data().dtype(), c.interp()));
    }
    return new TupleValue(ends, "torch.return_types.aminmax", List.of("min", "max"));
  }

  private static Value countNonzero(TensorValue t, Bound a, Call c) {
    TensorValue hits = (TensorValue) ArithmeticMethods.flags(t, v -> v != 0, c);
    return Reductions.reduce(
        hits, Reductions.Kind.SUM, axes(t, a, c), false, DType.INT64, c.interp());
  }
}
