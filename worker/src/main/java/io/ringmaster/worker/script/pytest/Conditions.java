package io.ringmaster.worker.script.pytest;

import io.ringmaster.worker.script.value.Errors;
import io.ringmaster.worker.script.value.Interp;
import io.ringmaster.worker.script.value.Value;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** What the marks {@code skip}, {@code skipif} and {@code xfail} say of a case. */
final class Conditions {

  private Conditions() {}

  /**
   * A failure that is expected.
   *
   * @param raises the exceptions that count; empty for any failure
   */
  record Expected(String reason, boolean run, boolean strict, Optional<Value> raises) {}

  /** Why a case is left out; empty when it isn't. */
  static Optional<String> skip(TestItem item, Interp interp) {
    for (Mark mark : item.marks()) {
      if (mark.name().equals("skip")) {
        String positional =
            !mark.positional().isEmpty() && mark.positional().getFirst() instanceof Value.Str text
                ? text.value()
                : "unconditional skip";
        return Optional.of(mark.reason().isEmpty() ? positional : mark.reason());
      }
      if (mark.name().equals("skipif") && holds(mark, interp)) {
        return Optional.of(mark.reason());
      }
    }
    return Optional.empty();
  }

  static Optional<Expected> expectedToFail(TestItem item, Interp interp) {
    for (Mark mark : item.marks()) {
      if (mark.name().equals("xfail") && holds(mark, interp)) {
        return Optional.of(
            new Expected(
                mark.reason(),
                mark.keyword("run").map(interp::truth).orElse(true),
                mark.keyword("strict").map(interp::truth).orElse(false),
                mark.keyword("raises").filter(value -> !(value instanceof Value.None))));
      }
    }
    return Optional.empty();
  }

  /** True when a mark has no condition, or one that is true. */
  private static boolean holds(Mark mark, Interp interp) {
    List<Value> conditions = new ArrayList<>(mark.positional());
    mark.keyword("condition").ifPresent(conditions::add);
    if (conditions.isEmpty()) {
      if (mark.name().equals("skipif")) {
        throw Errors.refuse(
            "skipif needs a condition", "write skipif(condition, reason=...)", mark.at());
      }
      return true;
    }
    for (Value condition : conditions) {
      if (condition instanceof Value.Str text) {
        throw Errors.refuse(
            mark.name() + " condition '" + text.value() + "' is a text",
            "write the condition itself, without quotes",
            mark.at());
      }
      if (interp.truth(condition)) {
        if (mark.reason().isEmpty() && mark.name().equals("skipif")) {
          throw Errors.refuse(
              "skipif: you need to specify reason=STRING when using booleans as conditions.",
              "write skipif(condition, reason=...)",
              mark.at());
        }
        return true;
      }
    }
    return false;
  }
}
