package io.ringmaster.worker.frontend;

import io.ringmaster.worker.ir.Function.Direction;
import io.ringmaster.worker.ir.Function.Param;
import io.ringmaster.worker.ir.Type;
import io.ringmaster.worker.source.Expr;
import io.ringmaster.worker.source.Stmt;
import io.ringmaster.worker.source.SyntaxChildren;
import io.ringmaster.worker.tensor.DType;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Finds out whether a function, or one that it calls, asks for the number of its block. */
final class BlockIndexUse {

  private final Set<String> seen = new HashSet<>();
  private final Set<String> asking = new HashSet<>();

  private BlockIndexUse() {}

  static boolean in(JitHeader header) {
    return new BlockIndexUse().statements(header.definition().body(), header.scope());
  }

  /** True when a method asks, or calls one of the {@code asking} methods. */
  static boolean in(Stmt.FunctionDef method, ClosureScope scope, Set<String> asking) {
    BlockIndexUse use = new BlockIndexUse();
    use.asking.addAll(asking);
    return use.statements(method.body(), scope);
  }

  /** The parameter that tells a function its block, under a name its text doesn't use. */
  static Param param(Stmt.FunctionDef definition) {
    Set<String> taken = new HashSet<>(AssignedNames.in(definition.body()));
    definition.parameters().positional().forEach(parameter -> taken.add(parameter.name()));
    String name = "block_idx";
    while (taken.contains(name)) {
      name = name + "_";
    }
    return new Param(name, new Type.Scalar(DType.INDEX), Direction.IN, definition.nameSpan());
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
          case Expr.Call(Expr.Attribute(Expr.Name(String id, _), String name, _, _), _, _, _)
              when id.equals("self") ->
              asking.contains(name);
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
