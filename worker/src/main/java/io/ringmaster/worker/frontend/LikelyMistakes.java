package io.ringmaster.worker.frontend;

import io.ringmaster.worker.ir.Expr;
import io.ringmaster.worker.ir.Expr.BinaryOp;
import io.ringmaster.worker.ir.Function;
import io.ringmaster.worker.ir.OpCode;
import io.ringmaster.worker.ir.Stmt;
import io.ringmaster.worker.source.Span;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Warns of what the language allows in a kernel and hardly anybody means, as the values that come
 * out don't say what is wrong: the cells of a signal that a built-in has cleared, and the rows that
 * a reduce_scatter leaves to other ranks. The third of them is {@link SameReads}.
 */
final class LikelyMistakes {

  private final Storage storage;
  private final Messages messages;
  private final Set<String> notified = new HashSet<>();

  /** The built-in that each signal has served, and the reduce_scatter that each window has seen. */
  private final Map<String, Expr.Op> cleared = new HashMap<>();

  private final Map<String, Expr.Op> scattered = new HashMap<>();
  private final Deque<String> loops = new ArrayDeque<>();
  private int singledOut;

  private LikelyMistakes(Function function, Storage storage, Messages messages) {
    this.storage = storage;
    this.messages = messages;
    IrWalk.expressions(
        function.body(),
        expr -> {
          if (expr instanceof Expr.Op op && op.code() == OpCode.NOTIFY) {
            notified.addAll(storage.of(op.operands().getFirst()));
          }
        });
  }

  static void check(Function function, Storage storage, Messages messages) {
    new LikelyMistakes(function, storage, messages).visit(function.body());
    IrWalk.loops(function.body(), loop -> SameReads.check(loop, messages));
  }

  private void visit(List<Stmt> body) {
    for (Stmt statement : body) {
      switch (statement) {
        case Stmt.Assign(_, Expr value, _) -> value(value);
        case Stmt.AssignTuple(_, Expr value, _) -> value(value);
        case Stmt.Eval(Expr value, _) -> value(value);
        case Stmt.For loop -> {
          loops.push(loop.variable().name());
          visit(loop.body());
          loops.pop();
        }
        case Stmt.While loop -> visit(loop.body());
        case Stmt.If branch -> {
          int before = singledOut;
          singledOut += comparesEqual(branch.condition()) ? 1 : 0;
          visit(branch.thenBody());
          visit(branch.elseBody());
          singledOut = before;
        }
        case Stmt.Region region -> visit(region.body());
        case Stmt.Return(var values, _) -> values.forEach(this::value);
        case Stmt.Break _, Stmt.Continue _ -> {}
      }
    }
  }

  /** A branch for one rank or one turn; what it reads may be the right one there. */
  static boolean comparesEqual(Expr condition) {
    return (condition instanceof Expr.Binary(BinaryOp op, _, _, _, _) && op == BinaryOp.EQ)
        || IrWalk.children(condition).stream().anyMatch(LikelyMistakes::comparesEqual);
  }

  private void value(Expr value) {
    if (Gap.is(value)) {
      return;
    }
    IrWalk.children(value).forEach(this::value);
    if (!(value instanceof Expr.Op op)) {
      return;
    }
    read(op).ifPresent(source -> lookAtCells(op, source));
    if (op.code() == OpCode.LOAD) {
      lookAtRows(op);
    }
    written(op).ifPresent(target -> scattered.keySet().removeAll(storage.of(target)));
    if (op.code() == OpCode.REDUCE_SCATTER) {
      storage.of(op.operands().getFirst()).forEach(root -> scattered.put(root, op));
    }
    signal(op).ifPresent(signal -> storage.of(signal).forEach(root -> cleared.put(root, op)));
  }

  private void lookAtCells(Expr.Op op, Expr source) {
    for (String root : storage.of(source)) {
      Expr.Op builtin = cleared.get(root);
      if (builtin != null && !notified.contains(root)) {
        messages.warning(
            "%s reads cells that %s on line %d has cleared: a built-in takes its credits back, so they are 0 and no count of who has come"
                .formatted(
                    op.code().printedName(), builtin.code().printedName(), builtin.span().line()),
            "count with pld.system.notify in a signal window of its own, and read that",
            source.span());
        return;
      }
    }
  }

  private void lookAtRows(Expr.Op load) {
    Optional<Span> foreign = foreignRow(load);
    for (String root : storage.of(load.operands().getFirst())) {
      Expr.Op reduced = scattered.get(root);
      if (reduced != null && foreign.isPresent() && singledOut == 0) {
        messages.warning(
            "%s reads rows that pld.tensor.reduce_scatter on line %d leaves to other ranks: only the row of the own rank is reduced, the others hold what was staged"
                .formatted(load.code().printedName(), reduced.span().line()),
            "read one row at [pld.rank(ctx), 0]; where every rank needs all of them, use"
                + " pld.tensor.allreduce",
            foreign.get());
        return;
      }
    }
  }

  /** Where a load of one window says that it reads another row than one that the rank chooses. */
  private Optional<Span> foreignRow(Expr.Op load) {
    if (!(load.operands().get(1) instanceof Expr.TupleExpr(var offsets, _))
        || !(load.operands().get(2) instanceof Expr.TupleExpr(var shape, _))
        || offsets.size() < 2) {
      return Optional.empty();
    }
    if (shape.getFirst() instanceof Expr.IntConst(long rows, _, _) && rows > 1) {
      return Optional.of(shape.getFirst().span());
    }
    return switch (offsets.getFirst()) {
      case Expr.IntConst row -> Optional.of(row.span());
      case Expr.Var(String name, _, Span span) when loops.contains(name) -> Optional.of(span);
      case Expr other -> Optional.empty();
    };
  }

  /** The tensor or window that an operation reads. */
  static Optional<Expr> read(Expr.Op op) {
    return switch (op.code()) {
      case LOAD, READ, REMOTE_LOAD -> Optional.of(op.operands().getFirst());
      case PUT, GET -> Optional.of(op.operands().get(2));
      case OpCode other -> Optional.empty();
    };
  }

  /** The tensor or window that an operation writes, on this rank or another. */
  static Optional<Expr> written(Expr.Op op) {
    return switch (op.code()) {
      case WRITE, ASSEMBLE, PUT, GET, BROADCAST, ALLREDUCE -> Optional.of(op.operands().getFirst());
      case REMOTE_STORE, ALLGATHER, ALL_TO_ALL, ALL_TO_ALL_V -> Optional.of(op.operands().get(1));
      case STORE -> Optional.of(op.operands().get(2));
      case OpCode other -> Optional.empty();
    };
  }

  /** The signal that a built-in counts in. */
  private static Optional<Expr> signal(Expr.Op op) {
    return switch (op.code()) {
      case BARRIER -> Optional.of(op.operands().getFirst());
      case BROADCAST, REDUCE_SCATTER, ALLREDUCE ->
          op.operands().size() > 1 ? Optional.of(op.operands().get(1)) : Optional.empty();
      case ALLGATHER, ALL_TO_ALL, ALL_TO_ALL_V -> Optional.of(op.operands().get(2));
      case OpCode other -> Optional.empty();
    };
  }
}
