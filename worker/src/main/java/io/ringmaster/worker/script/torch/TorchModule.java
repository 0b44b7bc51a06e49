package io.ringmaster.worker.script.torch;

import io.ringmaster.worker.script.builtin.TypeObject;
import io.ringmaster.worker.script.value.Errors;
import io.ringmaster.worker.script.value.Interp;
import io.ringmaster.worker.script.value.ModuleValue;
import io.ringmaster.worker.script.value.NativeFunction;
import io.ringmaster.worker.script.value.NativeObject;
import io.ringmaster.worker.script.value.TupleValue;
import io.ringmaster.worker.script.value.Types;
import io.ringmaster.worker.script.value.Value;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** {@code torch}: what drivers and goldens need of it. */
public final class TorchModule {

  /** Tensor methods that torch also has as functions of the same name. */
  private static final List<String> FUNCTIONS =
      List.of(
          "abs",
          "add",
          "all",
          "amax",
          "amin",
          "any",
          "argmax",
          "argmin",
          "bitwise_and",
          "bitwise_or",
          "bitwise_xor",
          "bmm",
          "ceil",
          "chunk",
          "clamp",
          "clone",
          "cos",
          "count_nonzero",
          "cumsum",
          "div",
          "dot",
          "eq",
          "exp",
          "flatten",
          "flip",
          "floor",
          "floor_divide",
          "fmod",
          "gather",
          "ge",
          "gt",
          "index_select",
          "isfinite",
          "isinf",
          "isnan",
          "le",
          "log",
          "log2",
          "logical_and",
          "logical_not",
          "logical_or",
          "logical_xor",
          "lt",
          "masked_fill",
          "matmul",
          "max",
          "maximum",
          "mean",
          "min",
          "minimum",
          "mm",
          "mul",
          "narrow",
          "ne",
          "neg",
          "nonzero",
          "norm",
          "numel",
          "permute",
          "pow",
          "prod",
          "reciprocal",
          "relu",
          "remainder",
          "reshape",
          "roll",
          "round",
          "rsqrt",
          "select",
          "sigmoid",
          "sign",
          "sin",
          "softmax",
          "sort",
          "split",
          "sqrt",
          "square",
          "squeeze",
          "std",
          "sub",
          "sum",
          "t",
          "tanh",
          "transpose",
          "true_divide",
          "trunc",
          "unsqueeze",
          "var",
          "is_floating_point");

  public static final ModuleValue TESTING =
      new ModuleValue("torch.testing", Map.of("assert_close", TorchChecks.assertClose()));

  public static final ModuleValue TORCH = new ModuleValue("torch", members());

  private TorchModule() {}

  /** {@code with torch.no_grad():} does nothing: there are no gradients. */
  private record NoGrad() implements NativeObject {
    @Override
    public String typeName() {
      return "no_grad";
    }

    /** As a decorator it leaves the function as it is. */
    @Override
    public Value call(
        io.ringmaster.worker.script.value.Arguments arguments,
        io.ringmaster.worker.script.value.Call call) {
      return arguments.positional().isEmpty() ? Value.NONE : arguments.positional().getFirst();
    }

    @Override
    public Value enter(io.ringmaster.worker.script.value.Call call) {
      return Value.NONE;
    }

    @Override
    public String repr(Interp interp) {
      return "<torch.no_grad>";
    }
  }

  private static Map<String, Value> members() {
    Map<String, Value> members = new LinkedHashMap<>();
    Dtypes.NAMES.forEach((name, type) -> members.put(name, new DtypeValue(type)));
    for (String name : FUNCTIONS) {
      TensorMethods.TABLE
          .unbound(name, value -> tensor(name, value))
          .ifPresent(function -> members.put(name, function));
    }
    Creation.define(members);
    TorchRandom.define(members);
    TorchChecks.define(members);
    members.put("Tensor", TypeObject.inert("torch.Tensor", TensorValue.class::isInstance));
    members.put("dtype", TypeObject.inert("torch.dtype", DtypeValue.class::isInstance));
    members.put(
        "Size",
        TypeObject.inert(
            "torch.Size",
            value -> value instanceof TupleValue tuple && tuple.typeName().equals("torch.Size")));
    members.put(
        "is_tensor",
        NativeFunction.of(
            "is_tensor", "obj", (a, c) -> Value.of(a.get("obj") instanceof TensorValue)));
    members.put(
        "device",
        NativeFunction.of(
            "device",
            "type",
            (a, c) -> {
              if (!a.string("type").equals("cpu")) {
                throw Errors.refuse(
                    "torch.device('" + a.string("type") + "') is not available in scripts",
                    "tensors of a script live on the CPU",
                    c.span());
              }
              return new DeviceValue("cpu");
            }));
    members.put("finfo", NativeFunction.of("finfo", "type=", (a, c) -> NumberLimits.ofFloat(a)));
    members.put("iinfo", NativeFunction.of("iinfo", "type", (a, c) -> NumberLimits.ofInteger(a)));
    members.put("no_grad", NativeFunction.of("no_grad", "", (a, c) -> new NoGrad()));
    members.put("inf", Value.of(Double.POSITIVE_INFINITY));
    members.put("nan", Value.of(Double.NaN));
    members.put("pi", Value.of(Math.PI));
    members.put("testing", TESTING);
    return members;
  }

  private static TensorValue tensor(String function, Value value) {
    if (value instanceof TensorValue tensor) {
      return tensor;
    }
    throw Errors.type(
        function + "(): argument 'input' (position 1) must be Tensor, not " + Types.nameOf(value));
  }
}
