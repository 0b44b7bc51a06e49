package io.ringmaster.worker.codegen;

/**
 * A compiled scalar expression. The result is 64 raw bits: the IEEE double for floating-point
 * types, 0 or 1 for BOOL, the sign- or zero-extended value otherwise.
 */
@FunctionalInterface
interface LongExpr {

  long eval(Frame frame);

  /** Evaluates a list, such as offsets. */
  static long[] all(LongExpr[] expressions, Frame frame) {
    long[] values = new long[expressions.length];
    for (int i = 0; i < values.length; i++) {
      values[i] = expressions[i].eval(frame);
    }
    return values;
  }
}
