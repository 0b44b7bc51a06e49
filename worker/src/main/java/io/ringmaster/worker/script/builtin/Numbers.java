package io.ringmaster.worker.script.builtin;

import io.ringmaster.worker.script.check.Claim;
import io.ringmaster.worker.script.check.Origin;
import io.ringmaster.worker.script.value.Budget;
import io.ringmaster.worker.script.value.Errors;
import io.ringmaster.worker.script.value.InstanceValue;
import io.ringmaster.worker.script.value.Value;
import io.ringmaster.worker.source.Expr.BinaryOperator;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Python's arithmetic on int, float and bool. */
public final class Numbers {

  private Numbers() {}

  public static boolean isNumber(Value value) {
    return value instanceof Value.Int
        || value instanceof Value.Float
        || value instanceof Value.Bool;
  }

  public static Origin origin(Value value) {
    return switch (value) {
      case Value.Int number -> number.origin();
      case Value.Float number -> number.origin();
      case Value.Bool bool -> bool.claim().isPresent() ? bool.claim().get().origin() : Origin.NONE;
      default -> Origin.NONE;
    };
  }

  /** The value of an int or bool; empty for anything else. */
  public static Optional<BigInteger> whole(Value value) {
    return switch (value) {
      case Value.Int number -> Optional.of(number.value());
      case Value.Bool bool -> Optional.of(bool.value() ? BigInteger.ONE : BigInteger.ZERO);
      case InstanceValue member when member.countsAs().isPresent() ->
          whole(member.countsAs().get());
      default -> Optional.empty();
    };
  }

  /** The value of a number as a double; huge integers are an OverflowError as in Python. */
  public static double real(Value value) {
    return switch (value) {
      case Value.Float number -> number.value();
      case Value.Int number -> toDouble(number.value());
      case Value.Bool bool -> bool.value() ? 1 : 0;
      default -> throw Errors.type("must be real number");
    };
  }

  private static double toDouble(BigInteger value) {
    double result = value.doubleValue();
    if (Double.isInfinite(result)) {
      throw Errors.overflow("int too large to convert to float");
    }
    return result;
  }

  /** Applies an operator to two numbers; empty when it isn't defined for them. */
  public static Optional<Value> binary(
      BinaryOperator operator, Value left, Value right, Budget budget) {
    if (!isNumber(left) || !isNumber(right)) {
      return Optional.empty();
    }
    Origin together =
        operator == BinaryOperator.SUBTRACT
            ? origin(left).less(origin(right))
            : origin(left).and(origin(right));
    Origin origin = together.reworked();
    Optional<BigInteger> a = whole(left);
    Optional<BigInteger> b = whole(right);
    if (a.isPresent() && b.isPresent()) {
      Optional<Value> bits =
          left instanceof Value.Bool x && right instanceof Value.Bool y
              ? logic(operator, x, y)
              : Optional.empty();
      return bits.isPresent() ? bits : integers(operator, a.get(), b.get(), origin, budget);
    }
    return floats(operator, real(left), real(right), origin);
  }

  private static Optional<Value> logic(BinaryOperator operator, Value.Bool left, Value.Bool right) {
    return switch (operator) {
      case BIT_AND -> Optional.of(joined(left.value() && right.value(), left, right, true));
      case BIT_OR -> Optional.of(joined(left.value() || right.value(), left, right, false));
      case BIT_XOR -> Optional.of(Value.of(left.value() != right.value()));
      case ADD,
          SUBTRACT,
          MULTIPLY,
          DIVIDE,
          FLOOR_DIVIDE,
          MODULO,
          POWER,
          MATRIX_MULTIPLY,
          SHIFT_LEFT,
          SHIFT_RIGHT ->
          Optional.empty();
    };
  }

  private static Value joined(boolean truth, Value.Bool left, Value.Bool right, boolean all) {
    List<Claim.Term> claims = new ArrayList<>();
    left.claim().ifPresent(claim -> claims.add(new Claim.Term(claim, left.inverted())));
    right.claim().ifPresent(claim -> claims.add(new Claim.Term(claim, right.inverted())));
    return claims.isEmpty() ? Value.of(truth) : Value.of(truth, Claim.joined(claims, truth, all));
  }

