package io.ringmaster.worker.codegen;

import io.ringmaster.worker.ir.Expr;
import io.ringmaster.worker.ir.Function;
import io.ringmaster.worker.ir.OpCode;
import io.ringmaster.worker.ir.Program;
import io.ringmaster.worker.ir.Stmt;
import io.ringmaster.worker.ir.Traversal;
import io.ringmaster.worker.ir.Type;
import io.ringmaster.worker.tensor.DType;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Decides whether every signal of a program only grows through others: peers add to cells, ranks
 * take back from their own at most, waits are for "at least", and nothing else touches the cells.
 *
 * <p>Then the end of a wait doesn't depend on how far other ranks have come when it is looked at:
 * what is enough stays enough, and what is missing comes with its own time. So a rank may notify
 * and wait before it is its turn, with the same times and values.
 */
final class GrowingSignals {

  private GrowingSignals() {}

  static boolean in(Program program) {
    for (Function function : program.functions()) {
      if (!in(function)) {
        return false;
      }
    }
    return true;
  }

  private static boolean in(Function function) {
    Set<String> ownRank = ownRank(function.body());
    boolean[] grows = {true};
    Traversal.statements(
        function.body(),
        statement ->
            Traversal.values(statement)
                .forEach(
                    value -> {
                      if (!(statement instanceof Stmt.Region)) {
                        Traversal.expressions(
                            value,
                            expr -> {
                              if (expr instanceof Expr.Op op && !fits(op, ownRank)) {
                                grows[0] = false;
                              }
                            });
                      }
                    }));
    return grows[0];
  }

  private static boolean fits(Expr.Op op, Set<String> ownRank) {
    return switch (op.code()) {
      case NOTIFY -> !Attributes.isSet(op) && (adds(op.operands().get(3)) || self(op, ownRank));
      case WAIT -> !Attributes.isExact(op);
      case DEFER_WAIT -> false;
      case GET_COMM_CTX, RANK, NRANKS, WORLD_SIZE, WINDOW, ALLOC_WINDOW, DIM -> true;
      default -> op.operands().stream().noneMatch(GrowingSignals::couldBeSignal);
    };
  }

  private static boolean adds(Expr value) {
    return switch (value) {
      case Expr.IntConst constant -> constant.value() > 0;
      case Expr.Convert convert -> adds(convert.operand());
      default -> false;
    };
  }

  /** True for a notify to the rank itself: it takes effect at once, in the rank's own order. */
  private static boolean self(Expr.Op op, Set<String> ownRank) {
    return op.operands().get(1) instanceof Expr.Var peer && ownRank.contains(peer.name());
  }

  private static boolean couldBeSignal(Expr operand) {
    return operand.type() instanceof Type.Tensor tensor
        && tensor.window()
        && tensor.dtype() == DType.INT32;
  }

  /** Variables that hold the rank's own number wherever they are set. */
  private static Set<String> ownRank(List<Stmt> body) {
    Set<String> rank = new HashSet<>();
    Set<String> other = new HashSet<>();
    Traversal.statements(
        body,
        statement -> {
          boolean own =
              statement instanceof Stmt.Assign assign
                  && assign.value() instanceof Expr.Op op
                  && op.code() == OpCode.RANK;
          Traversal.targets(statement).forEach(target -> (own ? rank : other).add(target.name()));
        });
    rank.removeAll(other);
    return rank;
  }
}
