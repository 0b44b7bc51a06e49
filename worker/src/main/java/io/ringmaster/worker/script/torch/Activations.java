package io.ringmaster.worker.script.torch;

import io.ringmaster.worker.script.value.Bound;
import io.ringmaster.worker.script.value.Call;
import io.ringmaster.worker.script.value.Errors;
import io.ringmaster.worker.script.value.NativeFunction;
import io.ringmaster.worker.script.value.Value;
import io.ringmaster.worker.tensor.DType;
import java.util.List;
import java.util.Map;
import java.util.function.DoubleUnaryOperator;

/** The activation functions of {@code torch.nn.functional}. */
final class Activations {

  private static final double SELU_ALPHA = 1.6732632423543772;
  private static final double SELU_SCALE = 1.0507009873554805;

  private Activations() {}

  static void define(Map<String, Value> members) {
    real(members, "silu", v -> v / (1 + Math.exp(-v)));
    real(members, "mish", v -> v * Math.tanh(softplus(v)));
    real(members, "softsign", v -> v / (1 + Math.abs(v)));
    real(members, "tanhshrink", v -> v - Math.tanh(v));
    real(members, "logsigmoid", v -> -softplus(-v));
    real(members, "hardsigmoid", v -> clamp(v + 3, 0, 6) / 6);
    real(members, "hardswish", v -> v * clamp(v + 3, 0, 6) / 6);
    real(members, "relu6", v -> clamp(v, 0, 6));
    real(
        members,
        "selu",
        v -> SELU_SCALE * (v > 0 || Double.isNaN(v) ? v : SELU_ALPHA * Math.expm1(v)));
    add(
        members,
        "gelu",
        "input, *, approximate=",
        (a, c) -> {
          String kind = a.string("approximate", "none");
          DoubleUnaryOperator gelu =
              switch (kind) {
                case "none" -> v -> v * 0.5 * (1 + ErrorFunction.erf(v * Math.sqrt(0.5)));
                case "tanh" -> Activations::geluTanh;
                default ->
                    throw Errors.runtime(
                        "gelu(): approximate argument must be either none or tanh, not " + kind);
              };
          return applied(a, c, gelu);
        });
    add(
        members,
        "leaky_relu",
        "input, negative_slope=, inplace=",
        (a, c) -> {
          double slope = a.number("negative_slope", 0.01);
          return applied(a, c, v -> v >= 0 ? v : v * slope);
        });
    for (String name : java.util.List.of("elu", "celu")) {
      add(
          members,
          name,
          "input, alpha=, inplace=",
          (a, c) -> {
            double alpha = a.number("alpha", 1);
            double scale = name.equals("celu") ? alpha : 1;
            return applied(a, c, v -> v > 0 ? v : alpha * Math.expm1(v / scale));
          });
    }
    add(
        members,
        "softplus",
        "input, beta=, threshold=",
        (a, c) -> {
          double beta = a.number("beta", 1);
          double threshold = a.number("threshold", 20);
          return applied(a, c, v -> v * beta > threshold ? v : softplus(v * beta) / beta);
        });
    add(
        members,
        "hardtanh",
        "input, min_val=, max_val=, inplace=",
        (a, c) -> {
          double low = a.number("min_val", -1);
          double high = a.number("max_val", 1);
          return applied(a, c, v -> clamp(v, low, high));
        });
    add(
        members,
        "threshold",
        "input, threshold, value, inplace=",
        (a, c) -> {
          double limit = a.number("threshold");
          double value = a.number("value");
          return applied(a, c, v -> v <= limit ? value : v);
        });
    add(members, "glu", "input, dim=", Activations::glu);
  }

  static void add(
      Map<String, Value> members, String name, String parameters, NativeFunction.Body body) {
    members.put(name, NativeFunction.of(name, parameters, body));
  }

  private static void real(Map<String, Value> members, String name, DoubleUnaryOperator function) {
    add(members, name, "input, inplace=", (a, c) -> applied(a, c, function));
  }

  private static Value applied(Bound a, Call c, DoubleUnaryOperator function) {
    TensorValue input = TensorMethods.tensor(a, "input");
    DType type = Softmax.floating(input, a.function());
    TensorValue result = Arithmetic.map(input, type, function, v -> v, c.interp());
    if (!a.flag("inplace", false)) {
      return result;
    }
    return InPlace.store(
        input,
        result,
        a.function(),
        () -> Change.by(a.function(), List.of(), result.origin(), 1, c.interp()));
  }

  private static double clamp(double value, double low, double high) {
    return Double.isNaN(value) ? value : Math.min(Math.max(value, low), high);
  }

  /** {@code log(1 + exp(v))} without overflow. */
  private static double softplus(double v) {
    return Math.max(v, 0) + Math.log1p(Math.exp(-Math.abs(v)));
  }

  private static double geluTanh(double v) {
    return 0.5 * v * (1 + Math.tanh(Math.sqrt(2 / Math.PI) * (v + 0.044715 * v * v * v)));
  }

  private static Value glu(Bound a, Call c) {
    TensorValue input = TensorMethods.tensor(a, "input");
    int axis = Tensors.realAxis(a.integer("dim", -1), input.data().rank());
    long extent = input.data().shape()[axis];
    if (extent % 2 != 0) {
      throw Errors.runtime(
          "glu: Halving dimension must be even, but dimension "
              + axis
              + " of "
              + Tensors.shown(input.data().shape())
              + " is size "
              + extent);
    }
    DType type = Softmax.floating(input, "glu");
    TensorValue value = input.view(Views.narrow(input.data(), axis, 0, extent / 2, 1));
    TensorValue gate = input.view(Views.narrow(input.data(), axis, extent / 2, extent / 2, 1));
    Wide open = Wide.of(gate, c.interp()).map(v -> 1 / (1 + Math.exp(-v)));
    return Wide.of(value, c.interp()).times(open).as(type);
  }
}
