package io.ringmaster.worker.frontend;

import io.ringmaster.worker.frontend.values.Extent;
import io.ringmaster.worker.frontend.values.Symbols;
import io.ringmaster.worker.ir.Expr;
import io.ringmaster.worker.ir.Type;
import io.ringmaster.worker.tensor.DType;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.IntFunction;
import java.util.stream.IntStream;

/**
 * The local names of one function at the point that is being read: their types, whether they are
 * surely assigned there, and what is known about the integers among them.
 */
final class NameScope implements Symbols {

  /**
   * A local name.
   *
   * @param surely assigned on every way to this point
   * @param poisoned its definition broke a rule, so reading it says nothing new
   * @param constant its value, where that is known now: the variable of an unrolled loop, a shape
   * @param extent its value as a quantity
   */
  record Variable(
      Type type, boolean surely, boolean poisoned, Optional<ClosureValue> constant, Extent extent) {

    private Variable maybe() {
      return new Variable(type, false, poisoned, constant, extent);
    }

    private Variable with(Extent newExtent) {
      return new Variable(type, surely, poisoned, constant, newExtent);
    }
  }

  /** The names at a point of the function. */
  record State(Map<String, Variable> variables, Map<String, String> aliases, boolean reachable) {

    /** The same names where control does get. */
    State reached() {
      return new State(variables, aliases, true);
    }
  }

  /** Keeps the quantities of an inherited scope apart from new ones. */
  private static final int INHERITED = 1_000_000;

  private Map<String, Variable> variables = new LinkedHashMap<>();
  private final Map<String, Type> firstTypes = new HashMap<>();
  private final Aliases aliases = new Aliases();
  private final Map<String, List<String>> parts = new HashMap<>();
  private boolean reachable = true;
  private int versions;

  Aliases aliases() {
    return aliases;
  }

  /** The variable that a name of the source stands for here. */
  String current(String name) {
    return aliases.of(name).orElse(name);
  }

  /** What is known of what a name of the source stands for here. */
  Optional<Variable> findSource(String name) {
    return aliases.of(name).flatMap(this::find);
  }

  /** True for a name that the function has assigned on some way to this point. */
  boolean isLocal(String name) {
    return aliases.of(name).map(variables::containsKey).orElse(true);
  }

  Optional<Variable> find(String name) {
    return Optional.ofNullable(variables.get(name));
  }

  /** The type a name got where it was first assigned in source order. */
  Optional<Type> firstType(String name) {
    return Optional.ofNullable(firstTypes.get(name));
  }

  Set<String> names() {
    return variables.keySet();
  }

  void define(String name, Type type) {
    define(name, type, fresh(name, OptionalLong.empty()));
  }

  void define(String name, Type type, Extent extent) {
    assign(name, name, type, extent);
  }

  /** From here on a name of the source stands for {@code variable}. */
  void assign(String name, String variable, Type type, Extent extent) {
    aliases.set(name, variable);
    firstTypes.putIfAbsent(variable, type);
    variables.put(variable, new Variable(type, true, false, Optional.empty(), extent));
  }

  void defineConstant(String name, long value) {
    aliases.set(name, name);
    Type type = new Type.Scalar(DType.INDEX);
    variables.put(
        name,
        new Variable(
            type, true, false, Optional.of(new ClosureValue.Int(value)), Extent.of(value)));
  }

  /** A name that stands for a value that is known now. */
  void defineConstant(String name, ClosureValue value) {
    if (value instanceof ClosureValue.Int(long number)) {
      defineConstant(name, number);
    } else {
      aliases.set(name, name);
      variables.put(
          name,
          new Variable(
              new Type.None(), true, false, Optional.of(value), fresh(name, OptionalLong.empty())));
    }
  }

  /** The variables of a tuple's elements; named by {@code namer} when there are none yet. */
  List<String> parts(String tuple, int count, IntFunction<String> namer) {
    return parts.computeIfAbsent(tuple, _ -> IntStream.range(0, count).mapToObj(namer).toList());
  }

  /** The variables of the elements of a name that stands for a tuple. */
  List<String> parts(String tuple) {
    return parts.getOrDefault(tuple, List.of());
  }