  /** The same number, which no longer tells how far apart tensors are. */
  static Value reworked(Value value) {
    return switch (value) {
      case Value.Int number -> new Value.Int(number.value(), number.origin().reworked());
      case Value.Float number -> new Value.Float(number.value(), number.origin().reworked());
      default -> value;
    };
  }

  /** The same number with more origins. */
  public static Value with(Value value, Origin origin) {
    return switch (value) {
      case Value.Int number -> new Value.Int(number.value(), number.origin().and(origin));
      case Value.Float number -> new Value.Float(number.value(), number.origin().and(origin));
      default -> value;
    };
  }

  private static Optional<Value> integers(
      BinaryOperator operator, BigInteger a, BigInteger b, Origin origin, Budget budget) {
    if (operator == BinaryOperator.DIVIDE) {
      return Optional.of(new Value.Float(divide(a, b), origin));
    }
    if (operator == BinaryOperator.POWER) {
      return Optional.of(power(a, b, origin, budget));
    }
    if (operator == BinaryOperator.MATRIX_MULTIPLY) {
      return Optional.empty();
    }
    BigInteger result =
        switch (operator) {
          case ADD -> a.add(b);
          case SUBTRACT -> a.subtract(b);
          case MULTIPLY -> multiply(a, b, budget);
          case FLOOR_DIVIDE, DIVIDE -> floorDivide(a, b);
          case MODULO -> floorModulo(a, b);
          case SHIFT_LEFT -> shiftLeft(a, b, budget);
          case SHIFT_RIGHT -> shiftRight(a, b);
          case BIT_AND -> a.and(b);
          case BIT_OR -> a.or(b);
          case BIT_XOR -> a.xor(b);
          case POWER, MATRIX_MULTIPLY -> a;
        };
    return Optional.of(new Value.Int(budget.checked(result), origin));
  }

  private static BigInteger multiply(BigInteger a, BigInteger b, Budget budget) {
    budget.bits((long) a.bitLength() + b.bitLength() - 1);
    return a.multiply(b);
  }

  private static BigInteger shiftRight(BigInteger a, BigInteger b) {
    if (b.signum() < 0) {
      throw Errors.value("negative shift count");
    }
    return a.shiftRight(b.bitLength() > 30 ? Integer.MAX_VALUE : b.intValue());
  }

  private static BigInteger shiftLeft(BigInteger a, BigInteger b, Budget budget) {
    if (b.signum() < 0) {
      throw Errors.value("negative shift count");
    }
    if (a.signum() == 0) {
      return a;
    }
    budget.bits(b.bitLength() > 40 ? Long.MAX_VALUE : a.bitLength() + b.longValue());
    return a.shiftLeft(b.intValue());
  }

  public static BigInteger floorDivide(BigInteger a, BigInteger b) {
    if (b.signum() == 0) {
      throw Errors.zeroDivision("integer division or modulo by zero");
    }
    BigInteger[] parts = a.divideAndRemainder(b);
    return parts[1].signum() != 0 && parts[1].signum() != b.signum()
        ? parts[0].subtract(BigInteger.ONE)
        : parts[0];
  }

  public static BigInteger floorModulo(BigInteger a, BigInteger b) {
    if (b.signum() == 0) {
      throw Errors.zeroDivision("integer modulo by zero");
    }
    BigInteger rest = a.remainder(b);
    return rest.signum() != 0 && rest.signum() != b.signum() ? rest.add(b) : rest;
  }

  private static double divide(BigInteger a, BigInteger b) {
    if (b.signum() == 0) {
      throw Errors.zeroDivision("division by zero");
    }
    if (a.bitLength() <= 53 && b.bitLength() <= 53) {
      return a.doubleValue() / b.doubleValue();
    }
    double result =
        new BigDecimal(a).divide(new BigDecimal(b), new java.math.MathContext(40)).doubleValue();
    if (Double.isInfinite(result)) {
      throw Errors.overflow("integer division result too large for a float");
    }
    return result;
  }

