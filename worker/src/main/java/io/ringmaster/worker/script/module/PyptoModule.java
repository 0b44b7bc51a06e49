package io.ringmaster.worker.script.module;

import io.ringmaster.worker.ir.Program;
import io.ringmaster.worker.script.KernelRuntime;
import io.ringmaster.worker.script.builtin.Iteration;
import io.ringmaster.worker.script.builtin.TypeObject;
import io.ringmaster.worker.script.check.ProgramText;
import io.ringmaster.worker.script.value.Arguments;
import io.ringmaster.worker.script.value.Bound;
import io.ringmaster.worker.script.value.Call;
import io.ringmaster.worker.script.value.Convert;
import io.ringmaster.worker.script.value.Errors;
import io.ringmaster.worker.script.value.KernelErrors;
import io.ringmaster.worker.script.value.Keys;
import io.ringmaster.worker.script.value.ListValue;
import io.ringmaster.worker.script.value.ModuleValue;
import io.ringmaster.worker.script.value.NativeFunction;
import io.ringmaster.worker.script.value.Types;
import io.ringmaster.worker.script.value.Value;
import io.ringmaster.worker.source.Span;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** {@code pypto}: compiling and running programs; the kernel language itself is only passed on. */
final class PyptoModule {

  static final String DEFAULT_PLATFORM = "a2a3sim";
  private static final List<String> PLATFORMS =
      List.of("a2a3sim", "a2a3", "a5sim", "a5", "sim", "opencl");

  private static final String DEFAULT_RUNTIME = "tensormap_and_ringbuffer";

  static final PathValue LANGUAGE = new PathValue("pypto.language");

  private static final NativeFunction COMPILE =
      NativeFunction.of(
          "compile",
          "program, output_dir=, strategy=, dump_passes=, backend_type=, skip_ptoas=, platform=,"
              + " distributed_config=",
          PyptoModule::compile);

  private static final TypeObject DISTRIBUTED_CONFIG =
      TypeObject.of(
          "DistributedConfig",
          "device_ids=, num_sub_workers=, runtime=, aicpu_thread_num=",
          PyptoModule::config,
          value -> isConfig(value, "DistributedConfig"));

  /** What {@code isinstance} and annotations name the result of a compilation by. */
  private static final TypeObject COMPILED =
      TypeObject.inert("DistributedCompiledProgram", CompiledValue.class::isInstance);

  private static final PathValue STRATEGY = new PathValue("pypto.ir.OptimizationStrategy");

  static final ModuleValue IR =
      new ModuleValue(
          "pypto.ir",
          Map.of(
              "compile", COMPILE,
              "DistributedConfig", DISTRIBUTED_CONFIG,
              "DistributedCompiledProgram", COMPILED,
              "OptimizationStrategy", STRATEGY));

  /** Where the strategy lives upstream. */
  static final ModuleValue PASS_MANAGER =
      new ModuleValue("pypto.ir.pass_manager", Map.of("OptimizationStrategy", STRATEGY));

  /** The type of {@code pl.FP32} and its kin, which are its attributes as well. */
  private static final TypeObject DATA_TYPE =
      TypeObject.inert(
              "DataType", value -> value instanceof PathValue path && path.dtype().isPresent())
          .with(
              name ->
                  LANGUAGE
                      .attribute(name)
                      .filter(one -> one instanceof PathValue path && path.dtype().isPresent()));

  static final ModuleValue COMPILED_PROGRAM =
      new ModuleValue(
          "pypto.ir.distributed_compiled_program",
          Map.of("DistributedConfig", DISTRIBUTED_CONFIG, "DistributedCompiledProgram", COMPILED));

  static final ModuleValue RUNTIME =
      new ModuleValue(
          "pypto.runtime",
          Map.of(
              "DistributedWorker",
              TypeObject.of(
                  "DistributedWorker", "*programs", WorkerValue::of, WorkerValue.class::isInstance),
              "RunConfig",
              TypeObject.of(
                  "RunConfig",
                  "*, platform=, distributed_config=, strategy=, dump_passes=, backend_type=,"
                      + " device_id=, rtol=, atol=, save_kernels=, save_kernels_dir=,"
                      + " codegen_only=, runtime_profiling=, compile_profiling=,"
                      + " enable_l2_swimlane=, enable_dump_tensor=, enable_pmu=, enable_dep_gen=,"
                      + " block_dim=, aicpu_thread_num=, pto_isa_commit=, output_dir=",
                  (a, c) -> {
                    requirePlatform(a, c.place("platform"));
                    return new ConfigValue("RunConfig", a.values());
                  },
                  value -> isConfig(value, "RunConfig"))));

  static final ModuleValue BACKEND =
      new ModuleValue(
          "pypto.backend", Map.of("BackendType", new PathValue("pypto.backend.BackendType")));

  static final ModuleValue PYPTO =
      new ModuleValue(
          "pypto",
          withErrors(
              Map.of(
                  "ir", IR,
                  "runtime", RUNTIME,
                  "backend", BACKEND,
                  "language", LANGUAGE,
                  "DataType", DATA_TYPE)));

  private PyptoModule() {}

  private static Map<String, Value> withErrors(Map<String, Value> members) {
    Map<String, Value> all = new HashMap<>(members);
    all.putAll(KernelErrors.ofPackage());
    return all;
  }

