package io.ringmaster.worker.frontend;

import io.ringmaster.worker.source.Expr;
import io.ringmaster.worker.source.Stmt;
import io.ringmaster.worker.source.SyntaxChildren;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Finds out whether a free function, or one that it calls, asks for the number of its block. */
final class BlockIndexUse {

  private final Set<String> seen = new HashSet<>();

  private BlockIndexUse() {}

  static boolean in(JitHeader header) {
    return new BlockIndexUse().statements(header.definition().body(), header.scope());
  }

  private boolean statements(List<Stmt> body, ClosureScope scope) {
    return body.stream()
        .anyMatch(
            statement ->
                SyntaxChildren.expressionsOf(statement).stream().anyMatch(e -> asks(e, scope))
                    || statements(SyntaxChildren.statementsOf(statement), scope));
  }

  private boolean asks(Expr expr, ClosureScope scope) {
    boolean here =
        switch (expr) {
          case Expr.Attribute attribute -> attribute.name().equals("get_block_idx");
          case Expr.Call(Expr.Name(String id, _), _, _, _) -> seen.add(id) && callee(id, scope);
          case Expr other -> false;
        };
    return here || SyntaxChildren.of(expr).stream().anyMatch(child -> asks(child, scope));
  }

  private boolean callee(String name, ClosureScope scope) {
    return scope
        .lookup(name)
        .filter(ClosureValue.Kernel.class::isInstance)
        .map(ClosureValue.Kernel.class::cast)
        .filter(kernel -> statements(kernel.definition().body(), kernel.scope()))
        .isPresent();
  }
}
