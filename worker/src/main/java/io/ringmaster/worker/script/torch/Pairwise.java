package io.ringmaster.worker.script.torch;

import io.ringmaster.worker.golden.Elements;
import io.ringmaster.worker.golden.StridedLoop;
import io.ringmaster.worker.script.value.Errors;
import io.ringmaster.worker.script.value.Interp;
import io.ringmaster.worker.script.value.Value;
import io.ringmaster.worker.tensor.DType;
import java.util.function.DoubleBinaryOperator;
import java.util.function.DoubleUnaryOperator;
import java.util.function.LongBinaryOperator;

/** Element-wise functions of two operands that aren't operators of the language. */
final class Pairwise {

  private Pairwise() {}

  /** A function of reals: whole types become float first, as torch does. */
  static TensorValue real(
      String name, Value left, Value right, DoubleBinaryOperator function, Interp interp) {
    Operand a = Operand.require(left, name);
    Operand b = Operand.require(right, name);
    DType common = Dtypes.result(a, b);
    DType type = common.isFloat() ? common : DType.FP32;
    return apply(a, b, type, function, (x, y) -> 0, interp);
  }

  /** A function that keeps the common type. */
  static TensorValue same(
      String name,
      Value left,
      Value right,
      DoubleBinaryOperator real,
      LongBinaryOperator whole,
      Interp interp) {
    Operand a = Operand.require(left, name);
    Operand b = Operand.require(right, name);
    return apply(a, b, Dtypes.result(a, b), real, whole, interp);
  }

  /** Division with the fraction cut off. */
  static TensorValue quotient(TensorValue left, Value right, Interp interp) {
    return same(
        "div",
        left,
        right,
        (x, y) -> {
          double exact = x / y;
          return exact < 0 ? Math.ceil(exact) : Math.floor(exact);
        },
        (x, y) -> {
          if (y == 0) {
            throw Errors.runtime("ZeroDivisionError");
          }
          return x / y;
        },
        interp);
  }

  static TensorValue apply(
      Operand a,
      Operand b,
      DType type,
      DoubleBinaryOperator real,
      LongBinaryOperator whole,
      Interp interp) {
    long[] shape = Arithmetic.commonShape(a.data(), b.data());
    TensorValue result = Tensors.derived(type, shape, a.origin().and(b.origin()), interp);
    Elements out = Elements.of(result.data().buffer(), type);
    Elements left = Elements.of(a.data().buffer(), a.dtype());
    Elements right = Elements.of(b.data().buffer(), b.dtype());
    DoubleUnaryOperator round = Arithmetic.rounding(type);
    StridedLoop.Body body =
        type.isFloat()
            ? (p, at) ->
                out.setDouble(
                    at[0],
                    real.applyAsDouble(
                        round.applyAsDouble(left.getDouble(at[1])),
                        round.applyAsDouble(right.getDouble(at[2]))))
            : (p, at) ->
                out.setLong(at[0], whole.applyAsLong(left.getLong(at[1]), right.getLong(at[2])));
    StridedLoop.over(shape, body, result.data(), a.data(), b.data());
    return result;
  }
}