  private static boolean isConfig(Value value, String type) {
    return value instanceof ConfigValue config && config.typeName().equals(type);
  }

  private static Value compile(Bound a, Call call) {
    if (a.get("program") instanceof KernelValue kernel) {
      throw KernelErrors.type(
              "compile() argument 'program' must be a @pl.program class; a JIT function is compiled"
                  + " by "
                  + kernel.name()
                  + ".compile(...)")
          .from(call.place(0, "program"));
    }
    if (!(a.get("program") instanceof ProgramValue program)) {
      throw KernelErrors.type(
              "compile() argument 'program' must be a @pl.program class, not "
                  + Types.nameOf(a.get("program")))
          .from(call.place(0, "program"));
    }
    List<Integer> devices = List.of(0);
    if (a.has("distributed_config")) {
      if (!(a.get("distributed_config") instanceof ConfigValue config)
          || !isConfig(config, "DistributedConfig")) {
        throw KernelErrors.type(
                "compile() argument 'distributed_config' must be a DistributedConfig, not "
                    + Types.nameOf(a.get("distributed_config")))
            .from(call.place(7, "distributed_config"));
      }
      devices = config.deviceIds();
    }
    requirePlatform(a, call.place(6, "platform"));
    String platform = a.string("platform", DEFAULT_PLATFORM);
    Program ir = program.program();
    String folder =
        a.has("output_dir") ? call.interp().str(a.get("output_dir")) : "build_output/" + ir.name();
    KernelRuntime runtime = call.interp().session().runtime();
    Map<String, CompiledValue> choices = new LinkedHashMap<>();
    for (Map.Entry<String, Program> choice : SeveralPrograms.choices(ir).entrySet()) {
      choices.put(
          choice.getKey(),
          new CompiledValue(
              runtime.compile(choice.getValue(), platform, devices, call.span()),
              new ProgramText(choice.getValue()),
              folder,
              program.subWorkers()));
    }
    if (!choices.isEmpty()) {
      return new SeveralPrograms(ir.name(), SeveralPrograms.what(ir), choices);
    }
    return new CompiledValue(
        runtime.compile(ir, platform, devices, call.span()),
        new ProgramText(ir),
        folder,
        program.subWorkers());
  }

  /** The job's platform holds whatever a script names, but it has to name one that exists. */
  private static void requirePlatform(Bound a, Span place) {
    if (a.has("platform") && !PLATFORMS.contains(a.string("platform"))) {
      throw KernelErrors.value(
              "Invalid platform '"
                  + a.string("platform")
                  + "'. Expected 'a2a3sim', 'a2a3', 'a5sim', or 'a5'.")
          .from(place);
    }
  }

  /** The same configuration with other settings: {@code dataclasses.replace}. */
  static Value replaced(ConfigValue config, Map<String, Value> changes, Call call) {
    Value type =
        Optional.ofNullable(IR.members().get(config.typeName()))
            .or(() -> Optional.ofNullable(RUNTIME.members().get(config.typeName())))
            .orElseThrow(() -> Errors.type("replace() should be called on dataclass instances"));
    Map<String, Value> named = new LinkedHashMap<>(config.settings());
    // It follows from the device ids.
    named.remove("world_size");
    named.putAll(changes);
    return call.interp().call(type, new Arguments(List.of(), named), call.span());
  }

  private static Value config(Bound a, Call call) {
    List<Value> ids =
        a.has("device_ids")
            ? Iteration.toList(a.get("device_ids"), call.interp())
            : List.of(Value.of(0));
    Span place = call.place(0, "device_ids");
    if (ids.isEmpty()) {
      throw KernelErrors.value("device_ids must not be empty").from(place);
    }
    String shown = ids.size() <= 16 ? call.interp().repr(ListValue.of(ids)) : ids.size() + " ids";
    List<Value> clean = new ArrayList<>();
    for (Value id : ids) {
      boolean valid =
          id instanceof Value.Int number
              && number.value().signum() >= 0
              && number.value().compareTo(BigInteger.valueOf(Integer.MAX_VALUE)) <= 0;
      if (!valid) {
        throw KernelErrors.value("device_ids must be non-negative device indices, got " + shown)
            .from(place);
      }
      clean.add(id);
    }
    if (clean.stream().map(Keys::of).distinct().count() != clean.size()) {
      throw KernelErrors.value("device_ids must be distinct, got " + shown).from(place);
    }
    if (a.integer("num_sub_workers", 0) < 0) {
      throw KernelErrors.value("num_sub_workers must be non-negative")
          .from(call.place(1, "num_sub_workers"));
    }
    long threads = a.integer("aicpu_thread_num", 0);
    if (threads != 0 && threads < 2) {
      throw KernelErrors.value("aicpu_thread_num must be 0 (architecture default) or at least 2")
          .from(call.place(3, "aicpu_thread_num"));
    }
    return new ConfigValue(
        "DistributedConfig",
        Map.of(
            "device_ids", ListValue.of(clean),
            "num_sub_workers", Value.of(a.integer("num_sub_workers", 0)),
            "runtime", Value.of(a.string("runtime", DEFAULT_RUNTIME)),
            "aicpu_thread_num", Value.of(threads),
            "world_size", Value.of(clean.size())));
  }

  /** The device ids of a configuration. */
  static List<Integer> toInts(List<Value> ids) {
    return ids.stream().map(id -> (int) Convert.integer(id, "device id")).toList();
  }
}
