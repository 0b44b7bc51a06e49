package io.ringmaster.worker.script.pytest;

import io.ringmaster.worker.script.builtin.Iteration;
import io.ringmaster.worker.script.value.Errors;
import io.ringmaster.worker.script.value.FunctionValue;
import io.ringmaster.worker.script.value.Interp;
import io.ringmaster.worker.script.value.ListValue;
import io.ringmaster.worker.script.value.TupleValue;
import io.ringmaster.worker.script.value.Value;
import io.ringmaster.worker.source.Span;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Multiplies a test by its parameters, in pytest's order. */
final class Parametrization {

  /** More cases than any file has that somebody wrote. */
  private static final int MOST_CASES = 10_000;

  private final FunctionValue function;
  private final Interp interp;
  private List<Set> sets = List.of(new Set(Map.of(), Map.of(), List.of(), List.of()));

  /** One combination of parameters. */
  record Set(
      Map<String, Value> direct,
      Map<String, TestItem.Indirect> indirect,
      List<String> ids,
      List<Mark> marks) {

    /** The brackets behind a test's name. */
    String suffix() {
      return ids.isEmpty() ? "" : "[" + String.join("-", ids) + "]";
    }
  }

  Parametrization(FunctionValue function, Interp interp) {
    this.function = function;
    this.interp = interp;
  }

  List<Set> sets() {
    return sets;
  }

  /** The names that a {@code parametrize} mark gives values for. */
  static List<String> names(Mark mark, Interp interp) {
    return argument(mark, 0, "argnames")
        .map(value -> value instanceof Value.Str text ? split(text) : listed(value, interp))
        .orElse(List.of());
  }

  private static List<String> split(Value.Str text) {
    List<String> names = new ArrayList<>();
    for (String name : text.value().split(",", -1)) {
      if (!name.isBlank()) {
        names.add(name.strip());
      }
    }
    return names;
  }

  private static List<String> listed(Value value, Interp interp) {
    return Iteration.toList(value, interp).stream().map(interp::str).toList();
  }

  private static Optional<Value> argument(Mark mark, int position, String name) {
    return position < mark.positional().size()
        ? Optional.of(mark.positional().get(position))
        : mark.keyword(name);
  }

  /** Multiplies by a fixture's own parameters. */
  void fixture(FixtureTable.Definition definition) {
    List<ParamSet> values = new ArrayList<>();
    definition.fixture().params().forEach(value -> values.add(single(value)));
    if (values.isEmpty()) {
      return;
    }
    multiply(
        List.of(definition.name()),
        values,
        definition.fixture().ids(),
        java.util.Set.of(definition.name()),
        definition.fixture().function().definedAt());
  }

  private static ParamSet single(Value value) {
    return value instanceof ParamSet set
        ? set
        : new ParamSet(List.of(value), List.of(), Optional.empty());
  }

  /**
   * Multiplies by a {@code parametrize} mark.
   *
   * @param usable the names that the test and its fixtures take
   */
  void mark(Mark mark, java.util.Set<String> usable) {
    List<String> names = names(mark, interp);
    Value values =
        argument(mark, 1, "argvalues")
            .orElseThrow(
                () ->
                    Errors.refuse(
                        "parametrize() missing required argument: 'argvalues'",
                        "write @pytest.mark.parametrize(\"name\", [value, ...])",
                        mark.at()));
    for (String name : names) {
      checkName(name, usable, mark.at());
    }
    boolean whole = names.size() == 1 && argument(mark, 0, "argnames").get() instanceof Value.Str;
    List<ParamSet> sets = new ArrayList<>();
    for (Value entry : Iteration.toList(values, interp)) {
      sets.add(entry instanceof ParamSet set ? set : entry(entry, whole, names, mark.at()));
    }
    for (ParamSet set : sets) {
      checkSize(set, names, mark.at());
    }
    Optional<Value> ids = argument(mark, 3, "ids").filter(value -> !(value instanceof Value.None));
    if (sets.isEmpty()) {
      sets.add(empty(names, mark));
      ids = Optional.empty();
    }
    multiply(names, sets, ids, indirect(mark, names), mark.at());
  }

