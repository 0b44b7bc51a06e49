package io.ringmaster.worker.codegen;

import io.ringmaster.worker.fabric.Finding;
import io.ringmaster.worker.fabric.KernelFault;
import io.ringmaster.worker.ir.Expr;
import io.ringmaster.worker.ir.Expr.BinaryOp;
import io.ringmaster.worker.ir.Type;
import io.ringmaster.worker.source.Span;
import io.ringmaster.worker.tensor.DType;
import java.util.List;

/**
 * Compiles scalar expressions. Integers wrap in the width of their type; {@code //} and {@code %}
 * floor in HOST functions and truncate elsewhere.
 */
final class ExprCompiler {

  private final Registers registers;
  private final boolean host;

  ExprCompiler(Registers registers, boolean host) {
    this.registers = registers;
    this.host = host;
  }

  static DType dtype(Type type) {
    if (type instanceof Type.Scalar scalar) {
      return scalar.dtype();
    }
    throw new IllegalArgumentException("not a scalar: " + type);
  }

  /** The scalars of a tuple operand; a lone scalar counts as a tuple of one. */
  LongExpr[] tuple(Expr expr) {
    List<Expr> elements = expr instanceof Expr.TupleExpr list ? list.elements() : List.of(expr);
    LongExpr[] scalars = new LongExpr[elements.size()];
    for (int i = 0; i < scalars.length; i++) {
      scalars[i] = scalar(elements.get(i));
    }
    return scalars;
  }

  LongExpr scalar(Expr expr) {
    return switch (expr) {
      case Expr.IntConst constant -> {
        long value =
            constant.dtype().isFloat()
                ? Scalars.raw(constant.dtype(), (double) constant.value())
                : Scalars.wrap(constant.dtype(), constant.value());
        yield new LongExpr.Constant(value);
      }
      case Expr.FloatConst constant -> {
        long value = Scalars.raw(constant.dtype(), constant.value());
        yield frame -> value;
      }
      case Expr.BoolConst constant -> {
        long value = constant.value() ? 1 : 0;
        yield frame -> value;
      }
      case Expr.Var variable -> {
        int slot = registers.of(variable.name(), new Type.Scalar(dtype(variable.type())));
        yield frame -> frame.longs[slot];
      }
      case Expr.Dim dim -> {
        int slot = registers.dim(dim.name());
        yield frame -> frame.longs[slot];
      }
      case Expr.Convert convert -> {
        DType from = dtype(convert.operand().type());
        DType to = convert.dtype();
        LongExpr operand = scalar(convert.operand());
        yield from == to ? operand : frame -> Scalars.convert(operand.eval(frame), from, to);
      }
      case Expr.Unary unary -> unary(unary);
      case Expr.Binary binary -> binary(binary);
      case Expr.Op op -> query(op);
      case Expr.TupleExpr tuple -> throw new IllegalArgumentException("a tuple isn't a scalar");
      case Expr.Call call ->
          throw new IllegalArgumentException("call of " + call.function() + " inside a scalar");
    };
  }

  /** As {@link #scalar}, converted to {@code wanted}. */
  LongExpr scalarAs(Expr expr, DType wanted) {
    return scalar(new Expr.Convert(expr, wanted, expr.span()));
  }

  /** Operations without side effects that a scalar may contain. */
  private LongExpr query(Expr.Op op) {
    return switch (op.code()) {
      case WORLD_SIZE -> frame -> frame.machine.environment().worldSize();
      case RANK -> {
        int slot = reference(op.operands().getFirst());
        yield frame -> frame.context(slot).localRank();
      }
      case NRANKS -> {
        int slot = reference(op.operands().getFirst());
        yield frame -> frame.context(slot).window().size();
      }
      case DIM -> {
        int slot = reference(op.operands().getFirst());
        int axis =
            op.attributes().containsKey("axis")
                ? (int) Attributes.integer(op, "axis", 0)
                : constant(op.operands().get(1));
        yield frame -> {
          long[] shape = frame.view(slot).shape();
          return shape[axis < 0 ? axis + shape.length : axis];
        };
      }
      default -> throw new IllegalArgumentException(op.code() + " inside a scalar expression");
    };
  }

