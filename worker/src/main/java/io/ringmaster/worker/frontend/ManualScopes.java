package io.ringmaster.worker.frontend;

import io.ringmaster.worker.ir.Stmt;
import io.ringmaster.worker.source.Expr;
import io.ringmaster.worker.source.SyntaxChildren;
import java.util.List;

/** What the body of a {@code with pl.manual_scope():} says about the order of its tasks. */
final class ManualScopes {

  private ManualScopes() {}

  /** True when some task of it is given {@code deps=}. */
  static boolean hasDependences(List<io.ringmaster.worker.source.Stmt> body) {
    return body.stream()
        .anyMatch(
            statement ->
                SyntaxChildren.expressionsOf(statement).stream()
                        .anyMatch(ManualScopes::hasDependences)
                    || hasDependences(SyntaxChildren.statementsOf(statement)));
  }

  private static boolean hasDependences(Expr expr) {
    return (expr instanceof Expr.Call call
            && call.keywords().stream()
                .anyMatch(keyword -> keyword.name().filter("deps"::equals).isPresent()))
        || SyntaxChildren.of(expr).stream().anyMatch(ManualScopes::hasDependences);
  }

  /** True when it may be left before its end: by a return, or to a loop around it. */
  static boolean isLeft(List<Stmt> body) {
    return body.stream()
        .anyMatch(
            statement ->
                switch (statement) {
                  case Stmt.Break _, Stmt.Continue _, Stmt.Return _ -> true;
                  case Stmt.For loop -> isLeft(loop.body());
                  case Stmt.While loop -> isLeft(loop.body());
                  case Stmt.If branch -> isLeft(branch.thenBody()) || isLeft(branch.elseBody());
                  case Stmt.Region region -> isLeft(region.body());
                  case Stmt.Assign _, Stmt.AssignTuple _, Stmt.Eval _ -> false;
                });
  }
}
