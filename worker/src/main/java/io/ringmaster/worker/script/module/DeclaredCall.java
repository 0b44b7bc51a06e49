package io.ringmaster.worker.script.module;

import io.ringmaster.worker.ir.Function;
import io.ringmaster.worker.script.value.Bound;
import io.ringmaster.worker.script.value.Call;
import io.ringmaster.worker.script.value.Errors;
import io.ringmaster.worker.script.value.ListValue;
import io.ringmaster.worker.script.value.Types;
import io.ringmaster.worker.script.value.Value;
import io.ringmaster.worker.source.Expr;
import io.ringmaster.worker.source.Span;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The steps of a declared job that can go wrong through what was declared, and say so in the words
 * of a declaration.
 */
final class DeclaredCall {

  private DeclaredCall() {}

  /** The devices of the run, as they stand behind {@code -d}. */
  static Value devices(Bound a, Call call) {
    List<String> argv = call.interp().session().argv();
    String ids = argv.get(argv.indexOf("-d") + 1);
    return ListValue.of(
        Arrays.stream(ids.split(",", -1)).<Value>map(id -> Value.of(Long.parseLong(id))).toList());
  }

  /** What {@code entry} gives, if it is a program. */
  static Value program(Bound a, Call call) {
    Value value = a.get("value");
    if (value instanceof ProgramValue) {
      return value;
    }
    String type = Types.nameOf(value);
    String is =
        switch (type) {
          case "function" -> "a function";
          case "type" -> "a class without @pl.program";
          default ->
              value instanceof KernelValue kernel
                  ? "the JIT function " + kernel.name()
                  : "of type " + type;
        };
    throw Errors.refuse(
        "entry is " + is + ", and a declared job runs a @pl.program class",
        type.equals("function")
            ? "call it when it is the factory of one: build(nr)"
            : "name a class of the program that is decorated with @pl.program, or call its factory",
        call.place(0, "value"));
  }

  /**
   * Refuses tensors that aren't those the program's HOST function takes.
   *
   * <p>{@code inputs} counts those of {@code tensors} that are inputs; they come first.
   */
  static Value fits(Bound a, Call call) {
    CompiledValue compiled = compiled(a, call);
    int inputs = Math.toIntExact(a.integer("inputs"));
    List<Span> places = call.places(a.rest().size());
    List<Function.Param> params = compiled.parameters();
    if (!compiled.open().isEmpty()) {
      throw Errors.refuse(
          "sub-workers "
              + compiled.open()
              + " have `...` for a body, and a declared job has no callbacks for them",
          "write their bodies in the program",
          call.place(0, "compiled"));
    }
    List<String> declared = names(call, a.rest().size());
    if (params.size() != a.rest().size()) {
      throw Errors.refuse(
          "the program takes %s, and declared are %s"
              .formatted(
                  counted("tensor", params.stream().map(Function.Param::name).toList()),
                  counted("input", declared.subList(0, inputs))
                      + " and "
                      + counted("output", declared.subList(inputs, declared.size()))),
          "declare one for each parameter, in their order: inputs go first, then outputs",
          call.span());
    }
    inOrder(params.stream().map(Function.Param::name).toList(), declared, places);
    compiled.checkFit(CompiledValue.tensors(a.rest(), places), places);
    for (int i = inputs; i < params.size(); i++) {
      if (!params.get(i).direction().isWritten()) {
        throw Errors.refuse(
            "it is given for parameter '"
                + params.get(i).name()
                + "', which the program only reads, so nothing would come out in it",
            "tensors go to the parameters in order, inputs first: "
                + params.stream().map(Function.Param::name).collect(Collectors.joining(", ")),
            places.get(i));
      }
    }
    return Value.NONE;
  }

  /** Refuses tensors that are called like the parameters and stand in another order. */
  private static void inOrder(List<String> params, List<String> declared, List<Span> places) {
    if (params.equals(declared) || !Set.copyOf(params).equals(Set.copyOf(declared))) {
      return;
    }
    for (int i = 0; i < params.size(); i++) {
      if (!params.get(i).equals(declared.get(i))) {
        throw Errors.refuse(
            "'"
                + declared.get(i)
                + "' would go to parameter '"
                + params.get(i)
                + "': tensors go to the parameters in their order, whatever they are called",
            "declare them in the order "
                + String.join(", ", params)
                + "; inputs go first, and what the program writes may be one of them",
            places.get(i));
      }
    }
  }

  /** Refuses a golden of a tensor, by its place in the call, that the program only reads. */
  static Value changes(Bound a, Call call) {
    Function.Param param = compiled(a, call).parameters().get(Math.toIntExact(a.integer("place")));
    if (!param.direction().isWritten()) {
      throw Errors.refuse(
          "the program only reads parameter '"
              + param.name()
              + "', so a golden for it verifies nothing",
          "give goldens for what the program writes",
          call.span());
    }
    return Value.NONE;
  }

  private static CompiledValue compiled(Bound a, Call call) {
    if (a.get("compiled") instanceof CompiledValue compiled) {
      return compiled;
    }
    String functions =
        a.get("compiled") instanceof SeveralPrograms several
            ? ": " + String.join(", ", several.programs().keySet())
            : "";
    throw Errors.refuse(
        "the program has several Orchestration functions and no HOST orchestrator" + functions,
        "give it a HOST function that calls the one to run",
        call.place(0, "compiled"));
  }

  /** {@code 2 tensors (x, y)}, {@code no inputs}. */
  private static String counted(String what, List<String> names) {
    return switch (names.size()) {
      case 0 -> "no " + what + "s";
      case 1 -> "1 " + what + " (" + names.getFirst() + ")";
      default -> names.size() + " " + what + "s (" + String.join(", ", names) + ")";
    };
  }

  /** What the last {@code count} arguments are called where they are written. */
  private static List<String> names(Call call, int count) {
    List<String> names =
        call.site().stream()
            .flatMap(site -> site.arguments().stream())
            .map(written -> written instanceof Expr.Name name ? name.id() : "?")
            .toList();
    return names.subList(Math.max(0, names.size() - count), names.size());
  }
}
