package io.ringmaster.worker.script.pytest;

import io.ringmaster.worker.script.builtin.Attributes;
import io.ringmaster.worker.script.value.Arguments;
import io.ringmaster.worker.script.value.ClassValue;
import io.ringmaster.worker.script.value.Errors;
import io.ringmaster.worker.script.value.FunctionValue;
import io.ringmaster.worker.script.value.Interp;
import io.ringmaster.worker.script.value.IteratorValue;
import io.ringmaster.worker.script.value.ListValue;
import io.ringmaster.worker.script.value.Nearest;
import io.ringmaster.worker.script.value.PyError;
import io.ringmaster.worker.script.value.Value;
import io.ringmaster.worker.source.Span;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Sets fixtures up when they are asked for, and tears them down when what they live for ends. */
final class FixtureStack {

  private final FixtureTable table;
  private final ProvidedFixtures provided;
  private final Interp interp;

  /** What is set up now, oldest first. */
  private final List<Active> active = new ArrayList<>();

  /** What is being set up, each because the one before it asks for it. */
  private final List<FixtureTable.Definition> begun = new ArrayList<>();

  private Optional<TestItem> current = Optional.empty();
  private Value instance = Value.NONE;

  FixtureStack(FixtureTable table, ProvidedFixtures provided, Interp interp) {
    this.table = table;
    this.provided = provided;
    this.interp = interp;
  }

  /** Something that is set up, and what undoes it. */
  private static final class Active {
    private final Object what;
    private final FixtureValue.Scope scope;
    private final int parameter;
    private final List<Runnable> finalizers = new ArrayList<>();
    private Value value = Value.NONE;
    private Optional<PyError> failure = Optional.empty();

    Active(Object what, FixtureValue.Scope scope, int parameter) {
      this.what = what;
      this.scope = scope;
      this.parameter = parameter;
    }

    @SuppressWarnings("ReferenceEquality") // Two fixtures of equal content are two fixtures.
    boolean isOf(Object other) {
      return what == other;
    }
  }

  /** What asks for a fixture: the case itself, or a fixture that is being set up. */
  record Asking(
      TestItem item,
      Optional<FixtureTable.Definition> definition,
      FixtureValue.Scope scope,
      Optional<Value> parameter) {}

  /** Prepares a case: its class's instance, the setup functions, the fixtures it uses by mark. */
  Value enter(TestItem item) {
    current = Optional.of(item);
    Span at = item.function().definedAt();
    // One frame for the case, so that finalizers without a fixture have a place.
    moduleSetup(at);
    instance = Value.NONE;
    if (item.owner().isPresent()) {
      classSetup(item.owner().get(), at);
      instance = interp.call(item.owner().get(), Arguments.of(), at);
    }
    active.add(new Active(item, FixtureValue.Scope.FUNCTION, 0));
    Asking asking = asking(item);
    boolean isSetUp = false;
    for (String name : needed(item)) {
      Optional<FixtureTable.Definition> found =
          table.find(name, item.classes()).stream().findFirst();
      if (found.isPresent() && !item.direct().containsKey(name)) {
        if (!isSetUp && found.get().fixture().scope() == FixtureValue.Scope.FUNCTION) {
          // The setup functions stand between what lives longer and the case's own fixtures.
          functionSetup(item, at);
          isSetUp = true;
        }
        value(name, asking, at);
      }
    }
    if (!isSetUp) {
      functionSetup(item, at);
    }
    return instance;
  }

  /** The names of the fixtures that a case needs, the longest-living first. */
  private List<String> needed(TestItem item) {
    List<String> asked = Collector.usedFixtures(item.marks());
    asked.addAll(FixtureTable.argumentsOf(item.function(), item.needsInstance()));
    return table.closure(asked, item.classes(), item.direct().keySet());
  }

  /** {@code request.fixturenames}. */
  Value names(TestItem item) {
    return ListValue.of(needed(item).stream().map(Value::of).toList());
  }

  static Asking asking(TestItem item) {
    return new Asking(item, Optional.empty(), FixtureValue.Scope.FUNCTION, Optional.empty());
  }

  private void moduleSetup(Span at) {
    if (isActive(FixtureStack.class)) {
      return;
    }
    Active frame = new Active(FixtureStack.class, FixtureValue.Scope.MODULE, 0);
    active.add(frame);
    hook(ofModule("setup_module", "setUpModule"), Value.NONE, at);
    Value teardown = ofModule("teardown_module", "tearDownModule");
    frame.finalizers.add(() -> hook(teardown, Value.NONE, at));
  }

