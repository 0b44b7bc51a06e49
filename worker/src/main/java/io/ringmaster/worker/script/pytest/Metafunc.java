package io.ringmaster.worker.script.pytest;

import io.ringmaster.worker.script.value.Arguments;
import io.ringmaster.worker.script.value.ClassValue;
import io.ringmaster.worker.script.value.FunctionValue;
import io.ringmaster.worker.script.value.Interp;
import io.ringmaster.worker.script.value.ListValue;
import io.ringmaster.worker.script.value.NativeFunction;
import io.ringmaster.worker.script.value.NativeObject;
import io.ringmaster.worker.script.value.Value;
import io.ringmaster.worker.source.Span;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/** What a module's {@code pytest_generate_tests(metafunc)} is given to parametrize a test with. */
final class Metafunc implements NativeObject {

  private static final String HOOK = "pytest_generate_tests";

  private final FunctionValue function;
  private final List<ClassValue> classes;
  private final Collection<String> fixtures;
  private final Value configuration;
  private final List<Mark> marks = new ArrayList<>();

  private Metafunc(
      FunctionValue function,
      List<ClassValue> classes,
      Collection<String> fixtures,
      Value configuration) {
    this.function = function;
    this.classes = classes;
    this.fixtures = fixtures;
    this.configuration = configuration;
  }

  /** The {@code parametrize} marks that the module's hook asks for. */
  static List<Mark> marks(
      FunctionValue function,
      List<ClassValue> classes,
      Collection<String> fixtures,
      Value configuration,
      Interp interp) {
    if (!(interp.moduleNames().get(HOOK) instanceof FunctionValue hook)) {
      return List.of();
    }
    Metafunc metafunc = new Metafunc(function, classes, fixtures, configuration);
    interp.call(hook, Arguments.of(metafunc), hook.definedAt());
    return metafunc.marks;
  }

  @Override
  public String typeName() {
    return "Metafunc";
  }

  @Override
  public Optional<Value> attribute(String name) {
    return switch (name) {
      case "fixturenames" ->
          Optional.of(ListValue.of(fixtures.stream().<Value>map(Value::of).toList()));
      case "function" -> Optional.of(function);
      case "cls" -> Optional.of(classes.isEmpty() ? Value.NONE : classes.getLast());
      case "config" -> Optional.of(configuration);
      case "parametrize" ->
          Optional.of(
              NativeFunction.of(
                  "parametrize",
                  "*values, **named",
                  (a, c) -> {
                    marks.add(mark(a.rest(), a.named(), c.span()));
                    return Value.NONE;
                  }));
      default -> Optional.empty();
    };
  }

  private static Mark mark(List<Value> positional, java.util.Map<String, Value> named, Span at) {
    return new Mark("parametrize", positional, named, at);
  }

  @Override
  public Collection<String> attributeNames() {
    return List.of("fixturenames", "function", "cls", "config", "parametrize");
  }

  @Override
  public String repr(Interp interp) {
    return "<Metafunc " + function.name() + ">";
  }
}
