package io.ringmaster.worker.script.torch;

import io.ringmaster.worker.script.value.ModuleValue;
import io.ringmaster.worker.script.value.NativeFunction;
import io.ringmaster.worker.script.value.Value;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** {@code torch}: what drivers and goldens need of it. */
public final class TorchModule {

  /** Tensor methods that torch also has as functions of the same name. */
  private static final List<String> BASIC =
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
          "ceil",
          "chunk",
          "clamp",
          "clone",
          "cos",
          "div",
          "eq",
          "exp",
          "flatten",
          "flip",
          "floor",
          "floor_divide",
          "fmod",
          "gcd",
          "ge",
          "gt",
          "isfinite",
          "isinf",
          "isnan",
          "lcm",
          "le",
          "log",
          "log2",
          "logical_and",
          "logical_not",
          "logical_or",
          "logical_xor",
          "lt",
          "max",
          "maximum",
          "mean",
          "min",
          "multinomial",
          "minimum",
          "mul",
          "narrow",
          "ne",
          "neg",
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
          "split",
          "sqrt",
          "square",
          "squeeze",
          "sub",
          "sum",
          "t",
          "tanh",
          "transpose",
          "true_divide",
          "trunc",
          "unsqueeze",
          "is_floating_point");

  private static final List<String> FUNCTIONS =
      Stream.of(
              BASIC,
              ElementFunctions.FUNCTIONS,
              Scans.FUNCTIONS,
              Softmax.FUNCTIONS,
              Ordering.FUNCTIONS,
              Scattering.FUNCTIONS,
              SelectionMethods.FUNCTIONS,
              Sets.FUNCTIONS,
              LayoutMethods.FUNCTIONS,
              LinearAlgebra.FUNCTIONS)
          .flatMap(List::stream)
          .toList();

  public static final ModuleValue TESTING =
      new ModuleValue("torch.testing", Map.of("assert_close", TorchChecks.assertClose()));

  private static final ModuleValue NN =
      new ModuleValue("torch.nn", Map.of("functional", Functional.MODULE), Unavailable.OF_NN);

  public static final ModuleValue TORCH = new ModuleValue("torch", members(), Unavailable.OF_TORCH);

  /** The modules inside of torch that can be imported by their own names. */
  public static final List<ModuleValue> INNER =
      List.of(
          TESTING,
          NN,
          Functional.MODULE,
          LinearAlgebra.LINALG,
          TorchRandom.MODULE,
          Environment.CUDA,
          Environment.NPU,
          Environment.TORCH_NPU);

  private TorchModule() {}

  private static Map<String, Value> members() {
    Map<String, Value> members = new LinkedHashMap<>();
    Dtypes.NAMES.forEach((name, type) -> members.put(name, new DtypeValue(type)));
    FUNCTIONS.forEach(name -> members.put(name, Functions.ofMethod(name)));
    Creation.define(members);
    TorchRandom.define(members);
    TorchChecks.define(members);
    Grids.define(members);
    Environment.define(members);
    TensorTypes.define(members);
    members.put(
        "is_tensor",
        NativeFunction.of(
            "is_tensor", "obj", (a, c) -> Value.of(a.get("obj") instanceof TensorValue)));
    for (String name : List.of("layer_norm", "rms_norm", "cosine_similarity")) {
      members.put(name, Functional.MODULE.members().get(name));
    }
    members.put(
        "embedding",
        NativeFunction.of(
            "embedding",
            "weight, indices, padding_idx=",
            (a, c) ->
                Functional.embedding(
                    TensorMethods.tensor(a, "indices"), TensorMethods.tensor(a, "weight"), c)));
    members.put("testing", TESTING);
    members.put("nn", NN);
    members.put("__version__", Value.of("2.7.0+scripts"));
    return members;
  }
}
