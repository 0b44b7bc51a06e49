package io.ringmaster.worker.frontend.values;

import io.ringmaster.worker.frontend.ClosureValue;
import io.ringmaster.worker.source.Expr.BinaryOperator;
import io.ringmaster.worker.source.Expr.CompareOperator;
import io.ringmaster.worker.source.Expr.UnaryOperator;
import io.ringmaster.worker.source.Span;
import java.util.ArrayList;
import java.util.List;

/** Folds expressions over Python values the way Python would. */
public final class PythonArithmetic {

  private PythonArithmetic() {}

  public static ClosureValue binary(
      BinaryOperator operator, ClosureValue left, ClosureValue right, Span span) {
    if (isInteger(left) && isInteger(right)) {
      return integers(operator, integer(left), integer(right), span);
    }
    if (isNumber(left) && isNumber(right)) {
      return floats(operator, number(left), number(right), span);
    }
    if (operator == BinaryOperator.ADD
        && left instanceof ClosureValue.Text(String a)
        && right instanceof ClosureValue.Text(String b)) {
      return new ClosureValue.Text(a + b);
    }
    if (operator == BinaryOperator.ADD
        && left instanceof ClosureValue.Sequence(var a)
        && right instanceof ClosureValue.Sequence(var b)) {
      List<ClosureValue> both = new ArrayList<>(a);
      both.addAll(b);
      return new ClosureValue.Sequence(both);
    }
    throw Refusal.of(
        "unsupported operand types for "
            + operator.spelling()
            + ": '"
            + typeName(left)
            + "' and '"
            + typeName(right)
            + "'",
        "both have to be numbers",
        span);
  }

  private static ClosureValue integers(BinaryOperator operator, long a, long b, Span span) {
    try {
      return switch (operator) {
        case ADD -> new ClosureValue.Int(Math.addExact(a, b));
        case SUBTRACT -> new ClosureValue.Int(Math.subtractExact(a, b));
        case MULTIPLY -> new ClosureValue.Int(Math.multiplyExact(a, b));
        case DIVIDE -> new ClosureValue.Float((double) a / notZero(b, span));
        case FLOOR_DIVIDE -> new ClosureValue.Int(Math.floorDiv(a, notZero(b, span)));
        case MODULO -> new ClosureValue.Int(Math.floorMod(a, notZero(b, span)));
        case POWER -> power(a, b);
        case SHIFT_LEFT -> new ClosureValue.Int(shiftLeft(a, b, span));
        case SHIFT_RIGHT -> new ClosureValue.Int(a >> Math.min(shiftAmount(b, span), 63));
        case BIT_AND -> new ClosureValue.Int(a & b);
        case BIT_OR -> new ClosureValue.Int(a | b);
        case BIT_XOR -> new ClosureValue.Int(a ^ b);
        case MATRIX_MULTIPLY ->
            throw Refusal.of("Unsupported binary operator: @", "use pl.matmul(a, b)", span);
      };
    } catch (ArithmeticException overflow) {
      throw Refusal.of(
          "the constant " + a + " " + operator.spelling() + " " + b + " doesn't fit into 64 bits",
          "the largest is 9223372036854775807",
          span);
    }
  }

  private static ClosureValue power(long a, long b) {
    if (b < 0) {
      return new ClosureValue.Float(Math.pow((double) a, (double) b));
    }
    long result = 1;
    for (long i = 0; i < b && a != 1; i++) {
      if (a == 0 || a == -1) {
        return new ClosureValue.Int(a == 0 ? 0 : ((b % 2 == 0) ? 1 : -1));
      }
      result = Math.multiplyExact(result, a);
    }
    return new ClosureValue.Int(result);
  }

  private static long shiftLeft(long a, long b, Span span) {
    long amount = shiftAmount(b, span);
    if (a == 0) {
      return 0;
    }
    if (amount > 62) {
      throw new ArithmeticException("overflow");
    }
    return Math.multiplyExact(a, 1L << amount);
  }

  private static long shiftAmount(long b, Span span) {
    if (b < 0) {
      throw Refusal.of("negative shift count", "shift to the other side", span);
    }
    return b;
  }

  private static ClosureValue floats(BinaryOperator operator, double a, double b, Span span) {
    return switch (operator) {
      case ADD -> new ClosureValue.Float(a + b);
      case SUBTRACT -> new ClosureValue.Float(a - b);
      case MULTIPLY -> new ClosureValue.Float(a * b);
      case DIVIDE -> new ClosureValue.Float(a / notZero(b, span));
      case FLOOR_DIVIDE -> new ClosureValue.Float(Math.floor(a / notZero(b, span)));
      case MODULO -> new ClosureValue.Float(a - Math.floor(a / notZero(b, span)) * b);
      case POWER -> new ClosureValue.Float(Math.pow(a, b));
      case SHIFT_LEFT, SHIFT_RIGHT, BIT_AND, BIT_OR, BIT_XOR, MATRIX_MULTIPLY ->
          throw Refusal.of(
              "unsupported operand types for " + operator.spelling() + ": 'float'",
              "only integers have bits",
              span);
    };
  }

