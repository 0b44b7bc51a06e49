package io.ringmaster.worker.frontend;

import io.ringmaster.worker.source.Expr;
import io.ringmaster.worker.source.Span;
import io.ringmaster.worker.source.Stmt;
import io.ringmaster.worker.source.SyntaxChildren;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/** Finds the names that a body reads. */
final class ReadNames {

  private ReadNames() {}

  /** Those that are read anywhere but inside {@code block}; a loop may come back to any of them. */
  static Set<String> outside(List<Stmt> body, Stmt block) {
    return outside(body, block.span());
  }

  /** Those that are read in statements which begin after {@code place}. */
  static Set<String> after(List<Stmt> body, Span place) {
    Set<String> names = new TreeSet<>();
    for (Stmt statement : body) {
      if (isAfter(statement.span(), place)) {
        names.addAll(outside(List.of(statement), Span.NONE));
      } else {
        names.addAll(after(SyntaxChildren.statementsOf(statement), place));
      }
    }
    return names;
  }

  private static boolean isAfter(Span span, Span place) {
    return span.line() > place.endLine()
        || (span.line() == place.endLine() && span.column() >= place.endColumn());
  }

  private static Set<String> outside(List<Stmt> body, Span block) {
    Set<String> names = new TreeSet<>();
    statements(body, block, names);
    return names;
  }

  private static void statements(List<Stmt> body, Span block, Set<String> names) {
    for (Stmt statement : body) {
      if (statement.span().equals(block)) {
        continue;
      }
      switch (statement) {
        case Stmt.Assign(var targets, Expr value, _) -> {
          targets.stream().filter(t -> !(t instanceof Expr.Name)).forEach(t -> read(t, names));
          read(value, names);
        }
        case Stmt.AnnotatedAssign assign -> assign.value().ifPresent(value -> read(value, names));
        case Stmt other -> SyntaxChildren.expressionsOf(other).forEach(expr -> read(expr, names));
      }
      SyntaxChildren.statementsOf(statement)
          .forEach(inner -> statements(List.of(inner), block, names));
    }
  }

  private static void read(Expr expr, Set<String> names) {
    if (expr instanceof Expr.Name(String id, _)) {
      names.add(id);
    }
    SyntaxChildren.of(expr).forEach(child -> read(child, names));
  }
}
