package io.ringmaster.worker.script.torch;

import io.ringmaster.worker.golden.Elements;
import io.ringmaster.worker.golden.Shapes;
import io.ringmaster.worker.golden.StridedLoop;
import io.ringmaster.worker.script.check.Origin;
import io.ringmaster.worker.script.value.Errors;
import io.ringmaster.worker.script.value.Interp;
import io.ringmaster.worker.script.value.Value;
import io.ringmaster.worker.source.Expr.BinaryOperator;
import io.ringmaster.worker.source.Expr.CompareOperator;
import io.ringmaster.worker.tensor.DType;
import io.ringmaster.worker.tensor.HostTensor;
import java.util.Optional;
import java.util.function.DoubleUnaryOperator;

/** Element-wise arithmetic with torch's promotion, broadcasting and rounding. */
final class Arithmetic {

  private Arithmetic() {}

  /** An operator of the language; empty when the other side is no tensor or number. */
  static Optional<Value> operator(
      BinaryOperator operator, TensorValue self, Value other, boolean reflected, Interp interp) {
    if (operator == BinaryOperator.MATRIX_MULTIPLY) {
      return other instanceof TensorValue tensor
          ? Optional.of(
              reflected ? MatMul.matmul(tensor, self, interp) : MatMul.matmul(self, tensor, interp))
          : Optional.empty();
    }
    Optional<Operand> operand = Operand.find(other);
    if (operand.isEmpty()) {
      return Optional.empty();
    }
    Operand mine = Operand.of(self);
    ElementOp op = ElementOp.of(operator);
    TensorValue result =
        reflected ? apply(op, operand.get(), mine, interp) : apply(op, mine, operand.get(), interp);
    if (operator == BinaryOperator.SUBTRACT && other instanceof TensorValue tensor) {
      result =
          result.with(
              reflected ? Lineage.difference(tensor, self) : Lineage.difference(self, tensor));
    } else if (operator == BinaryOperator.SUBTRACT && operand.get().rank() == 0) {
      result = result.with(Lineage.difference(self, operand.get()));
    }
    return Optional.of(result);
  }

  /** Applies an operation to two operands. */
  static TensorValue apply(ElementOp op, Operand a, Operand b, Interp interp) {
    DType common = Dtypes.result(a, b);
    DType type = op.resultType(common);
    TensorValue result =
        Tensors.derived(
            type,
            commonShape(a.data(), b.data()),
            op == ElementOp.SUB ? a.origin().less(b.origin()) : a.origin().and(b.origin()),
            interp);
    compute(op, result.data(), a, b, common, type);
    return result;
  }

  /** {@code self op= other}. */
  static Value inPlace(BinaryOperator operator, TensorValue self, Operand other, Interp interp) {
    if (operator == BinaryOperator.MATRIX_MULTIPLY) {
      throw Errors.type("unsupported operand type(s) for @=: 'Tensor'");
    }
    return inPlace(ElementOp.of(operator), self, other, interp);
  }

  static TensorValue inPlace(ElementOp op, TensorValue self, Operand other, Interp interp) {
    Operand mine = Operand.of(self);
    DType common = Dtypes.result(mine, other);
    DType type = op.resultType(common);
    DType own = self.data().dtype();
    if (!Dtypes.canCast(type, own)) {
      throw Errors.runtime(
          "result type "
              + Dtypes.scalarName(type)
              + " can't be cast to the desired output type "
              + Dtypes.scalarName(own));
    }
    long[] shape = commonShape(self.data(), other.data());
    if (!java.util.Arrays.equals(shape, self.data().shape())) {
      throw Errors.runtime(
          "output with shape "
              + Tensors.shown(self.data().shape())
              + " doesn't match the broadcast shape "
              + Tensors.shown(shape));
    }
    // The other side may overlap with this one: compute first, write afterwards.
    TensorValue result = apply(op, mine, other, interp);
    Origin origin = mine.origin().and(other.origin());
    self.overwrite(origin, () -> Change.by(op, other, self.ranks(), interp));
    Tensors.fill(self.data(), result.data());
    return self;
  }

