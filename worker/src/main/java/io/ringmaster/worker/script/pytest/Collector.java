package io.ringmaster.worker.script.pytest;

import io.ringmaster.worker.script.builtin.Descriptor;
import io.ringmaster.worker.script.value.ClassValue;
import io.ringmaster.worker.script.value.Exceptions;
import io.ringmaster.worker.script.value.FunctionValue;
import io.ringmaster.worker.script.value.Interp;
import io.ringmaster.worker.script.value.Value;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/** Finds the cases in a script that has run: {@code test*} functions, methods of {@code Test*}. */
final class Collector {

  private final Interp interp;
  private final FixtureTable fixtures;
  private final Marks marks;
  private final String file;
  private final Value configuration;
  private final List<TestItem> items = new ArrayList<>();

  private Collector(Interp interp, FixtureTable fixtures, Value configuration) {
    this.configuration = configuration;
    this.interp = interp;
    this.fixtures = fixtures;
    this.marks = Marks.of(interp);
    this.file = baseName(interp.session().source().name());
  }

  /** Every case, in the order of the file. */
  static List<TestItem> collect(Interp interp, FixtureTable fixtures, Value configuration) {
    Collector collector = new Collector(interp, fixtures, configuration);
    Optional<Value> pytestmark = Optional.ofNullable(interp.moduleNames().get("pytestmark"));
    List<Mark> ofModule = pytestmark.map(Marks::listed).orElse(List.of());
    collector.members(interp.moduleNames(), List.of(), ofModule);
    return collector.items;
  }

  /** A path's last part. */
  static String baseName(String path) {
    return path.substring(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1);
  }

  private void members(Map<String, Value> members, List<ClassValue> classes, List<Mark> around) {
    // The interpreter may bind more names while ids are computed.
    for (Map.Entry<String, Value> member : new LinkedHashMap<>(members).entrySet()) {
      String key = member.getKey();
      switch (member.getValue()) {
        case FunctionValue function when key.startsWith("test") ->
            function(key, function, !classes.isEmpty(), classes, around);
        case Descriptor descriptor when key.startsWith("test") && isStatic(descriptor) ->
            function(key, (FunctionValue) descriptor.function(), false, classes, around);
        case ClassValue type
            when (key.startsWith("Test") || UnittestModule.isCase(type)) && isTestClass(type) -> {
          List<ClassValue> inside = new ArrayList<>(classes);
          inside.add(type);
          List<Mark> all = new ArrayList<>(marks.ofClass(type));
          all.addAll(around);
          Map<String, Value> own = inherited(type);
          // unittest runs its cases in the order of their names.
          members(UnittestModule.isCase(type) ? new TreeMap<>(own) : own, inside, all);
        }
        default -> {}
      }
    }
  }

  private static boolean isStatic(Descriptor descriptor) {
    return descriptor.kind() == Descriptor.Kind.STATIC
        && descriptor.function() instanceof FunctionValue;
  }

  /** As with pytest, a class that takes constructor arguments holds no tests. */
  private static boolean isTestClass(ClassValue type) {
    boolean off = type.member("__test__").filter(value -> value.equals(Value.FALSE)).isPresent();
    return !off
        && type.member("__init__").isEmpty()
        && !type.isSubclassOf(Exceptions.BASE_EXCEPTION);
  }

  /** A class's members after those it inherits. */
  private static Map<String, Value> inherited(ClassValue type) {
    Set<String> seen = new HashSet<>();
    List<Map<String, Value>> levels = new ArrayList<>();
    for (ClassValue at : type.ancestry()) {
      Map<String, Value> own = new LinkedHashMap<>();
      at.members()
          .forEach(
              (name, value) -> {
                if (seen.add(name)) {
                  own.put(name, value);
                }
              });
      levels.add(own);
    }
    Map<String, Value> all = new LinkedHashMap<>();
    levels.reversed().forEach(all::putAll);
    return all;
  }

  private void function(
      String key,
      FunctionValue function,
      boolean method,
      List<ClassValue> classes,
      List<Mark> around) {
    List<Mark> own = new ArrayList<>(marks.ofFunction(function));
    own.addAll(around);
    own.addAll(
        Metafunc.marks(
            function,
            classes,
            fixtures.closure(FixtureTable.argumentsOf(function, method), classes, Set.of()),
            configuration,
            interp));
    List<Mark> parametrize = own.stream().filter(m -> m.name().equals("parametrize")).toList();
    Set<String> given = new LinkedHashSet<>();
    Set<String> toFixtures = new LinkedHashSet<>();
    for (Mark mark : parametrize) {
      List<String> names = Parametrization.names(mark, interp);
      given.addAll(names);
      if (mark.keyword("indirect").isPresent() || mark.positional().size() > 2) {
        toFixtures.addAll(names);
      }
    }
    List<String> asked = new ArrayList<>(usedFixtures(own));
    asked.addAll(FixtureTable.argumentsOf(function, method));
    Set<String> hidden = new LinkedHashSet<>(given);
    hidden.removeAll(toFixtures);
    List<String> closure = fixtures.closure(asked, classes, hidden);
    var parameters = new Parametrization(function, interp);
    for (String name : closure) {
      if (!given.contains(name)) {
        fixtures.find(name, classes).stream().findFirst().ifPresent(parameters::fixture);
      }
    }
    Set<String> usable = new LinkedHashSet<>(closure);
    parametrize.forEach(mark -> parameters.mark(mark, usable));
    for (Parametrization.Set set : parameters.sets()) {
      List<Mark> all = new ArrayList<>(set.marks());
      all.addAll(own);
      items.add(
          new TestItem(
              file,
              classes,
              key,
              key + set.suffix(),
              function,
              method,
              set.direct(),
              set.indirect(),
              all));
    }
  }

  /** The names in {@code usefixtures} marks. */
  static List<String> usedFixtures(List<Mark> marks) {
    List<String> names = new ArrayList<>();
    for (Mark mark : marks) {
      if (mark.name().equals("usefixtures")) {
        for (Value value : mark.positional()) {
          if (value instanceof Value.Str name) {
            names.add(name.value());
          }
        }
      }
    }
    return names;
  }
}