  private @Nullable Value ofModule(String name, String ofUnittest) {
    Value own = interp.moduleNames().get(name);
    return own == null ? interp.moduleNames().get(ofUnittest) : own;
  }

  private void classSetup(ClassValue type, Span at) {
    if (isActive(type)) {
      return;
    }
    Active frame = new Active(type, FixtureValue.Scope.CLASS, 0);
    active.add(frame);
    if (type.member("setup_class").isPresent()) {
      hook(Attributes.get(type, "setup_class", interp, at), type, at);
    }
    if (type.member("teardown_class").isPresent()) {
      Value teardown = Attributes.get(type, "teardown_class", interp, at);
      frame.finalizers.add(() -> hook(teardown, type, at));
    }
  }

  private void functionSetup(TestItem item, Span at) {
    String kind = item.owner().isPresent() ? "method" : "function";
    Optional<Value> setup = hookOf(item, "setup_" + kind, at);
    Optional<Value> teardown = hookOf(item, "teardown_" + kind, at);
    if (setup.isPresent()) {
      hook(setup.get(), item.function(), at);
    }
    if (teardown.isPresent()) {
      finish(asking(item), () -> hook(teardown.get(), item.function(), at));
    }
  }

  private Optional<Value> hookOf(TestItem item, String name, Span at) {
    if (item.owner().isEmpty()) {
      return Optional.ofNullable(interp.moduleNames().get(name));
    }
    return item.owner().get().member(name).isPresent()
        ? Optional.of(Attributes.get(instance, name, interp, at))
        : Optional.empty();
  }

  /** Calls a setup function; its one argument may be left out, as with pytest. */
  private void hook(@Nullable Value function, Value argument, Span at) {
    if (function == null) {
      return;
    }
    int wanted =
        switch (function) {
          case FunctionValue plain -> plain.parameters().positional().size();
          case io.ringmaster.worker.script.value.MethodValue method ->
              method.function().parameters().positional().size() - 1;
          default -> 0;
        };
    interp.call(function, wanted > 0 ? Arguments.of(argument) : Arguments.of(), at);
  }

  private boolean isActive(Object what) {
    return active.stream().anyMatch(frame -> frame.isOf(what));
  }

  /** The arguments of the case. */
  Map<String, Value> arguments(TestItem item) {
    Map<String, Value> values = new LinkedHashMap<>();
    for (String name : FixtureTable.argumentsOf(item.function(), item.needsInstance())) {
      Value direct = item.direct().get(name);
      values.put(
          name, direct != null ? direct : value(name, asking(item), item.function().definedAt()));
    }
    return values;
  }

  /** A fixture's value, set up now if it isn't yet. */
  Value value(String name, Asking asking, Span at) {
    TestItem item = asking.item();
    if (name.equals("request")) {
      return new Request(asking, this, provided.configuration(), instance, interp);
    }
    Value direct = item.direct().get(name);
    boolean own = asking.definition().filter(d -> d.name().equals(name)).isPresent();
    if (direct != null && !own) {
      return direct;
    }
    List<FixtureTable.Definition> found = table.find(name, item.classes());
    int from = own ? found.indexOf(asking.definition().orElseThrow()) + 1 : 0;
    if (from < found.size()) {
      return fixture(found.get(from), asking, at);
    }
    Optional<Value> ready = provided.value(name, item, this, interp);
    if (ready.isPresent()) {
      return ready.get();
    }
    if (own) {
      throw recursive(asking.definition().orElseThrow(), at);
    }
    PyError missing =
        Outcomes.raise(
            Outcomes.FIXTURE_LOOKUP_ERROR,
            "fixture '"
                + name
                + "' not found ("
                + Nearest.hint(name, table.names(item.classes()))
                + ")");
    missing.at(at);
    throw missing;
  }

  private Value fixture(FixtureTable.Definition definition, Asking asking, Span at) {
    FixtureValue fixture = definition.fixture();
    if (fixture.scope().compareTo(asking.scope()) > 0) {
      throw Outcomes.raise(
          Outcomes.FAILED,
          "ScopeMismatch: You tried to access the "
              + lower(fixture.scope())
              + " scoped fixture "
              + definition.name()
              + " with a "
              + lower(asking.scope())
              + " scoped request object.");
    }
    Optional<TestItem.Indirect> parameter =
        Optional.ofNullable(asking.item().indirect().get(definition.name()));
    int index = parameter.map(TestItem.Indirect::index).orElse(0);
    Optional<Active> before = active.stream().filter(frame -> frame.isOf(fixture)).findFirst();
    if (before.isPresent() && before.get().parameter == index) {
      if (before.get().failure.isPresent()) {
        throw before.get().failure.get();
      }
      return before.get().value;
    }
    before.ifPresent(frame -> tearDown(fixturesFrom(frame)));
    if (begun.contains(definition)) {
      throw recursive(definition, at);
    }
    begun.add(definition);
    try {
      return setUp(definition, asking, index, parameter.map(TestItem.Indirect::value), at);
    } finally {
      begun.removeLast();
    }
  }

