package io.ringmaster.worker.codegen;

import org.jspecify.annotations.Nullable;

/**
 * A compiled scalar expression. The result is 64 raw bits: the IEEE double for floating-point
 * types, 0 or 1 for BOOL, the sign- or zero-extended value otherwise.
 */
@FunctionalInterface
interface LongExpr {

  long eval(Frame frame);

  /** The same in every frame. */
  record Constant(long value) implements LongExpr {
    @Override
    public long eval(Frame frame) {
      return value;
    }
  }

  /** The values of a list of constants, not to be changed; null when one isn't constant. */
  static long @Nullable [] fixed(LongExpr[] expressions) {
    long[] values = new long[expressions.length];
    for (int i = 0; i < values.length; i++) {
      if (!(expressions[i] instanceof Constant constant)) {
        return null;
      }
      values[i] = constant.value();
    }
    return values;
  }

  /** Evaluates a list, such as offsets. */
  static long[] all(LongExpr[] expressions, Frame frame) {
    long[] values = new long[expressions.length];
    for (int i = 0; i < values.length; i++) {
      values[i] = expressions[i].eval(frame);
    }
    return values;
  }
}
