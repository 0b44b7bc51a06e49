package io.ringmaster.worker.frontend;

import java.util.Set;

/**
 * The form a function is written in. A free function may ask for {@code t.shape} and {@code
 * t.dtype}, and a name that it assigns once from those stands for the value itself.
 *
 * @param jit true for free functions, false for methods of a class
 * @param assignedOnce the names that the body assigns in one place only
 */
record BodyForm(boolean jit, Set<String> assignedOnce) {

  /** A method of a {@code @pl.program} class. */
  static final BodyForm CLASS = new BodyForm(false, Set.of());

  BodyForm {
    assignedOnce = Set.copyOf(assignedOnce);
  }

  /** True when {@code name} may stand for a value that is known now. */
  boolean folds(String name) {
    return jit && (name.equals("_") || assignedOnce.contains(name));
  }
}
