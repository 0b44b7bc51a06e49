package io.ringmaster.worker.frontend;

import io.ringmaster.worker.source.Expr;
import java.util.Optional;
import java.util.Set;

/**
 * What a decorated function can see outside itself: the globals and locals of the frame in which
 * its decorator ran. Values are {@link ClosureValue}s.
 */
@FunctionalInterface
public interface ClosureScope {

  Optional<ClosureValue> lookup(String name);

  /**
   * What an expression is worth in the frame of the decorator; empty where nobody evaluates Python.
   *
   * @throws io.ringmaster.worker.frontend.values.Refusal with Python's words, when it raises
   */
  default Optional<ClosureValue> evaluate(Expr expression) {
    return Optional.empty();
  }

  /** Names of values that nobody knows: what leans on them can't be read, and isn't wrong. */
  default Set<String> unknown() {
    return Set.of();
  }
}
