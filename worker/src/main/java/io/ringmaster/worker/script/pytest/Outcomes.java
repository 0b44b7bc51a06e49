package io.ringmaster.worker.script.pytest;

import io.ringmaster.worker.script.value.ClassValue;
import io.ringmaster.worker.script.value.Exceptions;
import io.ringmaster.worker.script.value.PyError;
import io.ringmaster.worker.script.value.Value;
import java.util.List;
import java.util.Map;

/** The exceptions by which a test says how it ends. */
final class Outcomes {

  /** Not an {@code Exception}: a test's own {@code except Exception} lets it pass. */
  private static final ClassValue OUTCOME = define("OutcomeException", Exceptions.BASE_EXCEPTION);

  static final ClassValue SKIPPED = define("Skipped", OUTCOME);
  static final ClassValue FAILED = define("Failed", OUTCOME);
  static final ClassValue XFAILED = define("XFailed", FAILED);
  static final ClassValue EXIT = define("Exit", Exceptions.EXCEPTION);

  static final ClassValue FIXTURE_LOOKUP_ERROR =
      define("FixtureLookupError", Exceptions.LOOKUP_ERROR);

  private Outcomes() {}

  private static ClassValue define(String name, ClassValue base) {
    return new ClassValue(name, List.of(base), Map.of(), List.of());
  }

  static PyError raise(ClassValue type, String reason) {
    return new PyError(Exceptions.make(type, List.of(Value.of(reason))));
  }

  /** The reason given, as text. */
  static String reason(PyError error) {
    List<Value> given = Exceptions.arguments(error.exception());
    return !given.isEmpty() && given.getFirst() instanceof Value.Str text ? text.value() : "";
  }
}
