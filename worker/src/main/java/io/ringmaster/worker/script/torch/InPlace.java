package io.ringmaster.worker.script.torch;

import io.ringmaster.worker.script.check.Origin;
import io.ringmaster.worker.script.value.Arguments;
import io.ringmaster.worker.script.value.Bound;
import io.ringmaster.worker.script.value.Call;
import io.ringmaster.worker.script.value.Errors;
import io.ringmaster.worker.script.value.MethodTable;
import io.ringmaster.worker.script.value.NativeFunction;
import io.ringmaster.worker.script.value.Value;
import io.ringmaster.worker.tensor.DType;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Supplier;

/** The methods whose name ends with an underscore: compute, then store into the tensor itself. */
final class InPlace {

  /** Methods that also come in place, and give a result of the tensor's own shape. */
  private static final List<String> NAMES =
      List.of(
          "add",
          "sub",
          "mul",
          "div",
          "true_divide",
          "floor_divide",
          "remainder",
          "fmod",
          "pow",
          "subtract",
          "multiply",
          "divide",
          "bitwise_and",
          "bitwise_or",
          "bitwise_xor",
          "bitwise_not",
          "logical_and",
          "logical_or",
          "logical_xor",
          "logical_not",
          "eq",
          "ne",
          "lt",
          "le",
          "gt",
          "ge",
          "exp",
          "exp2",
          "expm1",
          "log",
          "log2",
          "log10",
          "log1p",
          "sqrt",
          "rsqrt",
          "reciprocal",
          "sigmoid",
          "tanh",
          "sin",
          "cos",
          "tan",
          "sinh",
          "cosh",
          "asin",
          "acos",
          "atan",
          "atan2",
          "hypot",
          "erf",
          "erfc",
          "neg",
          "negative",
          "abs",
          "absolute",
          "relu",
          "square",
          "round",
          "floor",
          "ceil",
          "trunc",
          "frac",
          "sign",
          "sgn",
          "clamp",
          "clip",
          "clamp_min",
          "clamp_max",
          "nan_to_num",
          "lerp",
          "addcmul",
          "addcdiv",
          "cumsum",
          "cumprod",
          "tril",
          "triu",
          "masked_fill",
          "masked_scatter",
          "scatter",
          "scatter_add",
          "scatter_reduce",
          "index_add",
          "index_copy",
          "index_fill",
          "addmm",
          "copysign");

  private InPlace() {}

  static void define(MethodTable<TensorValue> table) {
    for (String name : NAMES) {
      table.add(
          name + "_",
          "*rest, **named",
          (t, a, c) -> {
            TensorValue result = (TensorValue) call(table, name, t, a, c);
            Origin origin = result.origin();
            return store(
                t,
                result,
                name + "_",
                () -> Change.by(name, operands(a), origin, t.ranks(), c.interp()));
          });
    }
  }

  private static List<Value> operands(Bound a) {
    List<Value> operands = new ArrayList<>(a.rest());
    for (String name : List.of("other", "exponent", "mask")) {
      if (operands.isEmpty() && a.named().containsKey(name)) {
        operands.add(a.named().get(name));
      }
    }
    return operands;
  }

  /** Calls another method with the arguments of this call. */
  static Value call(
      MethodTable<TensorValue> table, String name, TensorValue self, Bound a, Call c) {
    if (!(table.bind(self, name).orElseThrow() instanceof NativeFunction method)) {
      throw new IllegalStateException(name);
    }
    Bound bound = method.signature().bind(new Arguments(a.rest(), a.named()), c.span());
    return method.body().apply(bound, c);
  }

  /** Writes a result into a tensor of the same shape, when its type can take the values. */
  static TensorValue store(
      TensorValue target, TensorValue result, String name, Supplier<Change> change) {
    DType own = target.data().dtype();
    if (!Dtypes.canCast(result.data().dtype(), own)) {
      throw Errors.runtime(
          "result type "
              + Dtypes.scalarName(result.data().dtype())
              + " can't be cast to the desired output type "
              + Dtypes.scalarName(own));
    }
    if (!Arrays.equals(result.data().shape(), target.data().shape())) {
      throw Errors.runtime(
          name
              + ": output with shape "
              + Tensors.shown(target.data().shape())
              + " doesn't match the broadcast shape "
              + Tensors.shown(result.data().shape()));
    }
    var origin = result.origin();
    target.overwrite(origin, change);
    Tensors.fill(target.data(), result.data());
    return target;
  }
}
