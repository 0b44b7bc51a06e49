package io.ringmaster.worker.lowering;

import io.ringmaster.worker.ir.Expr;
import io.ringmaster.worker.ir.Type;
import io.ringmaster.worker.source.DiagnosticException;
import io.ringmaster.worker.source.Span;
import io.ringmaster.worker.tensor.DType;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;

/** A tensor operand with its extents at hand. */
record TensorView(Expr expr, List<Expr> shape, DType dtype, boolean window) {

  static TensorView of(Expr expr) {
    if (expr.type() instanceof Type.Tensor t) {
      return new TensorView(expr, t.shape(), t.dtype(), t.window());
    }
    throw new IllegalArgumentException("not a tensor: " + expr);
  }

  int rank() {
    return shape.size();
  }

  Expr last() {
    return shape.getLast();
  }

  /** Elements that {@code bytes} hold. */
  long elements(long bytes) {
    return bytes / dtype.bytes();
  }

  /**
   * The extents as constants.
   *
   * @param what names the operand in the message
   */
  List<Long> constantShape(Span span, String what) {
    List<Long> out = new ArrayList<>();
    for (Expr extent : shape) {
      out.add(constantExtent(extent, span, what));
    }
    return out;
  }

  /** One extent as a constant, for the shape of a tile. */
  long constantExtent(Expr extent, Span span, String what) {
    OptionalLong value = Build.constant(extent);
    if (value.isEmpty()) {
      throw dynamic(span, what);
    }
    return value.getAsLong();
  }

  private DiagnosticException dynamic(Span span, String what) {
    return Errors.at(
        span,
        what + " " + Errors.shape(shape) + " must be a compile-time constant: it sizes a tile",
        "Make the extent a constant, for example through a factory argument.");
  }
}