  private static Value power(BigInteger a, BigInteger b, Origin origin, Budget budget) {
    if (b.signum() < 0) {
      if (a.signum() == 0) {
        throw Errors.zeroDivision("0.0 cannot be raised to a negative power");
      }
      return new Value.Float(Math.pow(toDouble(a), toDouble(b)), origin);
    }
    if (a.bitLength() <= 1 && a.abs().compareTo(BigInteger.ONE) <= 0) {
      boolean odd = b.testBit(0);
      BigInteger small = b.signum() == 0 ? BigInteger.ONE : odd ? a : a.multiply(a);
      return new Value.Int(small, origin);
    }
    long exponent = b.bitLength() > 40 ? Long.MAX_VALUE / 128 : b.longValue();
    budget.bits((a.abs().bitLength() - 1L) * exponent + 1);
    return new Value.Int(budget.checked(a.pow((int) exponent)), origin);
  }

  private static Optional<Value> floats(
      BinaryOperator operator, double a, double b, Origin origin) {
    return switch (operator) {
      case ADD -> real(a + b, origin);
      case SUBTRACT -> real(a - b, origin);
      case MULTIPLY -> real(a * b, origin);
      case DIVIDE -> real(nonZero(a, b, "float division by zero") / b, origin);
      case FLOOR_DIVIDE ->
          real(floorDivide(nonZero(a, b, "float floor division by zero"), b), origin);
      case MODULO -> real(modulo(nonZero(a, b, "float modulo"), b), origin);
      case POWER -> real(power(a, b), origin);
      case SHIFT_LEFT, SHIFT_RIGHT, BIT_AND, BIT_OR, BIT_XOR, MATRIX_MULTIPLY -> Optional.empty();
    };
  }

  private static Optional<Value> real(double value, Origin origin) {
    return Optional.of(new Value.Float(value, origin));
  }

  private static double nonZero(double a, double b, String message) {
    if (b == 0) {
      throw Errors.zeroDivision(message);
    }
    return a;
  }

  /** Python's {@code %}: the result has the sign of the divisor. */
  public static double modulo(double a, double b) {
    double rest = a % b;
    if (rest != 0) {
      return (rest < 0) == (b < 0) ? rest : rest + b;
    }
    return Math.copySign(0.0, b);
  }

  /** Python's {@code //} on floats. */
  public static double floorDivide(double a, double b) {
    double rest = a % b;
    double quotient = (a - rest) / b;
    if (rest != 0 && (b < 0) != (rest < 0)) {
      quotient -= 1;
    }
    if (quotient == 0) {
      return Math.copySign(0.0, a / b);
    }
    double floor = Math.floor(quotient);
    return quotient - floor > 0.5 ? floor + 1 : floor;
  }

  private static double power(double a, double b) {
    if (a == 0 && b < 0) {
      throw Errors.zeroDivision("0.0 cannot be raised to a negative power");
    }
    if (a < 0 && Double.isFinite(a) && Double.isFinite(b) && b != Math.rint(b)) {
      throw Errors.value(
          "complex results are not available: negative number to a fractional power");
    }
    double result = a == 1 ? 1 : Math.pow(a, b);
    if (Double.isInfinite(result) && Double.isFinite(a) && Double.isFinite(b)) {
      throw Errors.overflow("(34, 'Numerical result out of range')");
    }
    return result;
  }

  /** Orders two numbers exactly; empty when one is NaN. */
  public static Optional<Integer> order(Value left, Value right) {
    Optional<BigInteger> a = whole(left);
    Optional<BigInteger> b = whole(right);
    if (a.isPresent() && b.isPresent()) {
      return Optional.of(a.get().compareTo(b.get()));
    }
    if (left instanceof Value.Float x && right instanceof Value.Float y) {
      return orderOf(x.value(), y.value());
    }
    if (left instanceof Value.Float x) {
      return orderOf(x.value(), b.orElseThrow());
    }
    return orderOf(((Value.Float) right).value(), a.orElseThrow()).map(order -> -order);
  }

  private static Optional<Integer> orderOf(double x, double y) {
    if (Double.isNaN(x) || Double.isNaN(y)) {
      return Optional.empty();
    }
    return Optional.of(x < y ? -1 : x > y ? 1 : 0);
  }

  private static Optional<Integer> orderOf(double x, BigInteger y) {
    if (Double.isNaN(x)) {
      return Optional.empty();
    }
    if (Double.isInfinite(x)) {
      return Optional.of(x > 0 ? 1 : -1);
    }
    return Optional.of(new BigDecimal(x).compareTo(new BigDecimal(y)));
  }
}