  /** No values: one case that is skipped, so that nobody overlooks it. */
  private ParamSet empty(List<String> names, Mark mark) {
    String reason = "got empty parameter set for (" + String.join(", ", names) + ")";
    Mark skip = new Mark("skip", List.of(), Map.of("reason", Value.of(reason)), mark.at());
    return new ParamSet(
        names.stream().<Value>map(name -> Value.NONE).toList(),
        List.of(skip),
        Optional.of(Value.of("NOTSET")));
  }

  private ParamSet entry(Value entry, boolean whole, List<String> names, Span at) {
    if (whole) {
      return single(entry);
    }
    return switch (entry) {
      case TupleValue tuple -> new ParamSet(tuple.items(), List.of(), Optional.empty());
      case ListValue list -> new ParamSet(list.items(), List.of(), Optional.empty());
      default ->
          throw Errors.refuse(
              "in \"parametrize\" the values for "
                  + names
                  + " must be tuples, got "
                  + interp.repr(entry),
              "write one tuple for each case",
              at);
    };
  }

  private void checkSize(ParamSet set, List<String> names, Span at) {
    if (set.values().size() != names.size()) {
      throw Errors.refuse(
          "in \"parametrize\" the number of names ("
              + names.size()
              + "): "
              + names
              + " must be equal to the number of values ("
              + set.values().size()
              + "): "
              + interp.repr(new TupleValue(set.values())),
          "",
          at);
    }
  }

  private void checkName(String name, java.util.Set<String> usable, Span at) {
    if (function.innermost().defaults().containsKey(name)) {
      throw Errors.refuse(
          "In "
              + function.name()
              + ": function already takes an argument '"
              + name
              + "' with a default value",
          "drop the default",
          at);
    }
    if (!usable.contains(name)) {
      throw Errors.refuse(
          "In " + function.name() + ": function uses no argument '" + name + "'", name, usable, at);
    }
    Set first = sets.getFirst();
    if (first.direct().containsKey(name) || first.indirect().containsKey(name)) {
      throw Errors.refuse("duplicate parametrization of '" + name + "'", "", at);
    }
  }

  private java.util.Set<String> indirect(Mark mark, List<String> names) {
    Optional<Value> given = argument(mark, 2, "indirect");
    if (given.isEmpty() || given.get() instanceof Value.None) {
      return java.util.Set.of();
    }
    if (given.get() instanceof Value.Bool all) {
      return all.value() ? java.util.Set.copyOf(names) : java.util.Set.of();
    }
    return java.util.Set.copyOf(listed(given.get(), interp));
  }

  private void multiply(
      List<String> names,
      List<ParamSet> values,
      Optional<Value> ids,
      java.util.Set<String> indirect,
      Span at) {
    List<String> made = Ids.of(names, values, ids, interp, at);
    if ((long) sets.size() * values.size() > MOST_CASES) {
      throw Errors.refuse(
          function.name() + ": more than " + MOST_CASES + " cases",
          "submit fewer parameters at a time",
          at);
    }
    List<Set> product = new ArrayList<>();
    for (Set set : sets) {
      for (int i = 0; i < values.size(); i++) {
        product.add(with(set, names, values.get(i), i, made.get(i), indirect));
      }
    }
    sets = product;
  }

  private static Set with(
      Set set,
      List<String> names,
      ParamSet value,
      int index,
      String id,
      java.util.Set<String> indirect) {
    Map<String, Value> direct = new LinkedHashMap<>(set.direct());
    Map<String, TestItem.Indirect> toFixtures = new LinkedHashMap<>(set.indirect());
    for (int i = 0; i < names.size(); i++) {
      if (indirect.contains(names.get(i))) {
        toFixtures.put(names.get(i), new TestItem.Indirect(index, value.values().get(i)));
      } else {
        direct.put(names.get(i), value.values().get(i));
      }
    }
    List<String> ids = new ArrayList<>(set.ids());
    ids.add(id);
    List<Mark> marks = new ArrayList<>(set.marks());
    marks.addAll(value.marks());
    return new Set(direct, toFixtures, ids, marks);
  }
}