  public static ClosureValue unary(UnaryOperator operator, ClosureValue operand, Span span) {
    return switch (operator) {
      case NOT -> new ClosureValue.Bool(!truth(operand, span));
      case PLUS -> throw Refusal.of("Unsupported unary operator: +", "leave the sign away", span);
      case NEGATE -> {
        if (isInteger(operand)) {
          yield integers(BinaryOperator.SUBTRACT, 0, integer(operand), span);
        }
        if (operand instanceof ClosureValue.Float(double value)) {
          yield new ClosureValue.Float(-value);
        }
        throw Refusal.of(
            "bad operand type for unary -: '" + typeName(operand) + "'",
            "it has to be a number",
            span);
      }
      case INVERT -> {
        if (isInteger(operand)) {
          yield new ClosureValue.Int(~integer(operand));
        }
        throw Refusal.of(
            "bad operand type for unary ~: '" + typeName(operand) + "'",
            "only integers have bits",
            span);
      }
    };
  }

  public static boolean compare(
      CompareOperator operator, ClosureValue left, ClosureValue right, Span span) {
    return switch (operator) {
      case EQ -> same(left, right);
      case NE -> !same(left, right);
      case LT -> order(operator, left, right, span) < 0;
      case LE -> order(operator, left, right, span) <= 0;
      case GT -> order(operator, left, right, span) > 0;
      case GE -> order(operator, left, right, span) >= 0;
      case IS, IS_NOT, IN, NOT_IN ->
          throw Refusal.of(
              "Unsupported comparison: '" + operator.spelling() + "'",
              "use ==, !=, <, <=, > or >=",
              span);
    };
  }

  private static boolean same(ClosureValue left, ClosureValue right) {
    if (isInteger(left) && isInteger(right)) {
      return integer(left) == integer(right);
    }
    if (isNumber(left) && isNumber(right)) {
      return number(left) == number(right);
    }
    return left.equals(right);
  }

  private static int order(
      CompareOperator operator, ClosureValue left, ClosureValue right, Span span) {
    if (isInteger(left) && isInteger(right)) {
      return Long.compare(integer(left), integer(right));
    }
    if (isNumber(left) && isNumber(right)) {
      return Double.compare(number(left), number(right));
    }
    if (left instanceof ClosureValue.Text(String a)
        && right instanceof ClosureValue.Text(String b)) {
      return a.compareTo(b);
    }
    throw Refusal.of(
        "'"
            + operator.spelling()
            + "' not supported between '"
            + typeName(left)
            + "' and '"
            + typeName(right)
            + "'",
        "both have to be numbers",
        span);
  }

  /** Python's truth of a constant. */
  public static boolean truth(ClosureValue value, Span span) {
    return switch (value) {
      case ClosureValue.Bool(boolean truth) -> truth;
      case ClosureValue.Int(long number) -> number != 0;
      case ClosureValue.Float(double number) -> number != 0;
      case ClosureValue.Text(String text) -> !text.isEmpty();
      case ClosureValue.None _ -> false;
      case ClosureValue.Sequence(var elements) -> !elements.isEmpty();
      case ClosureValue.Dtype _,
          ClosureValue.DynamicDim _,
          ClosureValue.Path _,
          ClosureValue.Kernel _,
          ClosureValue.Annotation _,
          ClosureValue.Unsupported _ ->
          throw Refusal.of(
              "a " + typeName(value) + " is not a condition", "compare it with something", span);
    };
  }

  public static boolean isInteger(ClosureValue value) {
    return value instanceof ClosureValue.Int || value instanceof ClosureValue.Bool;
  }

  private static boolean isNumber(ClosureValue value) {
    return isInteger(value) || value instanceof ClosureValue.Float;
  }

  private static long integer(ClosureValue value) {
    return switch (value) {
      case ClosureValue.Int(long number) -> number;
      case ClosureValue.Bool(boolean truth) -> truth ? 1 : 0;
      case ClosureValue other -> throw new IllegalArgumentException(typeName(other));
    };
  }

  private static double number(ClosureValue value) {
    return value instanceof ClosureValue.Float(double number) ? number : integer(value);
  }

  private static long notZero(long divisor, Span span) {
    if (divisor == 0) {
      throw Refusal.of("division by zero", "divide by something else", span);
    }
    return divisor;
  }

  private static double notZero(double divisor, Span span) {
    if (divisor == 0) {
      throw Refusal.of("division by zero", "divide by something else", span);
    }
    return divisor;
  }

  /** Python's name of a constant's type. */
  public static String typeName(ClosureValue value) {
    return switch (value) {
      case ClosureValue.Int _ -> "int";
      case ClosureValue.Float _ -> "float";
      case ClosureValue.Bool _ -> "bool";
      case ClosureValue.Text _ -> "str";
      case ClosureValue.None _ -> "NoneType";
      case ClosureValue.Sequence _ -> "list";
      case ClosureValue.Dtype _ -> "DataType";
      case ClosureValue.DynamicDim _ -> "dynamic dim";
      case ClosureValue.Path(String name) -> "'" + PathNames.printed(name) + "'";
      case ClosureValue.Kernel _ -> "function";
      case ClosureValue.Annotation _ -> "type";
      case ClosureValue.Unsupported(String typeName) -> typeName;
    };
  }
}