  private static int constant(Expr expr) {
    if (expr instanceof Expr.IntConst constant) {
      return Math.toIntExact(constant.value());
    }
    throw new IllegalArgumentException("a constant is needed, got " + expr);
  }

  private int reference(Expr expr) {
    if (expr instanceof Expr.Var variable) {
      return registers.of(variable);
    }
    throw new IllegalArgumentException("a variable is needed, got " + expr);
  }

  private LongExpr unary(Expr.Unary unary) {
    LongExpr operand = scalar(unary.operand());
    DType type = dtype(unary.operand().type());
    return switch (unary.op()) {
      case NOT -> frame -> operand.eval(frame) == 0 ? 1 : 0;
      case INVERT -> frame -> Scalars.wrap(type, ~operand.eval(frame));
      case NEGATE ->
          type.isFloat()
              ? frame -> Double.doubleToRawLongBits(-Double.longBitsToDouble(operand.eval(frame)))
              : frame -> Scalars.wrap(type, -operand.eval(frame));
    };
  }

  private LongExpr binary(Expr.Binary binary) {
    DType left = dtype(binary.left().type());
    DType right = dtype(binary.right().type());
    if (binary.op() == BinaryOp.AND || binary.op() == BinaryOp.OR) {
      LongExpr a = scalar(binary.left());
      LongExpr b = scalar(binary.right());
      return binary.op() == BinaryOp.AND
          ? frame -> a.eval(frame) != 0 && b.eval(frame) != 0 ? 1 : 0
          : frame -> a.eval(frame) != 0 || b.eval(frame) != 0 ? 1 : 0;
    }
    if (left.isFloat() || right.isFloat()) {
      return floats(binary, left, right);
    }
    LongExpr a = scalar(binary.left());
    LongExpr b = scalar(binary.right());
    boolean unsigned = left == DType.UINT64 && right == DType.UINT64;
    return switch (binary.op()) {
      case EQ -> frame -> a.eval(frame) == b.eval(frame) ? 1 : 0;
      case NE -> frame -> a.eval(frame) != b.eval(frame) ? 1 : 0;
      case LT -> frame -> compare(a, b, frame, unsigned) < 0 ? 1 : 0;
      case LE -> frame -> compare(a, b, frame, unsigned) <= 0 ? 1 : 0;
      case GT -> frame -> compare(a, b, frame, unsigned) > 0 ? 1 : 0;
      case GE -> frame -> compare(a, b, frame, unsigned) >= 0 ? 1 : 0;
      case MIN -> frame -> compare(a, b, frame, unsigned) <= 0 ? a.eval(frame) : b.eval(frame);
      case MAX -> frame -> compare(a, b, frame, unsigned) >= 0 ? a.eval(frame) : b.eval(frame);
      default -> arithmetic(binary, a, b);
    };
  }

  private static int compare(LongExpr a, LongExpr b, Frame frame, boolean unsigned) {
    long left = a.eval(frame);
    long right = b.eval(frame);
    return unsigned ? Long.compareUnsigned(left, right) : Long.compare(left, right);
  }

  private LongExpr arithmetic(Expr.Binary binary, LongExpr a, LongExpr b) {
    DType type = dtype(binary.type());
    Span span = binary.span();
    LongExpr plain =
        switch (binary.op()) {
          case ADD -> frame -> a.eval(frame) + b.eval(frame);
          case SUB -> frame -> a.eval(frame) - b.eval(frame);
          case MUL -> frame -> a.eval(frame) * b.eval(frame);
          case SHIFT_LEFT -> frame -> shift(a.eval(frame), b.eval(frame), true);
          case SHIFT_RIGHT -> frame -> shift(a.eval(frame), b.eval(frame), false);
          case DIV, FLOOR_DIV ->
              host
                  ? frame -> Math.floorDiv(a.eval(frame), divisor(frame, b, "//", span))
                  : frame -> {
                    long left = a.eval(frame);
                    long right = divisor(frame, b, "//", span);
                    long result = left / right;
                    warn(frame, left, right, "//", result, Math.floorDiv(left, right), span);
                    return result;
                  };
          case MOD ->
              host
                  ? frame -> Math.floorMod(a.eval(frame), divisor(frame, b, "%", span))
                  : frame -> {
                    long left = a.eval(frame);
                    long right = divisor(frame, b, "%", span);
                    long result = left % right;
                    warn(frame, left, right, "%", result, Math.floorMod(left, right), span);
                    return result;
                  };
          case EQ, NE, LT, LE, GT, GE, AND, OR, MIN, MAX ->
              throw new IllegalStateException("handled before: " + binary.op());
        };
    return type.bytes() == Long.BYTES ? plain : frame -> Scalars.wrap(type, plain.eval(frame));
  }

