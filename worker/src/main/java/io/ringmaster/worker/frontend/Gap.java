package io.ringmaster.worker.frontend;

import io.ringmaster.worker.ir.Expr;
import io.ringmaster.worker.ir.Stmt;
import io.ringmaster.worker.ir.Type;
import io.ringmaster.worker.source.SyntaxChildren;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * Stands in a body for what was refused and therefore isn't there, so that the rules for whole
 * functions hold nothing against the rest that the missing part would have set right. A program
 * with gaps is never run.
 */
final class Gap {

  /** No function has this name. */
  private static final String MISSING = "";

  private Gap() {}

  /** In the place of a statement: whatever it mentions it may have used, assigned or not. */
  static Stmt of(io.ringmaster.worker.source.Stmt statement, NameScope names) {
    Set<String> mentioned = new TreeSet<>();
    mentions(statement, mentioned);
    return of(statement, mentioned, names);
  }

  /** The same of a statement that may have been meant to use any window there is. */
  static Stmt ofAnyUse(io.ringmaster.worker.source.Stmt statement, NameScope names) {
    Set<String> mentioned = new TreeSet<>();
    mentions(statement, mentioned);
    for (String name : names.names()) {
      names
          .find(name)
          .filter(known -> known.type() instanceof Type.Tensor tensor && tensor.window())
          .ifPresent(_ -> mentioned.add(name));
    }
    return of(statement, mentioned, names);
  }

  private static Stmt of(
      io.ringmaster.worker.source.Stmt statement, Set<String> mentioned, NameScope names) {
    List<Expr> used = new ArrayList<>();
    mentioned.forEach(name -> used.addAll(variables(name, names, statement)));
    List<Expr.Var> assigned = new ArrayList<>();
    for (String name : AssignedNames.in(List.of(statement))) {
      assigned.add(new Expr.Var(name, new Type.None(), statement.span()));
      assigned.addAll(variables(name, names, statement));
    }
    return new Stmt.AssignTuple(assigned, missing(used, statement.span()), statement.span());
  }

  /** In the place of a value that nobody knows. */
  static Expr value(io.ringmaster.worker.source.Span span) {
    return missing(List.of(), span);
  }

  static boolean is(Expr value) {
    return value instanceof Expr.Call call && call.function().equals(MISSING);
  }

  /** True when a return statement of the body may have been refused. */
  static boolean inReturns(List<Stmt> body) {
    return body.stream()
        .anyMatch(
            statement ->
                switch (statement) {
                  case Stmt.Return(var values, _) -> values.isEmpty();
                  case Stmt.For loop -> inReturns(loop.body());
                  case Stmt.While loop -> inReturns(loop.body());
                  case Stmt.If branch ->
                      inReturns(branch.thenBody()) || inReturns(branch.elseBody());
                  case Stmt.Region region -> inReturns(region.body());
                  case Stmt.Assign _,
                      Stmt.AssignTuple _,
                      Stmt.Eval _,
                      Stmt.Break _,
                      Stmt.Continue _ ->
                      false;
                });
  }

  private static Expr missing(List<Expr> used, io.ringmaster.worker.source.Span span) {
    return new Expr.Call(MISSING, used, Optional.empty(), new Type.None(), span);
  }

  private static List<Expr.Var> variables(
      String name, NameScope names, io.ringmaster.worker.source.Stmt statement) {
    List<Expr.Var> variables = new ArrayList<>();
    for (String variable : names.aliases().everyOf(name)) {
      names
          .find(variable)
          .ifPresent(v -> variables.add(new Expr.Var(variable, v.type(), statement.span())));
      for (String part : names.parts(variable)) {
        names
            .find(part)
            .ifPresent(v -> variables.add(new Expr.Var(part, v.type(), statement.span())));
      }
    }
    return variables;
  }

  private static void mentions(io.ringmaster.worker.source.Stmt statement, Set<String> names) {
    if (statement instanceof io.ringmaster.worker.source.Stmt.Unread unread) {
      names.addAll(unread.words());
    }
    SyntaxChildren.expressionsOf(statement).forEach(expression -> mentions(expression, names));
    SyntaxChildren.statementsOf(statement).forEach(inner -> mentions(inner, names));
  }

  private static void mentions(io.ringmaster.worker.source.Expr expression, Set<String> names) {
    if (expression instanceof io.ringmaster.worker.source.Expr.Name(String id, _)) {
      names.add(id);
    }
    SyntaxChildren.of(expression).forEach(child -> mentions(child, names));
  }
}
