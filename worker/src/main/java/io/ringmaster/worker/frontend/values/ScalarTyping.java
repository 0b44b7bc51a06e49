package io.ringmaster.worker.frontend.values;

import io.ringmaster.worker.ir.Expr;
import io.ringmaster.worker.ir.Expr.BinaryOp;
import io.ringmaster.worker.ir.Expr.UnaryOp;
import io.ringmaster.worker.ir.Type;
import io.ringmaster.worker.source.Expr.BinaryOperator;
import io.ringmaster.worker.source.Expr.CompareOperator;
import io.ringmaster.worker.source.Span;
import io.ringmaster.worker.tensor.DType;
import java.util.Optional;

/** Types of scalar expressions: promotion inside one category, and nothing between categories. */
public final class ScalarTyping {

  private ScalarTyping() {}

  /** The dtype of a scalar value; refuses anything else. */
  public static DType dtype(Expr operand, String spelling, Span span) {
    if (operand.type() instanceof Type.Scalar(DType dtype)) {
      return dtype;
    }
    throw Refusal.of(
        "'" + spelling + "' works on scalars, got " + TypeText.of(operand.type()),
        "tiles and tensors are combined by pl.add, pl.sub, pl.mul, pl.div",
        span);
  }

  /**
   * Arithmetic of two scalars.
   *
   * @param onDevice true in device functions, where scalar floating-point arithmetic doesn't exist
   */
  public static Expr binary(
      BinaryOperator operator, Expr left, Expr right, boolean onDevice, Span span) {
    BinaryOp op = arithmetic(operator, span);
    DType result = promote(op.spelling(), left, right, span);
    if (result.isFloat() && (op == BinaryOp.SHIFT_LEFT || op == BinaryOp.SHIFT_RIGHT)) {
      throw Refusal.of(
          "'" + op.spelling() + "' needs integer operands", "multiply or divide instead", span);
    }
    if (result.isFloat() && onDevice) {
      throw Refusal.of(
          "scalar "
              + result
              + " '"
              + op.spelling()
              + "' can't run on the core: arith."
              + mnemonic(op)
              + " explicitly marked illegal",
          "fold the scalar into a vector operation, e.g. pl.add(tile, s)",
          span);
    }
    if (op == BinaryOp.DIV && !result.isFloat()) {
      throw Refusal.of(
          "'/' of two integers has no meaning in a kernel",
          "use // for the quotient, % for the remainder",
          span);
    }
    if ((op == BinaryOp.FLOOR_DIV || op == BinaryOp.MOD)
        && right instanceof Expr.IntConst(long value, _, _)
        && value == 0) {
      throw Refusal.of(
          "division by zero: the right side of '" + op.spelling() + "' is 0",
          "divide by something else",
          span);
    }
    return new Expr.Binary(op, left, right, new Type.Scalar(result), span);
  }

  /** {@code pl.min}, {@code pl.max}. */
  public static Expr extreme(BinaryOp op, Expr left, Expr right, Span span) {
    DType result = promote(op.spelling(), left, right, span);
    return new Expr.Binary(op, left, right, new Type.Scalar(result), span);
  }

  private static DType promote(String spelling, Expr left, Expr right, Span span) {
    DType a = dtype(left, spelling, span);
    DType b = dtype(right, spelling, span);
    if (a == DType.BOOL || b == DType.BOOL) {
      throw Refusal.of(
          "'" + spelling + "' does not accept bool dtype", "compare or use and / or / not", span);
    }
    if (a.isFloat() != b.isFloat()) {
      throw Refusal.of(
          "'" + spelling + "' requires same numeric dtype category, got " + a + " and " + b,
          "convert one side with pl.cast",
          span);
    }
    return b.bytes() > a.bytes() ? b : a;
  }

  private static BinaryOp arithmetic(BinaryOperator operator, Span span) {
    return switch (operator) {
      case ADD -> BinaryOp.ADD;
      case SUBTRACT -> BinaryOp.SUB;
      case MULTIPLY -> BinaryOp.MUL;
      case DIVIDE -> BinaryOp.DIV;
      case FLOOR_DIVIDE -> BinaryOp.FLOOR_DIV;
      case MODULO -> BinaryOp.MOD;
      case SHIFT_LEFT -> BinaryOp.SHIFT_LEFT;
      case SHIFT_RIGHT -> BinaryOp.SHIFT_RIGHT;
      case POWER, MATRIX_MULTIPLY, BIT_AND, BIT_OR, BIT_XOR -> throw unsupported(operator, span);
    };
  }

  /** True for the operators of Python that scalars of a kernel don't have. */
  public static boolean isUnsupported(BinaryOperator operator) {
    return switch (operator) {
      case POWER, MATRIX_MULTIPLY, BIT_AND, BIT_OR, BIT_XOR -> true;
      case ADD, SUBTRACT, MULTIPLY, DIVIDE, FLOOR_DIVIDE, MODULO, SHIFT_LEFT, SHIFT_RIGHT -> false;
    };
  }

