package io.ringmaster.worker.frontend;

import io.ringmaster.worker.ir.Expr;
import io.ringmaster.worker.ir.OpCode;
import io.ringmaster.worker.ir.Stmt;
import io.ringmaster.worker.ir.Type;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Warns of a loop that reads the same bytes of the same rank in every turn, as a gather does whose
 * peer doesn't change. A loop in which the window may change in between is left alone: it writes
 * windows, notifies, calls a built-in or a function, or waits for the same cell in every turn.
 */
final class SameReads {

  private final Stmt.For loop;
  private final Messages messages;

  /** What may differ between turns: all that is assigned, but inner loops begin anew each time. */
  private final Set<String> changing = new HashSet<>();

  private boolean usesVariable;
  private boolean stays = true;

  private SameReads(Stmt.For loop, Messages messages) {
    this.loop = loop;
    this.messages = messages;
    changing.add(loop.variable().name());
    assigned(loop.body());
    IrWalk.expressions(loop.body(), this::look);
  }

  static void check(Stmt.For loop, Messages messages) {
    var reads = new SameReads(loop, messages);
    if (reads.stays && reads.usesVariable) {
      reads.visit(loop.body());
    }
  }

  private void assigned(List<Stmt> body) {
    for (Stmt statement : body) {
      switch (statement) {
        case Stmt.Assign(Expr.Var target, _, _) -> changing.add(target.name());
        case Stmt.AssignTuple(var targets, _, _) ->
            targets.forEach(target -> changing.add(target.name()));
        case Stmt.For inner -> {
          assigned(inner.body());
          if (changes(inner.start()) || changes(inner.stop()) || changes(inner.step())) {
            changing.add(inner.variable().name());
          }
        }
        case Stmt.While inner -> assigned(inner.body());
        case Stmt.If branch -> {
          assigned(branch.thenBody());
          assigned(branch.elseBody());
        }
        case Stmt.Region region -> assigned(region.body());
        case Stmt.Eval _, Stmt.Return _, Stmt.Break _, Stmt.Continue _ -> {}
      }
    }
  }

  private void look(Expr expr) {
    switch (expr) {
      case Expr.Var(String name, _, _) -> usesVariable |= name.equals(loop.variable().name());
      case Expr.Call _ -> stays = false;
      case Expr.Op op -> stays &= leavesWindows(op);
      case Expr other -> {}
    }
  }

  private boolean leavesWindows(Expr.Op op) {
    return switch (op.code()) {
      case NOTIFY, PUT, REMOTE_STORE -> false;
      case WAIT, DEFER_WAIT -> changes(op.operands().get(1));
      case OpCode code ->
          !code.isCollective()
              && LikelyMistakes.written(op)
                  .filter(target -> target.type() instanceof Type.Tensor tensor && tensor.window())
                  .isEmpty();
    };
  }

  private boolean changes(Expr expr) {
    return (expr instanceof Expr.Var(String name, _, _) && changing.contains(name))
        || IrWalk.children(expr).stream().anyMatch(this::changes);
  }

  private void visit(List<Stmt> body) {
    for (Stmt statement : body) {
      switch (statement) {
        case Stmt.Assign(_, Expr value, _) -> value(value);
        case Stmt.AssignTuple(_, Expr value, _) -> value(value);
        case Stmt.Eval(Expr value, _) -> value(value);
        case Stmt.For inner -> visit(inner.body());
        case Stmt.While inner -> visit(inner.body());
        case Stmt.If branch -> {
          // One turn that is singled out reads what no other does.
          if (!LikelyMistakes.comparesEqual(branch.condition())) {
            visit(branch.thenBody());
            visit(branch.elseBody());
          }
        }
        case Stmt.Region region -> visit(region.body());
        case Stmt.Return _, Stmt.Break _, Stmt.Continue _ -> {}
      }
    }
  }

  private void value(Expr value) {
    if (Gap.is(value)) {
      return;
    }
    IrWalk.children(value).forEach(this::value);
    if (!(value instanceof Expr.Op op)
        || (op.code() != OpCode.REMOTE_LOAD && op.code() != OpCode.GET)) {
      return;
    }
    Expr peer = op.operands().get(1);
    Expr offsets = op.operands().get(op.code() == OpCode.GET ? 4 : 2);
    if (!changes(peer) && !changes(offsets)) {
      String variable = loop.variable().name();
      messages.warning(
          "%s reads the same bytes of the same rank in every turn of the loop over '%s' (line %d): neither its peer nor its offsets depend on '%s'"
              .formatted(op.code().printedName(), variable, loop.span().line(), variable),
          "peer="
              + variable
              + " reads from each rank in turn; what is needed once, read before the"
              + " loop",
          peer.span());
    }
  }
}
