package io.ringmaster.worker.script.module;

import io.ringmaster.worker.script.value.Budget;
import io.ringmaster.worker.script.value.Errors;
import io.ringmaster.worker.script.value.ModuleValue;
import io.ringmaster.worker.script.value.NativeFunction;
import io.ringmaster.worker.script.value.Value;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.LinkedHashMap;
import java.util.Locale;
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
    define(
        "strftime",
        "format",
        (a, c) -> {
          long seconds = (long) (c.interp().session().budget().steps() * SECONDS_PER_STEP);
          return Value.of(formatted(a.string("format"), Instant.ofEpochSecond(seconds)));
        });
  }

  static final ModuleValue MODULE = new ModuleValue("time", MEMBERS);

  private TimeModule() {}

  private static void define(String name, String parameters, NativeFunction.Body body) {
    MEMBERS.put(name, NativeFunction.of(name, parameters, body));
  }

  private static String formatted(String format, Instant instant) {
    StringBuilder text = new StringBuilder();
    int at = 0;
    while (at < format.length()) {
      char letter = format.charAt(at++);
      if (letter != '%' || at == format.length()) {
        text.append(letter);
        continue;
      }
      String pattern =
          switch (format.charAt(at++)) {
            case 'Y' -> "uuuu";
            case 'y' -> "uu";
            case 'm' -> "MM";
            case 'd' -> "dd";
            case 'H' -> "HH";
            case 'M' -> "mm";
            case 'S' -> "ss";
            case 'f' -> "SSSSSS";
            case 'j' -> "DDD";
            case 'b' -> "MMM";
            case 'B' -> "MMMM";
            case 'a' -> "EEE";
            case 'A' -> "EEEE";
            case 'F' -> "uuuu-MM-dd";
            case 'T' -> "HH:mm:ss";
            case '%' -> "'%'";
            default -> throw Errors.value("Invalid format string: '" + format + "'");
          };
      text.append(
          DateTimeFormatter.ofPattern(pattern, Locale.ROOT)
              .withZone(ZoneOffset.UTC)
              .format(instant));
    }
    return text.toString();
  }

  private static NativeFunction.Body seconds() {
    return (a, c) -> {
      Budget budget = c.interp().session().budget();
      return Value.of(budget.steps() * SECONDS_PER_STEP);
    };
  }
}
