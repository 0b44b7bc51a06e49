package io.ringmaster.worker.frontend;

import io.ringmaster.worker.source.Expr;
import io.ringmaster.worker.source.Stmt;
import io.ringmaster.worker.source.SyntaxChildren;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;

/** Finds the names that statements assign, nested blocks included. */
final class AssignedNames {

  private AssignedNames() {}

  static Set<String> in(List<Stmt> statements) {
    Set<String> names = new TreeSet<>();
    statements.forEach(statement -> collect(statement, names::add));
    return names;
  }

  /** Those that are assigned in one place only. */
  static Set<String> once(List<Stmt> statements) {
    Set<String> once = new TreeSet<>();
    Set<String> again = new TreeSet<>();
    Consumer<String> count =
        name -> {
          if (!once.add(name)) {
            again.add(name);
          }
        };
    statements.forEach(statement -> collect(statement, count));
    once.removeAll(again);
    return once;
  }

  private static void collect(Stmt statement, Consumer<String> names) {
    SyntaxChildren.expressionsOf(statement).forEach(expression -> walrus(expression, names));
    switch (statement) {
      case Stmt.Assign assign -> assign.targets().forEach(target -> target(target, names));
      case Stmt.AnnotatedAssign assign -> target(assign.target(), names);
      case Stmt.AugmentedAssign assign -> target(assign.target(), names);
      case Stmt.For loop -> {
        target(loop.target(), names);
        loop.body().forEach(inner -> collect(inner, names));
        loop.orElse().forEach(inner -> collect(inner, names));
      }
      case Stmt.While loop -> {
        loop.body().forEach(inner -> collect(inner, names));
        loop.orElse().forEach(inner -> collect(inner, names));
      }
      case Stmt.If branch -> {
        branch.body().forEach(inner -> collect(inner, names));
        branch.orElse().forEach(inner -> collect(inner, names));
      }
      case Stmt.With with -> {
        with.items().forEach(item -> item.target().ifPresent(t -> target(t, names)));
        with.body().forEach(inner -> collect(inner, names));
      }
      case Stmt.Try attempt -> {
        attempt.handlers().forEach(handler -> handler.name().ifPresent(names));
        SyntaxChildren.statementsOf(attempt).forEach(inner -> collect(inner, names));
      }
      case Stmt.Match match ->
          match
              .cases()
              .forEach(
                  one -> {
                    one.pattern().names().forEach(names);
                    one.body().forEach(inner -> collect(inner, names));
                  });
      case Stmt.Unread unread -> unread.names().forEach(names);
      case Stmt.FunctionDef function -> names.accept(function.name());
      case Stmt.ClassDef type -> names.accept(type.name());
      case Stmt.Import imports ->
          imports
              .names()
              .forEach(
                  alias -> names.accept(alias.asName().orElse(alias.name().split("\\.", 2)[0])));
      case Stmt.ImportFrom imports ->
          imports.names().forEach(alias -> names.accept(alias.asName().orElse(alias.name())));
      case Stmt.Return _,
          Stmt.Raise _,
          Stmt.Assert _,
          Stmt.Global _,
          Stmt.Nonlocal _,
          Stmt.ExprStmt _,
          Stmt.Delete _,
          Stmt.Pass _,
          Stmt.Break _,
          Stmt.Continue _,
          Stmt.Unsupported _ -> {}
    }
  }

  /** The names that {@code :=} assigns inside an expression. */
  private static void walrus(Expr expression, Consumer<String> names) {
    if (expression instanceof Expr.Walrus(Expr.Name(String id, _), _, _)) {
      names.accept(id);
    }
    SyntaxChildren.of(expression).forEach(part -> walrus(part, names));
  }

  /** The names in the target of an assignment. */
  static void target(Expr target, Consumer<String> names) {
    switch (target) {
      case Expr.Name(String id, _) -> names.accept(id);
      case Expr.TupleDisplay(var elements, _) -> elements.forEach(e -> target(e, names));
      case Expr.ListDisplay(var elements, _) -> elements.forEach(e -> target(e, names));
      case Expr other -> {}
    }
  }
}
