package io.ringmaster.worker.ir;

import io.ringmaster.worker.source.Span;

/** Takes source positions out of IR, so that equality means "the same program". */
public final class Spans {

  private static final Rewriter STRIP = new Rewriter(_ -> Span.NONE, expr -> expr);

  private Spans() {}

  public static Program strip(Program program) {
    return STRIP.program(program);
  }

  public static Function strip(Function function) {
    return STRIP.function(function);
  }

  public static Stmt strip(Stmt stmt) {
    return STRIP.stmt(stmt);
  }

  public static Expr strip(Expr expr) {
    return STRIP.expr(expr);
  }

  public static Type strip(Type type) {
    return STRIP.type(type);
  }

  /** True when both types are the same but for positions inside their extents. */
  public static boolean sameType(Type left, Type right) {
    return left.equals(right) || strip(left).equals(strip(right));
  }
}