  /**
   * An assignment to a name was refused. Where it is plain what type the value was meant to have,
   * the name has it from here on, though nothing else is known of it.
   */
  void doubt(String name, Optional<Type> meant) {
    Optional<String> variable = aliases.of(name);
    boolean fits =
        meant.isPresent()
            && variable.isPresent()
            && firstType(variable.get()).filter(first -> !first.equals(meant.get())).isEmpty();
    if (fits) {
      assign(name, variable.get(), meant.get(), fresh(name, OptionalLong.empty()));
    } else {
      poison(name);
    }
  }

  void poison(String name) {
    aliases.set(name, name);
    variables.put(
        name,
        new Variable(
            new Type.None(), true, true, Optional.empty(), fresh(name, OptionalLong.empty())));
  }

  /** True when an assignment to the name was refused, so that nobody knows what it stands for. */
  boolean isInDoubt(String name) {
    return aliases.everyOf(name).stream()
        .anyMatch(variable -> find(variable).filter(Variable::poisoned).isPresent());
  }

  void remove(String name) {
    aliases.everyOf(name).forEach(variables::remove);
    aliases.set(name, name);
  }

  /** A new quantity, unlike any before. */
  Extent fresh(String name, OptionalLong lowest) {
    return Extent.symbol(name + "#" + versions++, lowest);
  }

  /** Forgets the values of names that are about to change at an unknown moment. */
  void forgetValues(Set<String> names) {
    for (String name : names) {
      for (String alias : aliases.everyOf(name)) {
        forgetValue(alias);
        parts(alias).forEach(this::forgetValue);
      }
    }
  }

  private void forgetValue(String name) {
    variables.computeIfPresent(
        name, (_, variable) -> variable.with(fresh(name, OptionalLong.empty())));
  }

  State state() {
    return new State(new LinkedHashMap<>(variables), aliases.state(), reachable);
  }

  /** Starts with everything another scope knows at this point. */
  void inherit(NameScope other) {
    restore(other.state());
    aliases.inherit(other.aliases);
    firstTypes.putAll(other.firstTypes);
    parts.putAll(other.parts);
    versions = other.versions + INHERITED;
  }

  void restore(State state) {
    variables = new LinkedHashMap<>(state.variables());
    aliases.restore(state.aliases());
    reachable = state.reachable();
  }

  boolean reachable() {
    return reachable;
  }

  /** Control never gets past this point. */
  void leave() {
    reachable = false;
  }

  /** Continues where several ways meet. */
  void join(List<State> ways) {
    List<State> open = ways.stream().filter(State::reachable).toList();
    if (open.isEmpty()) {
      restore(ways.getLast());
      return;
    }
    Map<String, Variable> met = new LinkedHashMap<>();
    for (State way : open) {
      for (var entry : way.variables().entrySet()) {
        met.merge(entry.getKey(), entry.getValue(), (a, b) -> meet(entry.getKey(), a, b));
      }
    }
    met.replaceAll(
        (name, variable) ->
            open.stream().allMatch(way -> way.variables().containsKey(name))
                ? variable
                : variable.maybe());
    variables = met;
    aliases.join(open.stream().map(State::aliases).toList());
    reachable = true;
  }

  private Variable meet(String name, Variable a, Variable b) {
    Extent extent = a.extent().sameAs(b.extent()) ? a.extent() : fresh(name, OptionalLong.empty());
    return new Variable(
        a.poisoned() ? b.type() : met(a.type(), b.type()),
        a.surely() && b.surely(),
        a.poisoned() || b.poisoned(),
        a.constant().equals(b.constant()) ? a.constant() : Optional.empty(),
        extent);
  }

  /** Two tiles or tensors with different valid parts: what is valid is known at run time only. */
  private static Type met(Type a, Type b) {
    if (a instanceof Type.Tile left
        && b instanceof Type.Tile right
        && !left.valid().equals(right.valid())) {
      return new Type.Tile(left.shape(), left.dtype(), left.memory(), List.of());
    }
    if (a instanceof Type.Tensor left
        && b instanceof Type.Tensor right
        && !left.valid().equals(right.valid())) {
      return new Type.Tensor(left.shape(), left.dtype(), left.window());
    }
    return a;
  }

  @Override
  public Extent of(Expr.Var variable) {
    return find(variable.name())
        .map(Variable::extent)
        .orElseGet(() -> Symbols.UNKNOWN.of(variable));
  }
}
