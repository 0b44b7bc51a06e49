package io.ringmaster.worker.lowering;

import io.ringmaster.worker.ir.Attribute;
import io.ringmaster.worker.ir.Expr;
import io.ringmaster.worker.ir.Expr.BinaryOp;
import io.ringmaster.worker.ir.OpCode;
import io.ringmaster.worker.ir.Type;
import io.ringmaster.worker.ir.TypeRules;
import io.ringmaster.worker.source.Span;
import io.ringmaster.worker.tensor.DType;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;

/** Makes expressions that stand for one source position; constant arithmetic is folded. */
record Build(Span span) {

  Expr index(long value) {
    return new Expr.IntConst(value, DType.INDEX, span);
  }

  Expr int32(long value) {
    return new Expr.IntConst(value, DType.INT32, span);
  }

  Expr tuple(Expr... elements) {
    return new Expr.TupleExpr(Arrays.asList(elements), span);
  }

  Expr tuple(List<Expr> elements) {
    return new Expr.TupleExpr(elements, span);
  }

  Expr zeros(int count) {
    return tuple(java.util.Collections.nCopies(count, index(0)));
  }

  Expr cast(Expr value, DType dtype) {
    if (value instanceof Expr.IntConst c) {
      return new Expr.IntConst(c.value(), dtype, span);
    }
    return value.type().equals(new Type.Scalar(dtype))
        ? value
        : new Expr.Convert(value, dtype, span);
  }

  Expr add(Expr left, Expr right) {
    if (isConstant(right, 0)) {
      return left;
    }
    if (isConstant(left, 0)) {
      return right;
    }
    // (x + a) + b becomes x + (a + b), so that offsets stay readable.
    if (right instanceof Expr.IntConst b
        && left instanceof Expr.Binary inner
        && inner.op() == BinaryOp.ADD
        && inner.right() instanceof Expr.IntConst a) {
      return add(inner.left(), new Expr.IntConst(a.value() + b.value(), a.dtype(), span));
    }
    return binary(BinaryOp.ADD, left, right);
  }

  Expr sub(Expr left, Expr right) {
    return isConstant(right, 0) ? left : binary(BinaryOp.SUB, left, right);
  }

  Expr mul(Expr left, Expr right) {
    if (isConstant(left, 1)) {
      return right;
    }
    return isConstant(right, 1) ? left : binary(BinaryOp.MUL, left, right);
  }

  Expr div(Expr left, Expr right) {
    return isConstant(right, 1) ? left : binary(BinaryOp.FLOOR_DIV, left, right);
  }

  /** {@code ceil(left / right)} for values that aren't negative. */
  Expr ceilDiv(Expr left, long right) {
    return div(add(left, index(right - 1)), index(right));
  }

  Expr mod(Expr left, Expr right) {
    return binary(BinaryOp.MOD, left, right);
  }

  Expr min(Expr left, Expr right) {
    return binary(BinaryOp.MIN, left, right);
  }

  Expr max(Expr left, Expr right) {
    return binary(BinaryOp.MAX, left, right);
  }

  Expr compare(BinaryOp op, Expr left, Expr right) {
    return binary(op, left, right);
  }

  Expr negate(Expr value) {
    return value instanceof Expr.IntConst c
        ? new Expr.IntConst(-c.value(), c.dtype(), span)
        : new Expr.Unary(Expr.UnaryOp.NEGATE, value, value.type(), span);
  }

  /** Product of extents. */
  Expr product(List<Expr> extents) {
    return extents.stream().reduce(index(1), this::mul);
  }

  private Expr binary(BinaryOp op, Expr left, Expr right) {
    Type type =
        TypeRules.binary(op, left.type(), right.type())
            .orElseThrow(() -> new IllegalArgumentException(op + " on " + left + ", " + right));
    if (left instanceof Expr.IntConst a
        && right instanceof Expr.IntConst b
        && type instanceof Type.Scalar(DType dtype)) {
      OptionalLong folded = fold(op, a.value(), b.value());
      if (folded.isPresent()) {
        return new Expr.IntConst(folded.getAsLong(), dtype, span);
      }
    }
    return new Expr.Binary(op, left, right, type, span);
  }

  /** The folded value; empty for what isn't folded and for a result beyond 64 bits. */
  private static OptionalLong fold(BinaryOp op, long a, long b) {
    try {
      return switch (op) {
        case ADD -> OptionalLong.of(Math.addExact(a, b));
        case SUB -> OptionalLong.of(Math.subtractExact(a, b));
        case MUL -> OptionalLong.of(Math.multiplyExact(a, b));
        case FLOOR_DIV -> b == 0 ? OptionalLong.empty() : OptionalLong.of(Math.floorDiv(a, b));
        case MOD -> b == 0 ? OptionalLong.empty() : OptionalLong.of(Math.floorMod(a, b));
        case MIN -> OptionalLong.of(Math.min(a, b));
        case MAX -> OptionalLong.of(Math.max(a, b));
        case DIV, SHIFT_LEFT, SHIFT_RIGHT, EQ, NE, LT, LE, GT, GE, AND, OR -> OptionalLong.empty();
      };
    } catch (ArithmeticException _) {
      return OptionalLong.empty();
    }
  }

  /** An operation whose type follows from its operands. */
  Expr op(OpCode code, List<Expr> operands, Map<String, Attribute> attributes) {
    Type type =
        TypeRules.op(code, operands, attributes)
            .orElseThrow(
                () -> new IllegalArgumentException("operands of " + code + ": " + operands));
    return Expr.Op.of(code, operands, attributes, type, span);
  }

  Expr op(OpCode code, Expr... operands) {
    return op(code, Arrays.asList(operands), Map.of());
  }

  Expr createTile(List<Long> shape, DType dtype) {
    return Expr.Op.of(
        OpCode.CREATE_TILE,
        List.of(),
        Map.of(
            "dtype",
            new Attribute.Dtype(dtype),
            "target_memory",
            new Attribute.Memory(Type.MemorySpace.VEC)),
        new Type.Tile(shape, dtype, Type.MemorySpace.VEC, List.of()),
        span);
  }

  /** A tile that a transfer streams through; its rows fill whole blocks of 32 bytes. */
  Expr stageTile(long rows, long columns, DType dtype) {
    return createTile(List.of(rows, roundUp(columns, 32 / dtype.bytes())), dtype);
  }

  static boolean isConstant(Expr expr, long value) {
    return expr instanceof Expr.IntConst c && c.value() == value;
  }

  static OptionalLong constant(Expr expr) {
    return expr instanceof Expr.IntConst c ? OptionalLong.of(c.value()) : OptionalLong.empty();
  }

  static long roundUp(long value, long step) {
    return Math.ceilDiv(value, step) * step;
  }
}
