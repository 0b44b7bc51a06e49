package io.ringmaster.worker.script.module;

import io.ringmaster.worker.script.value.Budget;
import io.ringmaster.worker.script.value.ModuleValue;
import io.ringmaster.worker.script.value.NativeFunction;
import io.ringmaster.worker.script.value.Value;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * {@code time}: a clock that counts evaluator steps, a microsecond each, so that a script does the
 * same at every run; {@code sleep} passes at once. How long kernels take is in the job's report.
 */
final class TimeModule {

  private static final double SECONDS_PER_STEP = 1e-6;

  private static final Map<String, Value> MEMBERS = new LinkedHashMap<>();

  static {
    for (String name : new String[] {"time", "perf_counter", "monotonic", "process_time"}) {
      define(name, "", seconds());
    }
    for (String name : new String[] {"time_ns", "perf_counter_ns", "monotonic_ns"}) {
      define(name, "", (a, c) -> Value.of(c.interp().session().budget().steps() * 1000));
    }
    define("sleep", "seconds", (a, c) -> Value.NONE);
  }

  static final ModuleValue MODULE = new ModuleValue("time", MEMBERS);

  private TimeModule() {}

  private static void define(String name, String parameters, NativeFunction.Body body) {
    MEMBERS.put(name, NativeFunction.of(name, parameters, body));
  }

  private static NativeFunction.Body seconds() {
    return (a, c) -> {
      Budget budget = c.interp().session().budget();
      return Value.of(budget.steps() * SECONDS_PER_STEP);
    };
  }
}