  private static long shift(long value, long by, boolean left) {
    if (by < 0 || by >= Long.SIZE) {
      return left || value >= 0 ? 0 : -1;
    }
    return left ? value << by : value >> by;
  }

  private static long divisor(Frame frame, LongExpr b, String operator, Span span) {
    long value = b.eval(frame);
    if (value == 0) {
      int rank = frame.machine.rank();
      throw KernelFault.of(
          Finding.Kind.RULE_BROKEN,
          rank,
          span,
          (rank == Machine.HOST ? "HOST" : "rank " + rank) + ": " + operator + " by zero",
          "guard the division with an if");
    }
    return value;
  }

  /** Tells when truncating and flooring differ, which is the usual cause of a wrong neighbour. */
  private static void warn(
      Frame frame, long left, long right, String operator, long result, long floor, Span span) {
    if (result == floor) {
      return;
    }
    int rank = frame.machine.rank();
    String text = "(" + left + ") " + operator + " " + right;
    frame
        .machine
        .environment()
        .report(
            Finding.of(
                Finding.Kind.NEGATIVE_DIVIDEND,
                "rank "
                    + rank
                    + ": "
                    + text
                    + " is "
                    + result
                    + " in device code, which truncates; Python gives "
                    + floor,
                operator.equals("%")
                    ? "add the divisor before the remainder: (r - 1 + n) % n"
                    : "keep the dividend of // from going below zero",
                List.of(rank),
                List.of(new Finding.Place(rank, span, text))));
  }

  private LongExpr floats(Expr.Binary binary, DType left, DType right) {
    LongExpr rawLeft = scalar(binary.left());
    LongExpr rawRight = scalar(binary.right());
    DoubleEval a = frame -> Scalars.asDouble(rawLeft.eval(frame), left);
    DoubleEval b = frame -> Scalars.asDouble(rawRight.eval(frame), right);
    DType type = dtype(binary.type());
    return switch (binary.op()) {
      case ADD -> frame -> Scalars.raw(type, a.of(frame) + b.of(frame));
      case SUB -> frame -> Scalars.raw(type, a.of(frame) - b.of(frame));
      case MUL -> frame -> Scalars.raw(type, a.of(frame) * b.of(frame));
      case DIV -> frame -> Scalars.raw(type, a.of(frame) / b.of(frame));
      case FLOOR_DIV -> frame -> Scalars.raw(type, Math.floor(a.of(frame) / b.of(frame)));
      case MOD -> frame -> Scalars.raw(type, a.of(frame) % b.of(frame));
      case MIN -> frame -> Scalars.raw(type, Math.min(a.of(frame), b.of(frame)));
      case MAX -> frame -> Scalars.raw(type, Math.max(a.of(frame), b.of(frame)));
      case EQ -> frame -> a.of(frame) == b.of(frame) ? 1 : 0;
      case NE -> frame -> a.of(frame) != b.of(frame) ? 1 : 0;
      case LT -> frame -> a.of(frame) < b.of(frame) ? 1 : 0;
      case LE -> frame -> a.of(frame) <= b.of(frame) ? 1 : 0;
      case GT -> frame -> a.of(frame) > b.of(frame) ? 1 : 0;
      case GE -> frame -> a.of(frame) >= b.of(frame) ? 1 : 0;
      case AND, OR, SHIFT_LEFT, SHIFT_RIGHT ->
          throw new IllegalArgumentException(binary.op() + " of floating-point scalars");
    };
  }

  @FunctionalInterface
  private interface DoubleEval {
    double of(Frame frame);
  }
}
