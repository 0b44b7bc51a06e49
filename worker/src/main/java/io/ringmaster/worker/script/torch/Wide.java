package io.ringmaster.worker.script.torch;

import io.ringmaster.worker.script.value.Interp;
import io.ringmaster.worker.tensor.DType;
import java.util.function.DoubleUnaryOperator;

/**
 * A computation of several steps that is rounded once, at its end: the steps are done in double.
 *
 * <p>torch does these in float or double inside and rounds to the storage type at the end, too.
 */
record Wide(TensorValue value, Interp interp) {

  static Wide of(TensorValue tensor, Interp interp) {
    return new Wide(ContentMethods.converted(tensor, DType.FP64, interp), interp);
  }

  private Wide with(ElementOp op, TensorValue other) {
    return new Wide(Arithmetic.apply(op, Operand.of(value), Operand.of(other), interp), interp);
  }

  Wide plus(Wide other) {
    return with(ElementOp.ADD, other.value);
  }

  Wide minus(Wide other) {
    return with(ElementOp.SUB, other.value);
  }

  Wide times(Wide other) {
    return with(ElementOp.MUL, other.value);
  }

  Wide over(Wide other) {
    return with(ElementOp.TRUE_DIVIDE, other.value);
  }

  Wide squared() {
    return times(this);
  }

  Wide map(DoubleUnaryOperator function) {
    return new Wide(
        Arithmetic.map(value, DType.FP64, function, v -> v, interp).with(value.lineage()), interp);
  }

  Wide reduce(Reductions.Kind kind, int[] axes, boolean keep) {
    return new Wide(Reductions.reduce(value, kind, axes, keep, DType.FP64, interp), interp);
  }

  Wide sum(int[] axes, boolean keep) {
    return reduce(Reductions.Kind.SUM, axes, keep);
  }

  Wide mean(int[] axes, boolean keep) {
    return reduce(Reductions.Kind.MEAN, axes, keep);
  }

  /** Rounded to a type. */
  TensorValue as(DType type) {
    return ContentMethods.converted(value, type, interp);
  }
}
