package io.ringmaster.worker.frontend;

import io.ringmaster.worker.source.Expr;
import java.util.Optional;

/** Recognises expressions that lead to a name whose own definition broke a rule. */
final class Poisoned {

  private Poisoned() {}

  /** True for {@code f} and {@code m.a.b} when {@code f} or {@code m} is such a name. */
  static boolean isRootOf(Expr expr, NameScope names) {
    // The object of a method has no type, but nothing is wrong with it.
    Optional<String> root = root(expr).filter(name -> !name.equals("self"));
    return root.flatMap(names::findSource).filter(NameScope.Variable::poisoned).isPresent();
  }

  private static Optional<String> root(Expr expr) {
    return switch (expr) {
      case Expr.Name(String id, _) -> Optional.of(id);
      case Expr.Attribute(Expr value, _, _, _) -> root(value);
      case Expr other -> Optional.empty();
    };
  }
}
