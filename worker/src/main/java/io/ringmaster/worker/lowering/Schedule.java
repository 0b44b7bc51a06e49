package io.ringmaster.worker.lowering;

import io.ringmaster.worker.ir.Expr;
import io.ringmaster.worker.ir.Expr.BinaryOp;
import io.ringmaster.worker.ir.OpCode;
import io.ringmaster.worker.ir.Stmt;
import io.ringmaster.worker.ir.Type;
import io.ringmaster.worker.source.Span;
import io.ringmaster.worker.tensor.DType;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * Collects the statements that one collective call becomes. Generated variables are named {@code
 * <result>__<purpose>_tmp_v<k>}; k counts through the call.
 */
final class Schedule {

  private final String base;
  private final Build ir;
  private List<Stmt> block = new ArrayList<>();
  private int names;

  Schedule(String base, Span span) {
    this.base = base;
    this.ir = new Build(span);
  }

  Build ir() {
    return ir;
  }

  List<Stmt> statements() {
    return block;
  }

  Expr.Var fresh(String purpose, Type type) {
    return new Expr.Var(base + "__" + purpose + "_tmp_v" + names++, type, ir.span());
  }

  /** Assigns a value to a new variable. */
  Expr.Var let(String purpose, Expr value) {
    Expr.Var variable = fresh(purpose, value.type());
    assign(variable, value);
    return variable;
  }

  /** The value itself when it is a variable or constant, else a new variable for it. */
  Expr named(String purpose, Expr value) {
    return value instanceof Expr.Var || value instanceof Expr.IntConst
        ? value
        : let(purpose, value);
  }

  void assign(Expr.Var variable, Expr value) {
    block.add(new Stmt.Assign(variable, value, ir.span()));
  }

  void eval(Expr value) {
    block.add(new Stmt.Eval(value, ir.span()));
  }

  void loop(String purpose, Expr start, Expr stop, Expr step, Consumer<Expr> body) {
    Expr.Var variable = fresh(purpose, new Type.Scalar(DType.INDEX));
    List<Stmt> inner = nested(() -> body.accept(variable));
    block.add(new Stmt.For(variable, start, stop, step, Stmt.LoopKind.RANGE, inner, ir.span()));
  }

  void loop(String purpose, Expr stop, Consumer<Expr> body) {
    loop(purpose, ir.index(0), stop, ir.index(1), body);
  }

  void when(Expr condition, Runnable then) {
    choose(condition, then, () -> {});
  }

  void choose(Expr condition, Runnable then, Runnable otherwise) {
    List<Stmt> yes = nested(then);
    block.add(new Stmt.If(condition, yes, nested(otherwise), ir.span()));
  }

  private List<Stmt> nested(Runnable body) {
    List<Stmt> outer = block;
    block = new ArrayList<>();
    body.run();
    List<Stmt> inner = block;
    block = outer;
    return inner;
  }

  /** Asks the window's domain who and how many we are. */
  Ranks ranks(Expr window) {
    Expr context = let("ctx", ir.op(OpCode.GET_COMM_CTX, window));
    Expr count = let("nranks", ir.op(OpCode.NRANKS, context));
    Expr countIndex = let("nranks_idx", ir.cast(count, DType.INDEX));
    return new Ranks(this, countIndex, let("my_rank", ir.op(OpCode.RANK, context)));
  }

  /**
   * The ranks of a domain, seen from one of them.
   *
   * @param count INDEX
   * @param mine INT32
   */
  record Ranks(Schedule schedule, Expr count, Expr mine) {

    /** Every rank ascending, this one included. */
    void each(String purpose, Consumer<Expr> body) {
      schedule.loop(purpose, count, body);
    }

    /** Every other rank ascending. */
    void others(String purpose, Consumer<Expr> body) {
      each(
          purpose,
          rank ->
              schedule.when(
                  schedule.ir().compare(BinaryOp.NE, rank, mine), () -> body.accept(rank)));
    }
  }
}
