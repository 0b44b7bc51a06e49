package io.ringmaster.worker.script.torch;

import io.ringmaster.worker.golden.Elements;
import io.ringmaster.worker.golden.StridedLoop;
import io.ringmaster.worker.script.value.Bound;
import io.ringmaster.worker.script.value.Call;
import io.ringmaster.worker.script.value.Errors;
import io.ringmaster.worker.script.value.Interp;
import io.ringmaster.worker.script.value.Value;
import io.ringmaster.worker.tensor.DType;
import io.ringmaster.worker.tensor.HostTensor;
import java.util.Arrays;
import java.util.Map;

/** Losses and similarities; those of two tensors keep the pair for a failing check's facts. */
final class Losses {

  private Losses() {}

  static void define(Map<String, Value> members) {
    String options = "size_average=, reduce=, reduction=";
    Activations.add(
        members,
        "mse_loss",
        "input, target, " + options,
        (a, c) -> difference(a, c).map(v -> v * v).reduced());
    Activations.add(
        members,
        "l1_loss",
        "input, target, " + options,
        (a, c) -> difference(a, c).map(Math::abs).reduced());
    Activations.add(
        members,
        "smooth_l1_loss",
        "input, target, " + options + ", beta=",
        (a, c) -> {
          double beta = a.number("beta", 1);
          return difference(a, c)
              .map(v -> Math.abs(v) < beta ? 0.5 * v * v / beta : Math.abs(v) - 0.5 * beta)
              .reduced();
        });
    Activations.add(
        members,
        "huber_loss",
        "input, target, reduction=, delta=",
        (a, c) -> {
          double delta = a.number("delta", 1);
          return difference(a, c)
              .map(v -> Math.abs(v) <= delta ? 0.5 * v * v : delta * (Math.abs(v) - 0.5 * delta))
              .reduced();
        });
    Activations.add(
        members,
        "nll_loss",
        "input, target, weight=, size_average=, ignore_index=, reduce=, reduction=",
        (a, c) -> classes(a, c, TensorMethods.tensor(a, "input")));
    Activations.add(
        members,
        "cross_entropy",
        "input, target, weight=, size_average=, ignore_index=, reduce=, reduction=",
        Losses::crossEntropy);
    Activations.add(members, "cosine_similarity", "x1, x2, dim=, eps=", Losses::cosine);
  }

  /** A loss by element, before it is summed up. */
  private record Loss(Wide elements, DType type, Lineage lineage, Bound arguments) {

    private Loss map(java.util.function.DoubleUnaryOperator function) {
      return new Loss(elements.map(function), type, lineage, arguments);
    }

    private TensorValue reduced() {
      return Losses.reduced(elements, type, arguments).with(lineage);
    }
  }

  private static TensorValue reduced(Wide elements, DType type, Bound a) {
    String how = a.string("reduction", "mean");
    return switch (how) {
      case "mean" -> elements.mean(new int[0], false).as(type);
      case "sum" -> elements.sum(new int[0], false).as(type);
      case "none" -> elements.as(type);
      default -> throw Errors.value(how + " is not a valid value for reduction");
    };
  }

  private static Loss difference(Bound a, Call c) {
    TensorValue input = TensorMethods.tensor(a, "input");
    TensorValue target = TensorMethods.tensor(a, "target");
    DType type = Dtypes.result(Operand.of(input), Operand.of(target));
    if (!type.isFloat()) {
      throw Errors.runtime(
          "\"" + a.function() + "\" not implemented for '" + Dtypes.scalarName(type) + "'");
    }
    Wide apart = Wide.of(input, c.interp()).minus(Wide.of(target, c.interp()));
    return new Loss(apart, type, Lineage.difference(input, target), a);
  }

  private static Value crossEntropy(Bound a, Call c) {
    TensorValue input = TensorMethods.tensor(a, "input");
    Softmax.floating(input, "cross_entropy");
    int axis = input.data().rank() == 1 ? 0 : 1;
    return classes(a, c, Softmax.softmax(input, axis, DType.FP64, true, c.interp()));
  }

  /** Minus the log-probability of each target class; [N, C] and [N], or [C] and []. */
  private static Value classes(Bound a, Call c, TensorValue logs) {
    TensorValue target = TensorMethods.tensor(a, "target");
    DType type = Softmax.floating(TensorMethods.tensor(a, "input"), a.function());
    HostTensor data = logs.data();
    boolean fits =
        target.data().dtype() == DType.INT64
            && (data.rank() == 2 || data.rank() == 1)
            && Arrays.equals(target.data().shape(), Arrays.copyOf(data.shape(), data.rank() - 1));
    if (!fits || a.has("weight") || a.has("ignore_index")) {
      throw Errors.refuse(
          a.function()
              + " of input "
              + Tensors.shown(data.shape())
              + " and target "
              + Tensors.shown(target.data().shape())
              + " ("
              + Dtypes.nameOf(target.data().dtype())
              + ") is not available",
          "known: input [N, C] with an int64 target [N], without weight and ignore_index",
          c.span());
    }
    Interp interp = c.interp();
    int axis = data.rank() - 1;
    TensorValue losses =
        Tensors.derived(
            DType.FP64, target.data().shape(), logs.origin().and(target.origin()), interp);
    Elements in = Elements.of(data.buffer(), data.dtype());
    Elements places = Elements.of(target.data().buffer(), DType.INT64);
    Elements out = Elements.of(losses.data().buffer(), DType.FP64);
    StridedLoop.over(
        target.data().shape(),
        (p, at) -> {
          long place = places.getLong(at[1]);
          if (place < 0 || place >= data.shape()[axis]) {
            throw Errors.index("Target " + place + " is out of bounds.");
          }
          out.setDouble(at[0], -in.getDouble(at[2] + place * data.strides()[axis]));
        },
        losses.data(),
        target.data(),
        Views.select(data, axis, 0));
    return reduced(new Wide(losses, interp), type, a);
  }

  private static Value cosine(Bound a, Call c) {
    TensorValue x = TensorMethods.tensor(a, "x1");
    TensorValue y = TensorMethods.tensor(a, "x2");
    DType type = Dtypes.result(Operand.of(x), Operand.of(y));
    if (!type.isFloat()) {
      throw Errors.runtime(
          "expected common dtype to be floating point, yet common dtype is "
              + Dtypes.scalarName(type));
    }
    double eps = a.number("eps", 1e-8);
    Wide left = Wide.of(x, c.interp());
    Wide right = Wide.of(y, c.interp());
    Wide product = left.times(right);
    int[] axes = Softmax.axes(product.value(), a.find("dim").orElse(Value.of(1)), c);
    Wide sizes =
        left.plus(product.map(v -> 0))
            .squared()
            .sum(axes, false)
            .map(v -> Math.max(Math.sqrt(v), eps))
            .times(
                right
                    .plus(product.map(v -> 0))
                    .squared()
                    .sum(axes, false)
                    .map(v -> Math.max(Math.sqrt(v), eps)));
    return product.sum(axes, false).over(sizes).as(type);
  }
}
