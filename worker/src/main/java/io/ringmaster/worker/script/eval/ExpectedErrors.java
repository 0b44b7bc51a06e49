package io.ringmaster.worker.script.eval;

import io.ringmaster.worker.source.Expr;
import io.ringmaster.worker.source.Stmt;
import io.ringmaster.worker.source.SyntaxChildren;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Finds the names that a script mentions where it expects something to go wrong: in {@code with
 * pytest.raises(...)}, in {@code try}, in tests that are skipped or expected to fail. What is wrong
 * with them is no news.
 */
final class ExpectedErrors {

  private static final Set<String> EXPECTING = Set.of("raises", "xfail", "skip", "skipif");

  private ExpectedErrors() {}

  static Set<String> in(List<Stmt> body) {
    Set<String> names = new HashSet<>();
    body.forEach(statement -> collect(statement, names));
    return names;
  }

  /** True for a test that is skipped or expected to fail. */
  static boolean isExpecting(Stmt.FunctionDef test) {
    return test.decorators().stream().anyMatch(ExpectedErrors::expects);
  }

  /** True for a {@code try} that complains where nothing was raised: {@code else: raise ...}. */
  static boolean isWantedBy(Stmt.Try attempt) {
    return (!attempt.orElse().isEmpty() && complains(attempt.orElse().getFirst()))
        || (attempt.body().size() > 1 && complains(attempt.body().getLast()));
  }

  private static boolean complains(Stmt statement) {
    return switch (statement) {
      case Stmt.Raise _ -> true;
      case Stmt.Assert(Expr.BoolLiteral(boolean holds, _), _, _) -> !holds;
      case Stmt.ExprStmt(Expr.Call(Expr.Attribute(_, String name, _, _), _, _, _), _) ->
          name.equals("fail");
      default -> false;
    };
  }

  private static void collect(Stmt statement, Set<String> names) {
    boolean expects =
        statement instanceof Stmt.Try
            || SyntaxChildren.expressionsOf(statement).stream().anyMatch(ExpectedErrors::expects);
    if (expects) {
      names.addAll(Mentions.of(statement));
    }
    SyntaxChildren.statementsOf(statement).forEach(inner -> collect(inner, names));
  }

  private static boolean expects(Expr expression) {
    return switch (expression) {
      case Expr.Attribute attribute when EXPECTING.contains(attribute.name()) -> true;
      case Expr.Name name when EXPECTING.contains(name.id()) -> true;
      default -> SyntaxChildren.of(expression).stream().anyMatch(ExpectedErrors::expects);
    };
  }
}