  private PyError recursive(FixtureTable.Definition definition, Span at) {
    String way =
        begun.subList(begun.indexOf(definition), begun.size()).stream()
            .map(FixtureTable.Definition::name)
            .collect(Collectors.joining(" -> ", "", " -> " + definition.name()));
    PyError error =
        Outcomes.raise(
            Outcomes.FIXTURE_LOOKUP_ERROR,
            "recursive dependency involving fixture '"
                + definition.name()
                + "' detected ("
                + way
                + ")");
    error.at(at);
    return error;
  }

  /** A fixture and those that were set up after it: they may have been made of it. */
  private List<Active> fixturesFrom(Active first) {
    return active.subList(active.indexOf(first), active.size()).stream()
        .filter(frame -> frame.what instanceof FixtureValue)
        .toList();
  }

  private static String lower(FixtureValue.Scope scope) {
    return scope.name().toLowerCase(java.util.Locale.ROOT);
  }

  private Value setUp(
      FixtureTable.Definition definition,
      Asking asking,
      int index,
      Optional<Value> parameter,
      Span at) {
    FixtureValue fixture = definition.fixture();
    Asking inner = new Asking(asking.item(), Optional.of(definition), fixture.scope(), parameter);
    List<Value> positional = new ArrayList<>();
    if (definition.owner().isPresent()) {
      positional.add(instance);
    }
    Map<String, Value> named = new LinkedHashMap<>();
    for (String argument : definition.arguments()) {
      named.put(argument, value(argument, inner, at));
    }
    // Those it asked for are below it now, so it goes before they do.
    Active frame = new Active(fixture, fixture.scope(), index);
    active.add(frame);
    try {
      frame.value =
          made(frame, interp.call(fixture.function(), new Arguments(positional, named), at));
      return frame.value;
    } catch (PyError failure) {
      frame.failure = Optional.of(failure);
      throw failure;
    }
  }

  /** The value of a fixture function: what it returns, or what it yields first. */
  private Value made(Active frame, Value result) {
    if (!(result instanceof IteratorValue generator) || !generator.typeName().equals("generator")) {
      return result;
    }
    if (!generator.items().hasNext()) {
      throw Errors.value("fixture function did not yield a value");
    }
    Value value = generator.items().next();
    frame.finalizers.add(
        () -> {
          if (generator.items().hasNext()) {
            throw Outcomes.raise(Outcomes.FAILED, "fixture function has more than one 'yield'");
          }
        });
    return value;
  }

  /** Something to do when the fixture that asks ends, or else the case. */
  void finish(Asking asking, Runnable finalizer) {
    Object what =
        asking.definition().<Object>map(FixtureTable.Definition::fixture).orElse(asking.item());
    active.stream()
        .filter(frame -> frame.isOf(what))
        .findFirst()
        .orElse(active.getLast())
        .finalizers
        .add(finalizer);
  }

  /** Something to do when the case ends. */
  void undo(Runnable finalizer) {
    finish(asking(current.orElseThrow()), finalizer);
  }

  /**
   * Ends a case, and what lives no longer than until the next one.
   *
   * @param next empty after the last case
   */
  void leave(TestItem item, Optional<TestItem> next) {
    tearDown(active.stream().filter(frame -> !lives(frame, item, next)).toList());
  }

  private static boolean lives(Active frame, TestItem item, Optional<TestItem> next) {
    return switch (frame.scope) {
      case SESSION, PACKAGE, MODULE -> next.isPresent();
      case CLASS ->
          item.owner().isPresent() && next.isPresent() && next.get().owner().equals(item.owner());
      case FUNCTION -> false;
    };
  }

  /** Ends the newest first; one that fails doesn't keep the others from ending. */
  private void tearDown(List<Active> ending) {
    Optional<PyError> failure = Optional.empty();
    for (Active frame : ending.reversed()) {
      active.remove(frame);
      for (Runnable finalizer : frame.finalizers.reversed()) {
        try {
          finalizer.run();
        } catch (PyError error) {
          failure = failure.isPresent() ? failure : Optional.of(error);
        }
      }
    }
    if (failure.isPresent()) {
      throw failure.get();
    }
  }
}
