package io.ringmaster.worker.codegen;

import io.ringmaster.worker.ir.Expr;
import io.ringmaster.worker.ir.Function;
import io.ringmaster.worker.ir.OpCode;
import io.ringmaster.worker.ir.Stmt;
import io.ringmaster.worker.ir.Traversal;
import io.ringmaster.worker.ir.Type;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Finds the tile variables that are only loaded and then stored, each value once and in the block
 * that loaded it. Their elements needn't be copied into a tile on the way.
 */
final class PassedOn {

  private final Map<String, Integer> mentions = new HashMap<>();
  private final Map<String, Integer> pairs = new HashMap<>();

  private PassedOn() {}

  static Set<String> in(Function function) {
    var search = new PassedOn();
    function.params().forEach(param -> search.mentions.merge(param.name(), 1, Integer::sum));
    Traversal.statements(function.body(), search::count);
    search.block(function.body());
    Set<String> found = new LinkedHashSet<>();
    search.pairs.forEach(
        (name, count) -> {
          if (search.mentions.getOrDefault(name, 0) == 2 * count) {
            found.add(name);
          }
        });
    return found;
  }

  private void count(Stmt statement) {
    Traversal.targets(statement).forEach(target -> mentions.merge(target.name(), 1, Integer::sum));
    Traversal.values(statement)
        .forEach(
            value ->
                Traversal.expressions(
                    value,
                    expr -> {
                      if (expr instanceof Expr.Var variable) {
                        mentions.merge(variable.name(), 1, Integer::sum);
                      }
                    }));
  }

  /** Counts the loads of a block that a store of the same block uses up. */
  private void block(List<Stmt> body) {
    Set<String> loaded = new LinkedHashSet<>();
    for (Stmt statement : body) {
      String stored = stored(statement);
      if (stored != null && loaded.remove(stored)) {
        pairs.merge(stored, 1, Integer::sum);
      }
      if (statement instanceof Stmt.Assign assign
          && assign.target().type() instanceof Type.Tile
          && assign.value() instanceof Expr.Op op
          && (op.code() == OpCode.LOAD || op.code() == OpCode.REMOTE_LOAD)) {
        loaded.add(assign.target().name());
      }
      Traversal.blocks(statement).forEach(this::block);
    }
  }

  private static @Nullable String stored(Stmt statement) {
    Expr value =
        switch (statement) {
          case Stmt.Assign assign -> assign.value();
          case Stmt.Eval eval -> eval.value();
          default -> null;
        };
    return value instanceof Expr.Op op
            && op.code() == OpCode.STORE
            && !Attributes.atomicAdd(op)
            && op.operands().getFirst() instanceof Expr.Var tile
        ? tile.name()
        : null;
  }
}
