package io.ringmaster.worker.script.torch;

import io.ringmaster.worker.script.builtin.Numbers;
import io.ringmaster.worker.script.value.Errors;
import io.ringmaster.worker.source.Expr.BinaryOperator;
import io.ringmaster.worker.source.Expr.CompareOperator;
import io.ringmaster.worker.tensor.DType;
import java.util.Locale;

/** The element-wise operations on two tensors. */
enum ElementOp {
  ADD,
  SUB,
  MUL,
  TRUE_DIVIDE,
  FLOOR_DIVIDE,
  REMAINDER,
  FMOD,
  POW,
  BITWISE_AND,
  BITWISE_OR,
  BITWISE_XOR,
  SHIFT_LEFT,
  SHIFT_RIGHT,
  MAXIMUM,
  MINIMUM,
  EQ,
  NE,
  LT,
  LE,
  GT,
  GE,
  LOGICAL_AND,
  LOGICAL_OR,
  LOGICAL_XOR;

  static ElementOp of(BinaryOperator operator) {
    return switch (operator) {
      case ADD -> ADD;
      case SUBTRACT -> SUB;
      case MULTIPLY -> MUL;
      case DIVIDE -> TRUE_DIVIDE;
      case FLOOR_DIVIDE -> FLOOR_DIVIDE;
      case MODULO -> REMAINDER;
      case POWER -> POW;
      case BIT_AND -> BITWISE_AND;
      case BIT_OR -> BITWISE_OR;
      case BIT_XOR -> BITWISE_XOR;
      case SHIFT_LEFT -> SHIFT_LEFT;
      case SHIFT_RIGHT -> SHIFT_RIGHT;
      case MATRIX_MULTIPLY -> throw Errors.type("@ is not element-wise");
    };
  }

  static ElementOp of(CompareOperator operator) {
    return switch (operator) {
      case EQ -> EQ;
      case NE -> NE;
      case LT -> LT;
      case LE -> LE;
      case GT -> GT;
      case GE -> GE;
      case IS, IS_NOT, IN, NOT_IN -> throw Errors.type("not an element-wise comparison");
    };
  }

  /** True for operations that give truth values. */
  boolean comparesElements() {
    return switch (this) {
      case EQ, NE, LT, LE, GT, GE, LOGICAL_AND, LOGICAL_OR, LOGICAL_XOR -> true;
      default -> false;
    };
  }

  /** True for operations that turn whole numbers into floats. */
  boolean needsFloat() {
    return this == TRUE_DIVIDE;
  }

  DType resultType(DType common) {
    if (comparesElements()) {
      return DType.BOOL;
    }
    if (needsFloat() && !common.isFloat()) {
      return DType.FP32;
    }
    return common;
  }

  /** Refuses types the operation doesn't take. */
  void check(DType common) {
    boolean bits =
        switch (this) {
          case BITWISE_AND, BITWISE_OR, BITWISE_XOR, SHIFT_LEFT, SHIFT_RIGHT -> true;
          default -> false;
        };
    if (bits && common.isFloat()) {
      throw Errors.runtime(
          "\""
              + name().toLowerCase(Locale.ROOT)
              + "_cpu\" not implemented for '"
              + Dtypes.scalarName(common)
              + "'");
    }
    if (this == SUB && common == DType.BOOL) {
      throw Errors.runtime(
          "Subtraction, the `-` operator, with two bool tensors is not supported. Use the `^` or"
              + " `logical_xor()` operator instead.");
    }
  }

