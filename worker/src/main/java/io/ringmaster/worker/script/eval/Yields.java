package io.ringmaster.worker.script.eval;

import io.ringmaster.worker.source.Expr;
import io.ringmaster.worker.source.Stmt;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Finds the {@code yield}s of a function; those of functions inside it aren't its own. */
final class Yields {

  private Yields() {}

  /** True when calling the function makes a generator. */
  static boolean in(List<Stmt> body) {
    for (Stmt statement : body) {
      if (in(statement)) {
        return true;
      }
    }
    return false;
  }

  static boolean in(Stmt statement) {
    return switch (statement) {
      case Stmt.FunctionDef def -> false;
      case Stmt.ClassDef def -> false;
      default ->
          any(StaticChecker.expressions(statement))
              || StaticChecker.blocks(statement).stream().anyMatch(Yields::in);
    };
  }

  private static boolean in(Expr expression) {
    return isYield(expression) || any(Children.of(expression));
  }

  private static boolean any(List<Expr> expressions) {
    for (Expr expression : expressions) {
      if (in(expression)) {
        return true;
      }
    }
    return false;
  }

  static boolean isYield(Expr expression) {
    return expression instanceof Expr.Suspension suspension
        && (suspension.keyword().equals("yield") || suspension.keyword().equals("yield from"));
  }

  /** The {@code yield} that a statement consists of; empty for any other statement. */
  static Optional<Expr.Suspension> of(Stmt statement) {
    Expr value =
        switch (statement) {
          case Stmt.ExprStmt expression -> expression.value();
          case Stmt.Assign assign -> assign.value();
          default -> null;
        };
    return value instanceof Expr.Suspension suspension && isYield(suspension)
        ? Optional.of(suspension)
        : Optional.empty();
  }

  /** The expressions of a statement, without the {@code yield} that it consists of. */
  static List<Expr> around(Stmt statement, Expr.Suspension yield) {
    List<Expr> all = new ArrayList<>();
    if (statement instanceof Stmt.Assign assign) {
      all.addAll(assign.targets());
    }
    yield.value().ifPresent(all::add);
    return all;
  }
}