  static long[] commonShape(HostTensor a, HostTensor b) {
    if (!Shapes.broadcasts(a.shape(), b.shape())) {
      int back = 1;
      while (extent(a, back) == extent(b, back) || extent(a, back) == 1 || extent(b, back) == 1) {
        back++;
      }
      int axis = Math.max(a.rank(), b.rank()) - back;
      throw Errors.runtime(
          "The size of tensor a ("
              + extent(a, back)
              + ") must match the size of tensor b ("
              + extent(b, back)
              + ") at non-singleton dimension "
              + axis);
    }
    return Shapes.broadcast(a.shape(), b.shape());
  }

  private static long extent(HostTensor tensor, int back) {
    return back <= tensor.rank() ? tensor.shape()[tensor.rank() - back] : 1;
  }

  private static void compute(
      ElementOp op, HostTensor result, Operand a, Operand b, DType common, DType type) {
    Elements out = Elements.of(result.buffer(), type);
    Elements left = Elements.of(a.data().buffer(), a.dtype());
    Elements right = Elements.of(b.data().buffer(), b.dtype());
    int most = (int) Math.min(StridedLoop.LONGEST, result.elements());
    if (!common.isFloat() && !op.needsFloat()) {
      op.check(common);
      long[] u = new long[most];
      long[] v = new long[most];
      StridedLoop.runs(
          result.shape(),
          (p, at, steps, count) -> {
            left.read(at[1], steps[1], u, count);
            right.read(at[2], steps[2], v, count);
            for (int i = 0; i < count; i++) {
              u[i] = op.apply(u[i], v[i]);
            }
            out.write(at[0], steps[0], u, count);
          },
          result,
          a.data(),
          b.data());
      return;
    }
    op.check(common.isFloat() ? common : DType.FP32);
    DType working = common.isFloat() ? common : DType.FP32;
    Optional<DoubleUnaryOperator> x = conversion(a, working);
    Optional<DoubleUnaryOperator> y = conversion(b, working);
    double[] u = new double[most];
    double[] v = new double[most];
    StridedLoop.runs(
        result.shape(),
        (p, at, steps, count) -> {
          left.read(at[1], steps[1], u, 0, count);
          right.read(at[2], steps[2], v, 0, count);
          x.ifPresent(rounding -> each(rounding, u, count));
          y.ifPresent(rounding -> each(rounding, v, count));
          op.apply(u, v, count);
          out.write(at[0], steps[0], u, count);
        },
        result,
        a.data(),
        b.data());
  }

  private static void each(DoubleUnaryOperator function, double[] values, int count) {
    for (int i = 0; i < count; i++) {
      values[i] = function.applyAsDouble(values[i]);
    }
  }

  /**
   * Brings an operand's values to the working type; plain numbers meet halves as floats. Empty
   * where that changes nothing.
   */
  private static Optional<DoubleUnaryOperator> conversion(Operand operand, DType working) {
    DType target = operand.rank() == 0 && working.bytes() == 2 ? DType.FP32 : working;
    boolean exact =
        operand.dtype() == target
            || target == DType.FP64
            || (operand.dtype().isFloat() && operand.dtype().bytes() < target.bytes());
    return exact ? Optional.empty() : Optional.of(rounding(target));
  }

  /** Rounds a double to what a type can hold. */
  static DoubleUnaryOperator rounding(DType type) {
    return switch (type) {
      case FP32 -> v -> (float) v;
      case FP16 -> v -> Float.float16ToFloat(Float.floatToFloat16((float) v));
      case BF16 -> v -> Float.intBitsToFloat(Elements.toBFloat16((float) v) << 16);
      default -> v -> v;
    };
  }

