package io.ringmaster.worker.frontend;

import io.ringmaster.worker.ir.Expr;
import io.ringmaster.worker.ir.Function.Direction;
import io.ringmaster.worker.ir.Type;
import io.ringmaster.worker.source.Span;
import io.ringmaster.worker.source.Stmt;
import io.ringmaster.worker.tensor.DType;
import java.util.List;
import java.util.Optional;

/**
 * What a free function says about itself: its role and what its parameters are declared to be.
 * Shapes and element types come from the calls.
 *
 * @param number tells it from other functions, those of the same text included
 * @param broken it has errors, which were reported, so nothing is checked against it
 */
record JitHeader(
    int number,
    JitRole role,
    Stmt.FunctionDef definition,
    ClosureScope scope,
    List<Parameter> params,
    boolean broken) {

  JitHeader {
    params = List.copyOf(params);
  }

  String name() {
    return definition.name();
  }

  /** A parameter and what it is when a call leaves it out. */
  record Parameter(
      String name, Declared declared, Optional<ClosureValue> defaultValue, Span span) {}

  /** What an annotation contributes. */
  sealed interface Declared {

    default Direction direction() {
      return Direction.IN;
    }
  }

  /**
   * A tensor or window.
   *
   * @param shape as annotated; empty for a bare {@code pl.Tensor}
   * @param dtype as annotated; empty for a bare {@code pl.Tensor}
   */
  record TensorParam(
      boolean window, Direction direction, List<Expr> shape, Optional<DType> dtype, Span span)
      implements Declared {
    TensorParam {
      shape = List.copyOf(shape);
    }
  }

  record ScalarParam(DType dtype) implements Declared {}

  /** A tile or a context: exactly this. */
  record ExactParam(Type type, Direction direction) implements Declared {}

  /** A parameter of inline code without annotation: whatever it is given. */
  record AnyParam() implements Declared {}
}
