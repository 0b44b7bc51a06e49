package io.ringmaster.worker.frontend;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * Which variable of the program a name of the source stands for. A free function may assign a name
 * again with another type; the name then stands for another variable from there on. All other names
 * stand for the variable of the same name.
 */
final class Aliases {

  /** Marks a name that stands for different variables on the ways that lead here. */
  private static final String AMBIGUOUS = "";

  private Map<String, String> current = new HashMap<>();
  private final Map<String, Set<String>> all = new HashMap<>();
  private final Deque<Loop> loops = new ArrayDeque<>();

  /** A loop whose body is being read: the variables assigned in it, and those read before. */
  private record Loop(Map<String, String> before, Set<String> assigned, Set<String> read) {}

  /** The variable; empty when the ways that lead here disagree. */
  Optional<String> of(String name) {
    String variable = current.getOrDefault(name, name);
    return variable.equals(AMBIGUOUS) ? Optional.empty() : Optional.of(variable);
  }

  /** Every variable a name ever stood for. */
  Set<String> everyOf(String name) {
    Set<String> every = new TreeSet<>(all.getOrDefault(name, Set.of()));
    every.add(name);
    return every;
  }

  void set(String name, String variable) {
    if (variable.equals(name)) {
      current.remove(name);
    } else {
      current.put(name, variable);
      all.computeIfAbsent(name, _ -> new HashSet<>()).add(variable);
    }
    loops.forEach(loop -> loop.assigned().add(variable));
  }

  void read(String variable) {
    loops.stream()
        .filter(loop -> !loop.assigned().contains(variable))
        .forEach(loop -> loop.read().add(variable));
  }

  Map<String, String> state() {
    return Map.copyOf(current);
  }

  void restore(Map<String, String> state) {
    current = new HashMap<>(state);
  }

  void inherit(Aliases other) {
    restore(other.state());
    other.all.forEach((name, variables) -> all.put(name, new HashSet<>(variables)));
  }

  /** Continues where several ways meet. */
  void join(List<Map<String, String>> ways) {
    Set<String> names = new TreeSet<>();
    ways.forEach(way -> names.addAll(way.keySet()));
    Map<String, String> met = new HashMap<>();
    for (String name : names) {
      Set<String> variables = new HashSet<>();
      ways.forEach(way -> variables.add(way.getOrDefault(name, name)));
      met.put(name, variables.size() == 1 ? variables.iterator().next() : AMBIGUOUS);
    }
    current = met;
  }

  void enterLoop() {
    loops.push(new Loop(state(), new HashSet<>(), new HashSet<>()));
  }

  /** The names that an iteration reads as it began and leaves behind with another type. */
  Set<String> leaveLoop() {
    Loop loop = loops.pop();
    Set<String> changed = new TreeSet<>();
    Set<String> names = new TreeSet<>(current.keySet());
    names.addAll(loop.before().keySet());
    for (String name : names) {
      String first = loop.before().getOrDefault(name, name);
      if (!first.equals(current.getOrDefault(name, name)) && loop.read().contains(first)) {
        changed.add(name);
      }
    }
    return changed;
  }
}
