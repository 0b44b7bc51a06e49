package io.ringmaster.worker.script.check;

import io.ringmaster.worker.ir.Expr;
import io.ringmaster.worker.ir.Function;
import io.ringmaster.worker.ir.OpCode;
import io.ringmaster.worker.ir.Program;
import io.ringmaster.worker.ir.Traversal;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.Set;

/**
 * What the ranks of a program exchange, as far as its text shows.
 *
 * @param data true when values go from rank to rank, and not only signals
 * @param parts true when each rank gets a part of its own of what another has
 * @param dealt parameters of the HOST function that it hands out in parts
 */
record Exchange(boolean data, boolean parts, Set<String> dealt) {

  private static final Set<OpCode> DEALING =
      EnumSet.of(OpCode.REDUCE_SCATTER, OpCode.ALL_TO_ALL, OpCode.ALL_TO_ALL_V);

  private static final Set<OpCode> MOVING =
      EnumSet.of(
          OpCode.REMOTE_LOAD,
          OpCode.REMOTE_STORE,
          OpCode.PUT,
          OpCode.GET,
          OpCode.BROADCAST,
          OpCode.ALLREDUCE,
          OpCode.ALLGATHER);

  static Exchange of(Program program) {
    Set<OpCode> used = EnumSet.noneOf(OpCode.class);
    Set<String> dealt = new HashSet<>();
    for (Function function : program.functions()) {
      boolean host = function.level() == Function.Level.HOST;
      Traversal.statements(
          function.body(),
          stmt ->
              Traversal.values(stmt)
                  .forEach(value -> Traversal.expressions(value, e -> look(e, host, used, dealt))));
    }
    boolean parts = used.stream().anyMatch(DEALING::contains);
    return new Exchange(parts || used.stream().anyMatch(MOVING::contains), parts, dealt);
  }

  private static void look(Expr expr, boolean host, Set<OpCode> used, Set<String> dealt) {
    if (expr instanceof Expr.Op op) {
      used.add(op.code());
      if (host && !op.operands().isEmpty() && op.operands().getFirst() instanceof Expr.Var of) {
        dealt.add(of.name());
      }
    }
  }
}
