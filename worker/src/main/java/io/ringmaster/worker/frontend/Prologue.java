package io.ringmaster.worker.frontend;

import io.ringmaster.worker.ir.Expr;
import io.ringmaster.worker.ir.Function.Param;
import java.util.Map;
import java.util.Optional;

/**
 * What the body of a function knows besides its parameters.
 *
 * @param form the form it is written in
 * @param constants parameters that every call of this reading gives the same Python value
 * @param values parameters that every call of this reading gives the same scalar
 * @param output the parameter that is the result of a body without a return statement
 * @param blockIndex the parameter, not in the text, with the number of the block that runs
 */
record Prologue(
    BodyForm form,
    Map<String, ClosureValue> constants,
    Map<String, Expr> values,
    Optional<String> output,
    Optional<Param> blockIndex) {

  /** A method of a class knows nothing else. */
  static final Prologue NONE =
      new Prologue(BodyForm.CLASS, Map.of(), Map.of(), Optional.empty(), Optional.empty());

  Prologue {
    constants = Map.copyOf(constants);
    values = Map.copyOf(values);
  }
}
