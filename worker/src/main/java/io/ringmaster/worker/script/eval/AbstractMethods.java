package io.ringmaster.worker.script.eval;

import io.ringmaster.worker.script.builtin.Descriptor;
import io.ringmaster.worker.script.value.ClassValue;
import io.ringmaster.worker.script.value.Errors;
import io.ringmaster.worker.script.value.FunctionValue;
import io.ringmaster.worker.script.value.Value;
import java.util.List;
import java.util.TreeSet;

/** Finds the methods that an abstract class leaves to its subclasses. */
final class AbstractMethods {

  private AbstractMethods() {}

  /** Refuses to make an object while a method marked {@code @abstractmethod} has no body. */
  static void refuseMissing(ClassValue type) {
    TreeSet<String> names = new TreeSet<>();
    type.ancestry().forEach(at -> names.addAll(at.members().keySet()));
    List<String> missing =
        names.stream()
            .filter(name -> isAbstract(type.member(name).orElse(Value.NONE)))
            .map(name -> "'" + name + "'")
            .toList();
    if (!missing.isEmpty()) {
      throw Errors.type(
          "Can't instantiate abstract class "
              + type.name()
              + " without an implementation for abstract method"
              + (missing.size() > 1 ? "s " : " ")
              + String.join(", ", missing));
    }
  }

  private static boolean isAbstract(Value member) {
    return switch (member) {
      case FunctionValue function -> function.attributes().containsKey(ClassValue.ABSTRACT);
      case Descriptor descriptor -> isAbstract(descriptor.function());
      default -> false;
    };
  }
}
