package io.ringmaster.worker.script.module;

import io.ringmaster.worker.ir.Function;
import io.ringmaster.worker.ir.Program;
import io.ringmaster.worker.script.value.Arguments;
import io.ringmaster.worker.script.value.Call;
import io.ringmaster.worker.script.value.Interp;
import io.ringmaster.worker.script.value.KernelErrors;
import io.ringmaster.worker.script.value.NativeObject;
import io.ringmaster.worker.script.value.Value;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What {@code ir.compile(...)} returns for a program with several HOST orchestrators, or with
 * several Orchestration functions and none: one of them is chosen by name, {@code
 * compiled["scale"]} or {@code compiled.scale}, and called.
 *
 * @param what the functions that there are several of
 */
record SeveralPrograms(String name, String what, Map<String, CompiledValue> programs)
    implements NativeObject {

  SeveralPrograms {
    programs = java.util.Collections.unmodifiableMap(new LinkedHashMap<>(programs));
  }

  /** The program once for each function that can be called; empty when there is just one. */
  static Map<String, Program> choices(Program program) {
    Map<String, Program> choices = new LinkedHashMap<>();
    List<Function> hosts =
        program.functions().stream().filter(f -> f.level() == Function.Level.HOST).toList();
    for (Function host : hosts) {
      List<Function> functions = new ArrayList<>(program.functions());
      functions.removeIf(f -> f.level() == Function.Level.HOST && !f.equals(host));
      choices.put(
          chip(program, host).orElse(host).name(),
          new Program(program.name(), functions, program.domains()));
    }
    return choices.size() > 1 ? choices : Map.of();
  }

  /** What there are several of, of a program of which that is so. */
  static String what(Program program) {
    return program.functions().stream()
            .filter(f -> f.level() == Function.Level.HOST)
            .anyMatch(host -> chip(program, host).isEmpty())
        ? "several HOST orchestrators"
        : "several Orchestration functions and no HOST orchestrator";
  }

  /** The Orchestration function that a HOST function was made for; empty for a written one. */
  private static Optional<Function> chip(Program program, Function host) {
    return program.functions().stream()
        .filter(f -> f.level() == Function.Level.ORCHESTRATION)
        .filter(f -> host.name().equals(f.name() + "_host") && host.span().equals(f.span()))
        .findFirst();
  }

  @Override
  public String typeName() {
    return "CompiledProgram";
  }

  @Override
  public Optional<Value> attribute(String name) {
    return name.equals("output_dir")
        ? programs.values().iterator().next().attribute(name)
        : Optional.ofNullable(programs.get(name));
  }

  @Override
  public Collection<String> attributeNames() {
    return programs.keySet();
  }

  @Override
  public Value item(Value index, Interp interp) {
    CompiledValue chosen = programs.get(interp.str(index));
    if (chosen == null) {
      throw KernelErrors.value(
          "program '"
              + name
              + "' has no function "
              + interp.repr(index)
              + " to choose"
              + ": "
              + String.join(", ", programs.keySet()));
    }
    return chosen;
  }

  @Override
  public Value call(Arguments arguments, Call call) {
    String first = programs.keySet().iterator().next();
    throw KernelErrors.value(
        "program '"
            + name
            + "' has "
            + what
            + ": "
            + String.join(", ", programs.keySet())
            + "; select one explicitly, e.g. compiled[\""
            + first
            + "\"](...)");
  }

  @Override
  public String repr(Interp interp) {
    return "<CompiledProgram " + name + ": " + String.join(", ", programs.keySet()) + ">";
  }
}