  double apply(double a, double b) {
    return switch (this) {
      case ADD -> a + b;
      case SUB -> a - b;
      case MUL -> a * b;
      case TRUE_DIVIDE -> a / b;
      case FLOOR_DIVIDE -> b == 0 ? a / b : Numbers.floorDivide(a, b);
      case REMAINDER -> b == 0 ? Double.NaN : modulo(a, b);
      case FMOD -> a % b;
      case POW -> power(a, b);
      case MAXIMUM -> Math.max(a, b);
      case MINIMUM -> Math.min(a, b);
      case EQ -> flag(a == b);
      case NE -> flag(a != b);
      case LT -> flag(a < b);
      case LE -> flag(a <= b);
      case GT -> flag(a > b);
      case GE -> flag(a >= b);
      case LOGICAL_AND -> flag(a != 0 && b != 0);
      case LOGICAL_OR -> flag(a != 0 || b != 0);
      case LOGICAL_XOR -> flag((a != 0) != (b != 0));
      case BITWISE_AND, BITWISE_OR, BITWISE_XOR, SHIFT_LEFT, SHIFT_RIGHT -> Double.NaN;
    };
  }

  /** {@code a[i] = apply(a[i], b[i])} for the first {@code count} values. */
  void apply(double[] a, double[] b, int count) {
    // What goldens are made of has loops of its own, which the compiler turns into vectors.
    switch (this) {
      case ADD -> {
        for (int i = 0; i < count; i++) {
          a[i] += b[i];
        }
      }
      case SUB -> {
        for (int i = 0; i < count; i++) {
          a[i] -= b[i];
        }
      }
      case MUL -> {
        for (int i = 0; i < count; i++) {
          a[i] *= b[i];
        }
      }
      case TRUE_DIVIDE -> {
        for (int i = 0; i < count; i++) {
          a[i] /= b[i];
        }
      }
      default -> {
        for (int i = 0; i < count; i++) {
          a[i] = apply(a[i], b[i]);
        }
      }
    }
  }

  /** As C has it: 1 to whatever power is 1, and so is -1 to an infinite one. */
  static double power(double base, double exponent) {
    boolean one = base == 1 || (base == -1 && Double.isInfinite(exponent));
    return one ? 1 : Math.pow(base, exponent);
  }

  private static double modulo(double a, double b) {
    double rest = a % b;
    return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
  }

  private static double flag(boolean value) {
    return value ? 1 : 0;
  }

  long apply(long a, long b) {
    return switch (this) {
      case ADD -> a + b;
      case SUB -> a - b;
      case MUL -> a * b;
      case TRUE_DIVIDE, FLOOR_DIVIDE -> Math.floorDiv(a, nonZero(b));
      case REMAINDER -> Math.floorMod(a, nonZero(b));
      case FMOD -> a % nonZero(b);
      case POW -> power(a, b);
      case BITWISE_AND -> a & b;
      case BITWISE_OR -> a | b;
      case BITWISE_XOR -> a ^ b;
      case SHIFT_LEFT -> b < 0 || b > 63 ? 0 : a << b;
      case SHIFT_RIGHT -> a >> Math.clamp(b, 0, 63);
      case MAXIMUM -> Math.max(a, b);
      case MINIMUM -> Math.min(a, b);
      case EQ -> a == b ? 1 : 0;
      case NE -> a != b ? 1 : 0;
      case LT -> a < b ? 1 : 0;
      case LE -> a <= b ? 1 : 0;
      case GT -> a > b ? 1 : 0;
      case GE -> a >= b ? 1 : 0;
      case LOGICAL_AND -> a != 0 && b != 0 ? 1 : 0;
      case LOGICAL_OR -> a != 0 || b != 0 ? 1 : 0;
      case LOGICAL_XOR -> (a != 0) != (b != 0) ? 1 : 0;
    };
  }

  private static long nonZero(long divisor) {
    if (divisor == 0) {
      throw Errors.runtime("ZeroDivisionError");
    }
    return divisor;
  }

  private static long power(long base, long exponent) {
    if (exponent < 0) {
      throw Errors.runtime("Integers to negative integer powers are not allowed.");
    }
    long result = 1;
    long square = base;
    for (long rest = exponent; rest > 0; rest >>= 1) {
      if ((rest & 1) == 1) {
        result *= square;
      }
      square *= square;
    }
    return result;
  }
}
