package io.ringmaster.worker.frontend;

import io.ringmaster.worker.source.Expr;
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
    Set<String> names = new TreeSet<>();
    statements(body, block, names);
    return names;
  }

  private static void statements(List<Stmt> body, Stmt block, Set<String> names) {
    for (Stmt statement : body) {
      if (statement.span().equals(block.span())) {
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
