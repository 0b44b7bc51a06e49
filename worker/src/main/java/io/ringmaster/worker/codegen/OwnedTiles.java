package io.ringmaster.worker.codegen;

import io.ringmaster.worker.ir.Expr;
import io.ringmaster.worker.ir.Function;
import io.ringmaster.worker.ir.OpCode;
import io.ringmaster.worker.ir.Stmt;
import io.ringmaster.worker.ir.Traversal;
import io.ringmaster.worker.ir.Type;
import java.util.LinkedHashSet;
import java.util.Set;

/**
 * Finds the tile variables whose tile nothing else can refer to: each value is made anew, and every
 * use only reads elements. When such a variable gets its next value, the last one's memory can be
 * used again.
 */
final class OwnedTiles {

  private OwnedTiles() {}

  static Set<String> in(Function function) {
    Set<String> tiles = new LinkedHashSet<>();
    Set<String> shared = new LinkedHashSet<>();
    function.params().forEach(param -> shared.add(param.name()));
    Traversal.statements(
        function.body(),
        statement -> {
          for (Expr.Var target : Traversal.targets(statement)) {
            boolean fresh =
                statement instanceof Stmt.Assign assign
                    && assign.value() instanceof Expr.Op op
                    && isFresh(op.code());
            (fresh && target.type() instanceof Type.Tile ? tiles : shared).add(target.name());
          }
          for (Expr value : Traversal.values(statement)) {
            share(value, shared);
          }
        });
    tiles.removeAll(shared);
    return tiles;
  }

  /** Notes the variables of an expression that something else may refer to afterwards. */
  private static void share(Expr expr, Set<String> shared) {
    if (expr instanceof Expr.Op op) {
      for (int i = 0; i < op.operands().size(); i++) {
        Expr operand = op.operands().get(i);
        if (!(operand instanceof Expr.Var && readsElements(op.code(), i))) {
          share(operand, shared);
        }
      }
      return;
    }
    if (expr instanceof Expr.Var variable) {
      shared.add(variable.name());
    }
    Traversal.parts(expr).forEach(part -> share(part, shared));
  }

  /** True for operations whose tile is no part of another one. */
  private static boolean isFresh(OpCode code) {
    return switch (code) {
      case LOAD, REMOTE_LOAD, CREATE_TILE, FULL_TILE, CAST -> true;
      default -> isArithmetic(code);
    };
  }

  /** True when the i-th operand's elements are read and its tile isn't kept. */
  private static boolean readsElements(OpCode code, int i) {
    return switch (code) {
      case STORE, REMOTE_STORE, READ -> i == 0;
      case CAST -> true;
      default -> isArithmetic(code);
    };
  }

  private static boolean isArithmetic(OpCode code) {
    return switch (code) {
      case ADD, SUB, MUL, DIV, MAXIMUM, MINIMUM -> true;
      case EXP, LOG, SQRT, RSQRT, NEG, ABS, RECIP, SIN, COS -> true;
      case ROW_SUM, ROW_MAX, ROW_MIN, ROW_PROD, COL_SUM, COL_MAX, COL_MIN, COL_PROD -> true;
      case MATMUL, MATMUL_ACC -> true;
      default -> false;
    };
  }
}