  /** What to say of one of them. */
  public static Refusal unsupported(BinaryOperator operator, Span span) {
    String hint =
        switch (operator) {
          case POWER -> "multiply: x * x; a power of two is 1 << n";
          case MATRIX_MULTIPLY -> "pl.matmul multiplies matrices";
          case BIT_AND -> "x % 2 is the lowest bit, x % 4 the lowest two; conditions have and";
          case BIT_OR -> "conditions have or";
          case BIT_XOR -> "conditions have !=; bits of numbers are combined in the driver";
          default -> "a kernel has + - * / // % << >>";
        };
    return Refusal.of("Unsupported binary operator: " + operator.spelling(), hint, span);
  }

  private static String mnemonic(BinaryOp op) {
    return switch (op) {
      case SUB -> "subf";
      case MUL -> "mulf";
      case DIV, FLOOR_DIV -> "divf";
      case MOD -> "remf";
      case ADD, SHIFT_LEFT, SHIFT_RIGHT, MIN, MAX, EQ, NE, LT, LE, GT, GE, AND, OR -> "addf";
    };
  }

  /** A comparison of two scalars of one category. */
  public static Expr compare(CompareOperator operator, Expr left, Expr right, Span span) {
    Optional<BinaryOp> op = comparison(operator);
    if (op.isEmpty()) {
      throw Refusal.of(
          "Unsupported comparison: '" + operator.spelling() + "'",
          "use ==, !=, <, <=, > or >=",
          span);
    }
    DType a = dtype(left, operator.spelling(), span);
    DType b = dtype(right, operator.spelling(), span);
    if ((a == DType.BOOL) != (b == DType.BOOL) || a.isFloat() != b.isFloat()) {
      throw Refusal.of(
          "'"
              + operator.spelling()
              + "' requires same numeric dtype category, got "
              + a
              + " and "
              + b,
          "convert one side with pl.cast",
          span);
    }
    return new Expr.Binary(op.get(), left, right, new Type.Scalar(DType.BOOL), span);
  }

  private static Optional<BinaryOp> comparison(CompareOperator operator) {
    return switch (operator) {
      case EQ -> Optional.of(BinaryOp.EQ);
      case NE -> Optional.of(BinaryOp.NE);
      case LT -> Optional.of(BinaryOp.LT);
      case LE -> Optional.of(BinaryOp.LE);
      case GT -> Optional.of(BinaryOp.GT);
      case GE -> Optional.of(BinaryOp.GE);
      case IS, IS_NOT, IN, NOT_IN -> Optional.empty();
    };
  }

  /** {@code and}, {@code or} of two BOOL scalars. */
  public static Expr logic(boolean isAnd, Expr left, Expr right, Span span) {
    String spelling = isAnd ? "and" : "or";
    requireBool(left, spelling);
    requireBool(right, spelling);
    BinaryOp op = isAnd ? BinaryOp.AND : BinaryOp.OR;
    return new Expr.Binary(op, left, right, new Type.Scalar(DType.BOOL), span);
  }

  public static Expr not(Expr operand, Span span) {
    requireBool(operand, "not");
    return new Expr.Unary(UnaryOp.NOT, operand, new Type.Scalar(DType.BOOL), span);
  }

  private static void requireBool(Expr operand, String spelling) {
    if (dtype(operand, spelling, operand.span()) != DType.BOOL) {
      throw Refusal.of(
          "'" + spelling + "' needs Bool-typed scalars, got " + TypeText.of(operand.type()),
          "compare the value, e.g. x != 0",
          operand.span());
    }
  }

  /** {@code -x} and {@code ~x}. */
  public static Expr unary(UnaryOp op, Expr operand, Span span) {
    DType dtype = dtype(operand, op.spelling(), span);
    if (dtype == DType.BOOL || (op == UnaryOp.INVERT && dtype.isFloat())) {
      throw Refusal.of(
          "'" + op.spelling() + "' does not accept " + dtype,
          dtype == DType.BOOL ? "conditions have not" : "only integers have bits",
          span);
    }
    return new Expr.Unary(op, operand, operand.type(), span);
  }

  /** {@code pl.cast} of a scalar, and the implicit conversion of a scalar argument. */
  public static Expr convert(Expr operand, DType to, Span span) {
    DType from = dtype(operand, "pl.cast", span);
    if (from == to) {
      return operand;
    }
    return switch (operand) {
      case Expr.IntConst(long value, _, _) when to.isInteger() ->
          new Expr.IntConst(value, to, span);
      case Expr.IntConst(long value, _, _) when to.isFloat() ->
          new Expr.FloatConst(value, to, span);
      case Expr.FloatConst(double value, _, _) when to.isFloat() ->
          new Expr.FloatConst(value, to, span);
      case Expr other -> {
        if ((from == DType.INDEX && to.isFloat()) || (from.isFloat() && to == DType.INDEX)) {
          throw Refusal.of(
              "Cast between float and index types is not supported",
              "cast to pl.INT32 first",
              span);
        }
        yield new Expr.Convert(other, to, span);
      }
    };
  }
}