  static TensorValue compare(
      CompareOperator operator, TensorValue self, Value other, Operand right, Interp interp) {
    Operand left = Operand.of(self);
    if ((operator == CompareOperator.EQ || operator == CompareOperator.NE)
        && !Shapes.broadcasts(left.data().shape(), right.data().shape())) {
      throw Errors.runtime(
          "The size of tensor a "
              + Tensors.shown(left.data().shape())
              + " must match the size of tensor b "
              + Tensors.shown(right.data().shape()));
    }
    TensorValue result = apply(ElementOp.of(operator), left, right, interp);
    Lineage lineage = Lineage.NONE;
    if (other instanceof TensorValue tensor && operator == CompareOperator.EQ) {
      lineage = Lineage.difference(self, tensor).within(0).whole(true);
    } else if (other instanceof TensorValue tensor && operator == CompareOperator.NE) {
      // Of `(y != golden).any()` a failing check wants to know the two sides, too.
      lineage = Lineage.difference(self, tensor).within(0);
    } else if (right.rank() == 0 && self.lineage().pair().isPresent()) {
      Elements bound = Elements.of(right.data().buffer(), right.dtype());
      boolean close = operator == CompareOperator.LT || operator == CompareOperator.LE;
      lineage = self.lineage().within(bound.getDouble(0)).whole(close && self.lineage().isWhole());
    } else if (right.rank() == 0
        && (operator == CompareOperator.EQ || operator == CompareOperator.NE)) {
      lineage = Lineage.difference(self, right).within(0).whole(operator == CompareOperator.EQ);
    }
    return result.with(lineage);
  }

  static TensorValue negate(TensorValue self, Interp interp) {
    if (self.data().dtype() == DType.BOOL) {
      throw Errors.runtime(
          "Negation, the `-` operator, on a bool tensor is not supported. If you are trying to"
              + " invert a mask, use the `~` or `logical_not()` operator instead.");
    }
    return map(self, self.data().dtype(), v -> -v, v -> -v, interp)
        .with(self.lineage().whole(false));
  }

  static TensorValue invert(TensorValue self, Interp interp) {
    DType type = self.data().dtype();
    if (type.isFloat()) {
      throw Errors.type(
          "~ (operator.invert) is only implemented on integer and Boolean-type tensors");
    }
    return type == DType.BOOL
        ? map(self, type, v -> v, v -> v == 0 ? 1 : 0, interp).with(self.lineage().whole(false))
        : map(self, type, v -> v, v -> ~v, interp);
  }

  /** Applies a function to every element; the long form serves whole types. */
  static TensorValue map(
      TensorValue self,
      DType type,
      DoubleUnaryOperator real,
      java.util.function.LongUnaryOperator whole,
      Interp interp) {
    HostTensor from = self.data();
    TensorValue result = Tensors.derived(type, from.shape(), self.origin(), interp);
    HostTensor to = result.data();
    Elements in = Elements.of(from.buffer(), from.dtype());
    Elements out = Elements.of(to.buffer(), type);
    int most = (int) Math.min(StridedLoop.LONGEST, from.elements());
    if (from.dtype().isFloat() || type.isFloat()) {
      double[] values = new double[most];
      StridedLoop.runs(
          from.shape(),
          (p, at, steps, count) -> {
            in.read(at[1], steps[1], values, 0, count);
            each(real, values, count);
            out.write(at[0], steps[0], values, count);
          },
          to,
          from);
    } else {
      long[] values = new long[most];
      StridedLoop.runs(
          from.shape(),
          (p, at, steps, count) -> {
            in.read(at[1], steps[1], values, count);
            for (int i = 0; i < count; i++) {
              values[i] = whole.applyAsLong(values[i]);
            }
            out.write(at[0], steps[0], values, count);
          },
          to,
          from);
    }
    return result;
  }

  /** A function of reals: whole types become float first, as torch does. */
  static TensorValue real(TensorValue self, DoubleUnaryOperator function, Interp interp) {
    DType type = self.data().dtype().isFloat() ? self.data().dtype() : DType.FP32;
    DoubleUnaryOperator first = rounding(type);
    return map(self, type, v -> function.applyAsDouble(first.applyAsDouble(v)), v -> v, interp);
  }
}
