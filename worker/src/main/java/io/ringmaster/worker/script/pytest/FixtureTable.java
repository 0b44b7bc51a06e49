package io.ringmaster.worker.script.pytest;

import io.ringmaster.worker.script.value.ClassValue;
import io.ringmaster.worker.script.value.FunctionValue;
import io.ringmaster.worker.script.value.Interp;
import io.ringmaster.worker.script.value.Value;
import io.ringmaster.worker.source.Parameters.Parameter;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/** The fixtures of a script: of its module and of its classes, and which hides which. */
final class FixtureTable {

  private final Map<String, Definition> ofModule = new LinkedHashMap<>();

  /**
   * A fixture under its name.
   *
   * @param owner the class that defines it
   */
  record Definition(String name, FixtureValue fixture, Optional<ClassValue> owner) {

    /** The names it asks for. */
    List<String> arguments() {
      return argumentsOf(fixture.function(), owner.isPresent());
    }
  }

  FixtureTable(Interp interp) {
    interp.moduleNames().forEach((key, value) -> add(ofModule, key, value, Optional.empty()));
  }

  private static void add(
      Map<String, Definition> to, String key, Value value, Optional<ClassValue> owner) {
    if (value instanceof FixtureValue fixture) {
      String name = fixture.name().orElse(key);
      to.put(name, new Definition(name, fixture, owner));
    }
  }

  private static Map<String, Definition> ofClass(ClassValue type) {
    Map<String, Definition> all = new LinkedHashMap<>();
    for (ClassValue at : type.ancestry().reversed()) {
      at.members().forEach((key, value) -> add(all, key, value, Optional.of(type)));
    }
    return all;
  }

  /** The fixtures of a name, the one that counts first and those it hides after it. */
  List<Definition> find(String name, List<ClassValue> classes) {
    List<Definition> all = new ArrayList<>();
    for (ClassValue type : classes.reversed()) {
      Optional.ofNullable(ofClass(type).get(name)).ifPresent(all::add);
    }
    Optional.ofNullable(ofModule.get(name)).ifPresent(all::add);
    return all;
  }

  /** Every name that a test inside the classes can ask for. */
  Collection<String> names(List<ClassValue> classes) {
    Set<String> names = new TreeSet<>(ofModule.keySet());
    classes.forEach(type -> names.addAll(ofClass(type).keySet()));
    names.addAll(ProvidedFixtures.names());
    return names;
  }

  private List<String> autouse(List<ClassValue> classes) {
    List<Definition> all = new ArrayList<>(ofModule.values());
    classes.forEach(type -> all.addAll(ofClass(type).values()));
    return all.stream()
        .filter(definition -> definition.fixture().autouse())
        .map(Definition::name)
        .distinct()
        .toList();
  }

  /**
   * Everything a test needs, the longest-living first.
   *
   * @param asked the names that the test and its marks ask for
   * @param given names that parameters stand for: what they hide isn't needed
   */
  List<String> closure(List<String> asked, List<ClassValue> classes, Set<String> given) {
    Set<String> names = new LinkedHashSet<>(autouse(classes));
    names.addAll(asked);
    List<String> open = new ArrayList<>(names);
    while (!open.isEmpty()) {
      String name = open.removeFirst();
      if (given.contains(name)) {
        continue;
      }
      for (Definition definition : find(name, classes)) {
        boolean again = false;
        for (String argument : definition.arguments()) {
          again |= argument.equals(name);
          if (names.add(argument)) {
            open.add(argument);
          }
        }
        if (!again) {
          break;
        }
      }
    }
    List<String> sorted = new ArrayList<>(names);
    sorted.sort(Comparator.comparing(name -> scope(name, classes)));
    return sorted;
  }

  private FixtureValue.Scope scope(String name, List<ClassValue> classes) {
    List<Definition> found = find(name, classes);
    return found.isEmpty() ? FixtureValue.Scope.FUNCTION : found.getFirst().fixture().scope();
  }

  /** The parameters that have no default: those that fixtures or marks must fill. */
  static List<String> argumentsOf(FunctionValue called, boolean afterSelf) {
    FunctionValue function = called.innermost();
    List<Parameter> all = new ArrayList<>(function.parameters().positional());
    if (afterSelf && !all.isEmpty()) {
      all.removeFirst();
    }
    all.addAll(function.parameters().keywordOnly());
    return all.stream()
        .map(Parameter::name)
        .filter(name -> !function.defaults().containsKey(name))
        .toList();
  }
}
