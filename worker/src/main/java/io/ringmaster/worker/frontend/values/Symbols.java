package io.ringmaster.worker.frontend.values;

import io.ringmaster.worker.ir.Expr;
import java.util.OptionalLong;

/** What is known about the variables of a function, for reasoning about extents. */
@FunctionalInterface
public interface Symbols {

  /** Nothing is known: every variable is a quantity of its own. */
  Symbols UNKNOWN = variable -> Extent.symbol(variable.name(), OptionalLong.empty());

  /** The quantity that a variable holds where the question is asked. */
  Extent of(Expr.Var variable);
}
