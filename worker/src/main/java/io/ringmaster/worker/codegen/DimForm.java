package io.ringmaster.worker.codegen;

import io.ringmaster.worker.ir.Expr;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * A declared extent that determines a dynamic dimension: the dimension itself or constant
 * arithmetic around it, such as {@code NR * 64} or {@code 2 * (NR - 1)}.
 */
record DimForm(String dim, Expr extent) {

  /** The form of a declared extent; empty when it isn't one dimension and constants. */
  static Optional<DimForm> of(Expr extent) {
    return dimOf(extent).map(dim -> new DimForm(dim, extent));
  }

  /** True when the extent is the bare dimension. */
  boolean isBare() {
    return extent instanceof Expr.Dim;
  }

  /** The dimension's value that gives this actual extent; empty when none does. */
  OptionalLong solve(long actual) {
    return solve(extent, actual);
  }

  private static Optional<String> dimOf(Expr expr) {
    return switch (expr) {
      case Expr.Dim dim -> Optional.of(dim.name());
      case Expr.Convert convert -> dimOf(convert.operand());
      case Expr.Binary binary -> {
        boolean constantLeft = binary.left() instanceof Expr.IntConst;
        boolean constantRight = binary.right() instanceof Expr.IntConst;
        boolean solvable =
            switch (binary.op()) {
              case ADD, SUB, MUL -> constantLeft != constantRight;
              case FLOOR_DIV -> constantRight && !constantLeft;
              default -> false;
            };
        yield solvable ? dimOf(constantLeft ? binary.right() : binary.left()) : Optional.empty();
      }
      default -> Optional.empty();
    };
  }

  private static OptionalLong solve(Expr expr, long actual) {
    return switch (expr) {
      case Expr.Dim dim -> OptionalLong.of(actual);
      case Expr.Convert convert -> solve(convert.operand(), actual);
      case Expr.Binary binary when binary.left() instanceof Expr.IntConst constant ->
          switch (binary.op()) {
            case ADD -> solve(binary.right(), actual - constant.value());
            case SUB -> solve(binary.right(), constant.value() - actual);
            case MUL -> divide(binary.right(), actual, constant.value());
            default -> OptionalLong.empty();
          };
      case Expr.Binary binary when binary.right() instanceof Expr.IntConst constant ->
          switch (binary.op()) {
            case ADD -> solve(binary.left(), actual - constant.value());
            case SUB -> solve(binary.left(), actual + constant.value());
            case MUL -> divide(binary.left(), actual, constant.value());
            case FLOOR_DIV -> solve(binary.left(), actual * constant.value());
            default -> OptionalLong.empty();
          };
      default -> OptionalLong.empty();
    };
  }

  private static OptionalLong divide(Expr rest, long actual, long factor) {
    return factor == 0 || actual % factor != 0
        ? OptionalLong.empty()
        : solve(rest, actual / factor);
  }
}
