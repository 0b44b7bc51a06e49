package io.ringmaster.worker.frontend.ops;

import io.ringmaster.worker.ir.Expr;

/** Types one call of an operation and checks the rules that hold for it. */
@FunctionalInterface
public interface Operation {

  /** The operation, or a scalar expression for what is only scalar arithmetic. */
  Expr build(OpCall call);
}
