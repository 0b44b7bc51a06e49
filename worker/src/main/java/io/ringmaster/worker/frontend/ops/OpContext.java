package io.ringmaster.worker.frontend.ops;

import io.ringmaster.worker.frontend.values.Refusal;
import io.ringmaster.worker.frontend.values.Symbols;
import io.ringmaster.worker.ir.Expr;
import io.ringmaster.worker.ir.Function.Level;
import io.ringmaster.worker.source.Span;

/** What an operation needs to know about the place where it is called. */
public interface OpContext {

  Level level();

  String functionName();

  /** What is known about the variables at this point. */
  Symbols symbols();

  void warn(String message, String hint, Span span);

  /** Says what is wrong with a part of a call whose other parts are read all the same. */
  void note(Refusal refusal);

  /** The value as an operand: an operation gets a temporary of its own first. */
  Expr operand(Expr value);

  /** A scalar whose value can't change later: a constant, or a temporary that holds it. */
  Expr freeze(Expr scalar);

  /** One of two values of the same type, which are computed only where they are needed. */
  Expr either(Expr condition, Expr whenTrue, Expr whenFalse, Span span);
}
