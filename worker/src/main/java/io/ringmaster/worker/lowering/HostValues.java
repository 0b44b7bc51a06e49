package io.ringmaster.worker.lowering;

import io.ringmaster.worker.ir.Expr;
import io.ringmaster.worker.ir.OpCode;
import io.ringmaster.worker.ir.Stmt;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.OptionalLong;

/**
 * Evaluates HOST integers as far as they are known before a run: constants, the world size when it
 * is given, variables assigned once from those.
 */
final class HostValues {

  private final OptionalInt worldSize;
  private final Map<String, Expr> definitions = new HashMap<>();

  HostValues(OptionalInt worldSize) {
    this.worldSize = worldSize;
  }

  /** Takes note of a scalar assignment; a second one of the same name makes it unknown. */
  void accept(Stmt stmt) {
    if (stmt instanceof Stmt.Assign s) {
      boolean first = !definitions.containsKey(s.target().name());
      definitions.put(s.target().name(), first ? s.value() : s.target());
    }
  }

  /** The expression that a chain of plain names and conversions leads to. */
  Expr resolve(Expr expr) {
    return switch (expr) {
      case Expr.Convert e -> resolve(e.operand());
      case Expr.Var e -> {
        Expr definition = definitions.get(e.name());
        yield definition == null || isSelf(e, definition) ? e : resolve(definition);
      }
      default -> expr;
    };
  }

  private static boolean isSelf(Expr.Var variable, Expr definition) {
    return definition instanceof Expr.Var v && v.name().equals(variable.name());
  }

  boolean isWorldSize(Expr expr) {
    return resolve(expr) instanceof Expr.Op op && op.code() == OpCode.WORLD_SIZE;
  }

  OptionalLong value(Expr expr) {
    Expr resolved = resolve(expr);
    return switch (resolved) {
      case Expr.IntConst e -> OptionalLong.of(e.value());
      case Expr.Op e when e.code() == OpCode.WORLD_SIZE ->
          worldSize.isPresent() ? OptionalLong.of(worldSize.getAsInt()) : OptionalLong.empty();
      case Expr.Binary e -> binary(e);
      case Expr.Unary e when e.op() == Expr.UnaryOp.NEGATE -> {
        OptionalLong operand = value(e.operand());
        yield operand.isPresent() ? OptionalLong.of(-operand.getAsLong()) : operand;
      }
      default -> OptionalLong.empty();
    };
  }

  /** Product of extents; empty when one is unknown or the product doesn't fit 64 bits. */
  OptionalLong product(List<Expr> extents) {
    long total = 1;
    for (Expr extent : extents) {
      OptionalLong value = value(extent);
      if (value.isEmpty() || Math.multiplyHigh(total, value.getAsLong()) != 0) {
        return OptionalLong.empty();
      }
      total *= value.getAsLong();
    }
    return OptionalLong.of(total);
  }

  private OptionalLong binary(Expr.Binary e) {
    OptionalLong left = value(e.left());
    OptionalLong right = value(e.right());
    if (left.isEmpty() || right.isEmpty()) {
      return OptionalLong.empty();
    }
    Build build = new Build(e.span());
    Expr a = build.index(left.getAsLong());
    Expr b = build.index(right.getAsLong());
    return switch (e.op()) {
      case ADD -> Build.constant(build.add(a, b));
      case SUB -> Build.constant(build.sub(a, b));
      case MUL -> Build.constant(build.mul(a, b));
      case FLOOR_DIV -> Build.constant(build.div(a, b));
      case MOD -> Build.constant(build.mod(a, b));
      case MIN -> Build.constant(build.min(a, b));
      case MAX -> Build.constant(build.max(a, b));
      case DIV, SHIFT_LEFT, SHIFT_RIGHT, EQ, NE, LT, LE, GT, GE, AND, OR -> OptionalLong.empty();
    };
  }
}
