package io.ringmaster.worker.script.torch;

import io.ringmaster.worker.script.value.Arguments;
import io.ringmaster.worker.script.value.Bound;
import io.ringmaster.worker.script.value.Call;
import io.ringmaster.worker.script.value.Errors;
import io.ringmaster.worker.script.value.Interp;
import io.ringmaster.worker.script.value.ModuleValue;
import io.ringmaster.worker.script.value.NativeFunction;
import io.ringmaster.worker.script.value.NativeObject;
import io.ringmaster.worker.script.value.Value;
import io.ringmaster.worker.tensor.DType;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** What torch offers beside tensors: settings, type queries, devices that aren't there. */
final class Environment {

  static final ModuleValue CUDA = device("cuda");
  static final ModuleValue NPU = device("npu");

  /** What importing the vendor's plug-in gives. */
  static final ModuleValue TORCH_NPU = new ModuleValue("torch_npu", Map.of("npu", NPU));

  private static final Switches BACKENDS =
      new Switches(
          "torch.backends",
          Map.of(
              "cuda",
              new Switches(
                  "torch.backends.cuda",
                  Map.of("matmul", switches("torch.backends.cuda.matmul", "allow_tf32"))),
              "cudnn",
              switches(
                  "torch.backends.cudnn", "allow_tf32", "benchmark", "deterministic", "enabled")));

  private Environment() {}

  private static Switches switches(String module, String... names) {
    Map<String, Value> members = new LinkedHashMap<>();
    for (String name : names) {
      members.put(name, Value.FALSE);
    }
    return new Switches(module, members);
  }

  /** Settings of devices that aren't there: they can be set, and change nothing. */
  private record Switches(String name, Map<String, Value> members) implements NativeObject {

    @Override
    public String typeName() {
      return "module";
    }

    @Override
    public Optional<Value> attribute(String wanted) {
      return Optional.ofNullable(members.get(wanted));
    }

    @Override
    public Collection<String> attributeNames() {
      return members.keySet();
    }

    @Override
    public void setAttribute(String wanted, Value value) {
      if (!(members.get(wanted) instanceof Value.Bool)) {
        throw Errors.attribute("module '" + name + "' has no setting '" + wanted + "'");
      }
    }

    @Override
    public String repr(Interp interp) {
      return "<module '" + name + "'>";
    }
  }

  /** A setting that has one value here, as an opaque constant. */
  private record Constant(String name) implements NativeObject {
    @Override
    public String typeName() {
      return name.endsWith("_format") ? "memory_format" : "layout";
    }

    @Override
    public String repr(Interp interp) {
      return "torch." + name;
    }
  }

  /** {@code with torch.no_grad():} does nothing: there are no gradients. */
  private record NoGrad(String typeName) implements NativeObject {

    /** As a decorator it leaves the function as it is. */
    @Override
    public Value call(Arguments arguments, Call call) {
      return arguments.positional().isEmpty() ? Value.NONE : arguments.positional().getFirst();
    }

    @Override
    public Value enter(Call call) {
      return Value.NONE;
    }

    @Override
    public String repr(Interp interp) {
      return "<torch." + typeName + ">";
    }
  }

