package io.ringmaster.worker.frontend;

import io.ringmaster.worker.frontend.values.Refusal;
import io.ringmaster.worker.ir.Expr;
import io.ringmaster.worker.ir.Function;
import io.ringmaster.worker.ir.Function.Level;
import io.ringmaster.worker.ir.OpCode;
import io.ringmaster.worker.ir.Stmt;
import io.ringmaster.worker.ir.Type;
import io.ringmaster.worker.source.Expr.BoolLiteral;
import io.ringmaster.worker.source.Expr.Call;
import io.ringmaster.worker.source.Expr.Name;
import io.ringmaster.worker.source.Span;
import io.ringmaster.worker.source.Stmt.With;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The rules of a task that registers conditions with {@code pld.system.defer_wait} instead of
 * waiting: it does nothing else, it registers at most 64, and what needs the data depends on it.
 */
final class DeferredWaits {

  private static final int MOST_CONDITIONS = 64;

  /** What a waiter would do besides: nothing of it is held back until the conditions hold. */
  private static final Set<OpCode> PAYLOAD =
      EnumSet.of(
          OpCode.STORE,
          OpCode.WRITE,
          OpCode.ASSEMBLE,
          OpCode.NOTIFY,
          OpCode.WAIT,
          OpCode.REMOTE_STORE,
          OpCode.PUT,
          OpCode.GET);

  private DeferredWaits() {}

  /** Refuses deferred waits in a kernel that isn't the block of a task of its own. */
  static void checkKernel(Function kernel, Messages messages) {
    if (kernel.level() == Level.INCORE) {
      first(kernel.body())
          .ifPresent(
              op -> {
                messages.error(
                    "pld.system.defer_wait bypasses the deferred-waiter task contract: it stands in"
                        + " a kernel that runs on, whether the condition holds or not",
                    "with pl.at(level=pl.Level.CORE_GROUP) as tid: in the chip function, or"
                        + " pld.system.wait here",
                    op.span());
              });
    }
  }

  /**
   * Checks the block of a task.
   *
   * @param block the statement as written
   * @param built what became of it
   * @param function the body of the function around it, as written
   * @param names what stands around it
   */
  static void checkTask(
      With block,
      List<Stmt> built,
      List<io.ringmaster.worker.source.Stmt> function,
      NameScope names) {
    Optional<Expr.Op> wait = first(built);
    if (wait.isEmpty()) {
      return;
    }
    Span at = wait.get().span();
    refuseEarly((Call) block.items().getFirst().context());
    IrWalk.expressions(
        built,
        expr -> {
          if (expr instanceof Expr.Op op
              && (PAYLOAD.contains(op.code()) || op.code().isCollective())) {
            throw Refusal.of(
                op.code().printedName()
                    + " stands in the task of a pld.system.defer_wait: it bypasses the"
                    + " deferred-waiter task contract",
                "a waiter registers conditions and does nothing else; write a task of its own, with"
                    + " deps=[...] of the waiter if it needs the data",
                op.span());
          }
        });
    long conditions = conditions(built);
    if (conditions > MOST_CONDITIONS) {
      throw Refusal.of(
          "a deferred waiter registers at most 64 conditions, this one registers " + conditions,
          "divide them among several tasks, and depend on each",
          at);
    }
    requireDependence(block, function, names, signals(built), at);
  }

  private static void refuseEarly(Call head) {
    head.keywords().stream()
        .filter(keyword -> keyword.name().filter("allow_early_resolve"::equals).isPresent())
        .filter(keyword -> keyword.value() instanceof BoolLiteral(boolean value, _) && value)
        .findFirst()
        .ifPresent(
            keyword -> {
              throw Refusal.of(
                  "the task of a pld.system.defer_wait cannot use allow_early_resolve=True",
                  "leave it away: the task is over when its conditions hold",
                  keyword.span());
            });
  }

  private static Optional<Expr.Op> first(List<Stmt> body) {
    Expr.Op[] found = {null};
    IrWalk.expressions(
        body,
        expr -> {
          if (found[0] == null && expr instanceof Expr.Op op && op.code() == OpCode.DEFER_WAIT) {
            found[0] = op;
          }
        });
    return Optional.ofNullable(found[0]);
  }

  /** The windows whose cells are waited for. */
  private static Set<String> signals(List<Stmt> body) {
    Set<String> signals = new HashSet<>();
    IrWalk.expressions(
        body,
        expr -> {
          if (expr instanceof Expr.Op op
              && op.code() == OpCode.DEFER_WAIT
              && op.operands().getFirst() instanceof Expr.Var signal) {
            signals.add(signal.name());
          }
        });
    return signals;
  }

  private static long conditions(List<Stmt> body) {
    long sum = 0;
    for (Stmt statement : body) {
      sum +=
          switch (statement) {
            case Stmt.For loop ->
                first(loop.body()).isEmpty() ? 0 : trips(loop) * conditions(loop.body());
            case Stmt.While loop -> {
              first(loop.body())
                  .ifPresent(
                      _ -> {
                        throw unknownTrips(loop.span());
                      });
              yield 0;
            }
            case Stmt.If branch ->
                Math.max(conditions(branch.thenBody()), conditions(branch.elseBody()));
            case Stmt.Region region -> conditions(region.body());
            case Stmt.Assign _, Stmt.AssignTuple _, Stmt.Eval _, Stmt.Return _ ->
                first(List.of(statement)).isPresent() ? 1 : 0;
            case Stmt.Break _, Stmt.Continue _ -> 0;
          };
    }
    return sum;
  }

  private static long trips(Stmt.For loop) {
    if (loop.start() instanceof Expr.IntConst(long start, _, _)
        && loop.stop() instanceof Expr.IntConst(long stop, _, _)
        && loop.step() instanceof Expr.IntConst(long step, _, _)
        && step > 0
        && stop > start) {
      return (stop - start + step - 1) / step;
    }
    throw unknownTrips(loop.span());
  }

  private static Refusal unknownTrips(Span loop) {
    return Refusal.of(
        "a loop around pld.system.defer_wait needs a statically known positive trip count",
        "loop over a number that is known when the program is built",
        loop);
  }

  /**
   * Nothing but a dependence makes a task wait for the conditions. A waiter at the end of a
   * function holds back the end of the dispatch, and needs none.
   */
  private static void requireDependence(
      With block,
      List<io.ringmaster.worker.source.Stmt> function,
      NameScope names,
      Set<String> signals,
      Span at) {
    Optional<String> task =
        block
            .items()
            .getFirst()
            .target()
            .map(target -> target instanceof Name name ? name.id() : "");
    if (task.isPresent() && ReadNames.outside(function, block).contains(task.get())) {
      return;
    }
    Span end = block.span();
    for (String name : ReadNames.after(function, end)) {
      boolean window =
          names
              .find(names.findSource(name).isPresent() ? names.current(name) : name)
              .filter(known -> known.type() instanceof Type.Tensor tensor && tensor.window())
              .isPresent();
      if (window && !signals.contains(name)) {
        throw Refusal.of(
            "no task depends on this deferred wait, and '"
                + name
                + "' is used after it: nothing holds that back until the condition holds",
            "with pl.at(level=pl.Level.CORE_GROUP) as tid: around the wait, and deps=[tid] at the"
                + " task that uses '"
                + name
                + "'",
            at);
      }
    }
  }
}
