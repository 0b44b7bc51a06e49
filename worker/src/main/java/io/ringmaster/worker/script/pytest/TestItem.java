package io.ringmaster.worker.script.pytest;

import io.ringmaster.worker.script.value.ClassValue;
import io.ringmaster.worker.script.value.FunctionValue;
import io.ringmaster.worker.script.value.Value;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * One case: a test function with one set of parameters.
 *
 * @param file the script's name without folders
 * @param classes the classes around it, outermost first
 * @param name its name with the parameters' ids in brackets
 * @param key the name under which its class or module holds it
 * @param needsInstance false for a plain function or a static method
 * @param direct parameters by name
 * @param indirect parameters that go to a fixture, by the fixture's name
 * @param marks nearest to the function first
 */
record TestItem(
    String file,
    List<ClassValue> classes,
    String key,
    String name,
    FunctionValue function,
    boolean needsInstance,
    Map<String, Value> direct,
    Map<String, Indirect> indirect,
    List<Mark> marks) {

  /** A fixture's parameter; the index tells its values apart. */
  record Indirect(int index, Value value) {}

  TestItem {
    classes = List.copyOf(classes);
    direct = Map.copyOf(direct);
    indirect = Map.copyOf(indirect);
    marks = List.copyOf(marks);
  }

  /** {@code file.py::TestX::test_y[a-b]}. */
  String nodeId() {
    StringBuilder id = new StringBuilder(file);
    classes.forEach(type -> id.append("::").append(type.name()));
    return id.append("::").append(name).toString();
  }

  /** The class name that JUnit XML gives it: {@code file.TestX}. */
  String junitClass() {
    StringBuilder text =
        new StringBuilder(file.endsWith(".py") ? file.substring(0, file.length() - 3) : file);
    classes.forEach(type -> text.append('.').append(type.name()));
    return text.toString();
  }

  Optional<ClassValue> owner() {
    return classes.isEmpty() ? Optional.empty() : Optional.of(classes.getLast());
  }

  Optional<Mark> mark(String wanted) {
    return marks.stream().filter(mark -> mark.name().equals(wanted)).findFirst();
  }
}