  static void define(Map<String, Value> members) {
    for (String name : List.of("strided", "contiguous_format", "preserve_format")) {
      members.put(name, new Constant(name));
    }
    members.put("inf", Value.of(Double.POSITIVE_INFINITY));
    members.put("nan", Value.of(Double.NaN));
    members.put("pi", Value.of(Math.PI));
    members.put("e", Value.of(Math.E));
    members.put("newaxis", Value.NONE);
    for (String name : List.of("no_grad", "inference_mode", "enable_grad", "set_grad_enabled")) {
      add(members, name, "mode=", (a, c) -> entered(name, a));
    }
    add(members, "finfo", "type=", (a, c) -> NumberLimits.ofFloat(a));
    add(members, "iinfo", "type", (a, c) -> NumberLimits.ofInteger(a));
    add(members, "promote_types", "type1, type2", Environment::promoteTypes);
    add(members, "result_type", "tensor1, tensor2", Environment::resultType);
    add(
        members,
        "can_cast",
        "from_, to",
        (a, c) -> Value.of(Dtypes.canCast(Dtypes.of(a.get("from_")), Dtypes.of(a.get("to")))));
    add(members, "get_default_dtype", "", (a, c) -> new DtypeValue(DType.FP32));
    add(members, "set_default_dtype", "d", Environment::setDefault);
    add(
        members,
        "set_printoptions",
        "precision=, threshold=, edgeitems=, linewidth=, profile=," + " sci_mode=",
        (a, c) -> Value.NONE);
    add(members, "set_num_threads", "int", (a, c) -> Value.NONE);
    add(members, "set_num_interop_threads", "int", (a, c) -> Value.NONE);
    add(members, "get_num_threads", "", (a, c) -> Value.of(1));
    add(members, "use_deterministic_algorithms", "mode, *, warn_only=", (a, c) -> Value.NONE);
    add(members, "set_float32_matmul_precision", "precision", (a, c) -> Value.NONE);
    members.put("backends", BACKENDS);
    add(members, "is_grad_enabled", "", (a, c) -> Value.FALSE);
    add(members, "device", "type, index=", Environment::cpu);
    add(
        members,
        "is_nonzero",
        "input",
        (a, c) -> Value.of(TensorMethods.tensor(a, "input").truth(c.interp())));
    members.put("cuda", CUDA);
    members.put("npu", NPU);
    members.put("linalg", LinearAlgebra.LINALG);
  }

  private static void add(
      Map<String, Value> members, String name, String parameters, NativeFunction.Body body) {
    members.put(name, NativeFunction.of(name, parameters, body));
  }

  /** {@code @torch.no_grad} without parentheses is given the function itself. */
  private static Value entered(String name, Bound a) {
    boolean bare = a.has("mode") && !(a.get("mode") instanceof Value.Bool);
    return bare ? a.get("mode") : new NoGrad(name);
  }

  private static Value promoteTypes(Bound a, Call c) {
    return new DtypeValue(Dtypes.promote(Dtypes.of(a.get("type1")), Dtypes.of(a.get("type2"))));
  }

  private static Value resultType(Bound a, Call c) {
    Operand left = Operand.require(a.get("tensor1"), "result_type");
    Operand right = Operand.require(a.get("tensor2"), "result_type");
    return new DtypeValue(
        left.rank() == 0 && right.rank() == 0
            ? Dtypes.promote(left.defaulted(), right.defaulted())
            : Dtypes.result(left, right));
  }

  private static Value setDefault(Bound a, Call c) {
    DType type = Dtypes.of(a.get("d"));
    if (type != DType.FP32) {
      throw Errors.refuse(
          "set_default_dtype(torch." + Dtypes.nameOf(type) + ") is not available",
          "the default stays float32; pass dtype= where a tensor is made",
          c.span());
    }
    return Value.NONE;
  }

  private static Value cpu(Bound a, Call c) {
    if (a.get("type") instanceof DeviceValue device) {
      return device;
    }
    String type = a.string("type");
    if (!type.equals("cpu") && !type.equals("cpu:0")) {
      throw Errors.refuse(
          "torch.device('" + type + "') is not available in scripts",
          "tensors of a script live on the CPU",
          c.span());
    }
    return new DeviceValue("cpu");
  }

  /** A kind of device that a script never has: it only can ask. */
  private static ModuleValue device(String name) {
    Map<String, Value> members = new LinkedHashMap<>();
    add(members, "is_available", "", (a, c) -> Value.FALSE);
    add(members, "device_count", "", (a, c) -> Value.of(0));
    add(members, "synchronize", "device=", (a, c) -> Value.NONE);
    add(members, "empty_cache", "", (a, c) -> Value.NONE);
    add(members, "manual_seed", "seed", (a, c) -> Value.NONE);
    add(members, "manual_seed_all", "seed", (a, c) -> Value.NONE);
    return new ModuleValue("torch." + name, members);
  }
}
