package io.ringmaster.worker.script.pytest;

import io.ringmaster.worker.script.value.Interp;
import io.ringmaster.worker.script.value.ListValue;
import io.ringmaster.worker.script.value.NativeObject;
import io.ringmaster.worker.script.value.Value;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/** The fixture {@code test_config}: where the job runs, and what a conftest for kernels offers. */
final class TestConfig implements NativeObject {

  private final Map<String, Value> settings = new LinkedHashMap<>();

  TestConfig(RunSettings run, PytestOptions options) {
    settings.put("platform", Value.of(run.platform()));
    settings.put("device_ids", deviceIds(run));
    settings.put("device_id", Value.of(run.deviceIds().getFirst()));
    settings.put("world_size", Value.of(run.deviceIds().size()));
    settings.put("save_kernels", flag(options, "--save-kernels"));
    settings.put("save_kernels_dir", text(options, "--save-kernels-dir"));
    settings.put("dump_passes", flag(options, "--dump-passes"));
    settings.put("codegen_only", flag(options, "--codegen-only"));
    settings.put("compile_only", flag(options, "--compile-only"));
    settings.put("strategy", text(options, "--strategy"));
    settings.put("rtol", number(options, "--rtol", 1e-5));
    settings.put("atol", number(options, "--atol", 1e-5));
    settings.put("backend_type", Value.NONE);
    settings.put("distributed_config", Value.NONE);
    settings.put("num_sub_workers", Value.of(0));
    settings.put("aicpu_thread_num", Value.of(0));
    settings.put("block_dim", Value.NONE);
    settings.put("runtime", Value.of("tensormap_and_ringbuffer"));
    settings.put("pto_isa_commit", Value.NONE);
    settings.put("output_dir", Value.NONE);
    settings.put("log_level", Value.NONE);
    settings.put("golden_data_dir", Value.NONE);
    for (String off :
        new String[] {
          "skip_ptoas",
          "runtime_profiling",
          "compile_profiling",
          "enable_profiling",
          "enable_l2_swimlane",
          "enable_dump_tensor",
          "enable_pmu",
          "enable_dep_gen",
          "verbose"
        }) {
      settings.put(off, Value.FALSE);
    }
  }

  static ListValue deviceIds(RunSettings run) {
    return ListValue.of(run.deviceIds().stream().<Value>map(Value::of).toList());
  }

  private static Value flag(PytestOptions options, String name) {
    return Value.of(options.settings().containsKey(name));
  }

  private static Value text(PytestOptions options, String name) {
    String given = options.settings().get(name);
    return given == null ? Value.NONE : Value.of(given);
  }

  private static Value number(PytestOptions options, String name, double otherwise) {
    String given = options.settings().get(name);
    try {
      return Value.of(given == null ? otherwise : Double.parseDouble(given));
    } catch (NumberFormatException e) {
      throw io.ringmaster.worker.script.value.Errors.refuse(
          "pytest: " + name + ": invalid float value: '" + given + "'",
          "",
          io.ringmaster.worker.source.Span.NONE);
    }
  }

  @Override
  public String typeName() {
    return "RunConfig";
  }

  @Override
  public Optional<Value> attribute(String name) {
    return Optional.ofNullable(settings.get(name));
  }

  @Override
  public Collection<String> attributeNames() {
    return settings.keySet();
  }

  @Override
  public void setAttribute(String name, Value value) {
    if (!settings.containsKey(name)) {
      NativeObject.super.setAttribute(name, value);
    }
    settings.put(name, value);
  }

  @Override
  public String repr(Interp interp) {
    return settings.entrySet().stream()
        .map(entry -> entry.getKey() + "=" + interp.repr(entry.getValue()))
        .collect(Collectors.joining(", ", "RunConfig(", ")"));
  }
}
