package io.ringmaster.worker.frontend;

import io.ringmaster.worker.frontend.values.PathNames;
import io.ringmaster.worker.source.Expr;
import java.util.Optional;
import java.util.function.Predicate;

/** Follows names and attribute chains that lead outside the function: modules, enums, dtypes. */
record Resolver(ClosureScope closure, Predicate<String> isLocal) {

  /** What {@code expr} names outside; empty for locals, unknown names and anything else. */
  Optional<ClosureValue> resolve(Expr expr) {
    return switch (expr) {
      case Expr.Name(String id, _) ->
          isLocal.test(id) ? Optional.empty() : closure.lookup(id).map(Resolver::normal);
      case Expr.Attribute(Expr value, String name, _, _) ->
          resolve(value)
              .filter(ClosureValue.Path.class::isInstance)
              .map(ClosureValue.Path.class::cast)
              .map(base -> normal(new ClosureValue.Path(base.qualifiedName() + "." + name)));
      case Expr other -> Optional.empty();
    };
  }

  /** The printed path ({@code pl.range}) that {@code expr} names, if it names one. */
  Optional<String> path(Expr expr) {
    return resolve(expr)
        .filter(ClosureValue.Path.class::isInstance)
        .map(value -> PathNames.printed(((ClosureValue.Path) value).qualifiedName()));
  }

  private static ClosureValue normal(ClosureValue value) {
    if (value instanceof ClosureValue.Path(String name)) {
      return PathNames.dtype(name).<ClosureValue>map(ClosureValue.Dtype::new).orElse(value);
    }
    return value;
  }
}
