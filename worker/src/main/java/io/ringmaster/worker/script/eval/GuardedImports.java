package io.ringmaster.worker.script.eval;

import io.ringmaster.worker.source.Expr;
import io.ringmaster.worker.source.Stmt;
import java.util.Set;

/** Imports that a script itself expects to fail: it says what to do without the module. */
final class GuardedImports {

  private static final Set<String> CAUGHT =
      Set.of("ImportError", "ModuleNotFoundError", "Exception", "BaseException");

  private GuardedImports() {}

  /** Whether a {@code try} has a handler for a module that isn't there. */
  static boolean isGuard(Stmt.Try attempt) {
    return attempt.handlers().stream()
        .anyMatch(handler -> handler.type().map(GuardedImports::catches).orElse(true));
  }

  private static boolean catches(Expr type) {
    return switch (type) {
      case Expr.Name(String id, _) -> CAUGHT.contains(id);
      case Expr.TupleDisplay(var types, _) -> types.stream().anyMatch(GuardedImports::catches);
      case Expr other -> false;
    };
  }
}
