package io.ringmaster.worker.ir;

import io.ringmaster.worker.source.Span;
import java.util.List;
import java.util.Optional;

/**
 * An IR statement. Variables are function-scoped and may be assigned again, as in the language;
 * loop carries are plain assignments.
 */
public sealed interface Stmt {

  Span span();

  record Assign(Expr.Var target, Expr value, Span span) implements Stmt {}

  /** Unpacks a tuple-typed call or a {@link Expr.TupleExpr}. */
  record AssignTuple(List<Expr.Var> targets, Expr value, Span span) implements Stmt {
    public AssignTuple {
      targets = List.copyOf(targets);
    }
  }

  /** An operation or call whose result isn't used. */
  record Eval(Expr value, Span span) implements Stmt {}

  record For(
      Expr.Var variable,
      Expr start,
      Expr stop,
      Expr step,
      LoopKind kind,
      List<Stmt> body,
      Span span)
      implements Stmt {
    public For {
      body = List.copyOf(body);
    }
  }

  record While(Expr condition, List<Stmt> body, Span span) implements Stmt {
    public While {
      body = List.copyOf(body);
    }
  }

  record If(Expr condition, List<Stmt> thenBody, List<Stmt> elseBody, Span span) implements Stmt {
    public If {
      thenBody = List.copyOf(thenBody);
      elseBody = List.copyOf(elseBody);
    }
  }

  record Return(List<Expr> values, Span span) implements Stmt {
    public Return {
      values = List.copyOf(values);
    }
  }

  record Break(Span span) implements Stmt {}

  record Continue(Span span) implements Stmt {}

  /**
   * The schedule that one collective call was lowered to. Executing it tells the observers that the
   * rank entered and left that collective; it has no other effect.
   */
  record Region(Collective collective, List<Stmt> body, Span span) implements Stmt {
    public Region {
      body = List.copyOf(body);
    }
  }

  /**
   * What a region stands for.
   *
   * @param op the collective's code; see {@link OpCode#isCollective()}
   * @param algorithm mesh, ring, push, pull, credit (barrier)
   * @param operands the original tensor operands, for shape, dtype and window at run time
   * @param root broadcast's root
   * @param reduce the reduction, where there is one
   */
  record Collective(
      OpCode op,
      Rail rail,
      String algorithm,
      List<Expr> operands,
      Optional<Long> root,
      Optional<Attribute.ReduceOp> reduce) {
    public Collective {
      operands = List.copyOf(operands);
    }
  }

  /** Where a collective was called. */
  enum Rail {
    INCORE,
    HOST
  }

  /** How a loop was written; here all kinds run sequentially in order. */
  enum LoopKind {
    RANGE,
    /** {@code pl.parallel}: nothing orders the iterations. */
    PARALLEL,
    UNROLL,
    PIPELINE,
    /** {@code pl.spmd}: the blocks of a kernel, which run at the same time. */
    BLOCKS,
    /** {@code pl.split_aiv}: the vector lanes of a core. */
    LANES,
    /** {@code pl.manual_scope} without dependences, gone through once: nothing orders its tasks. */
    TASKS,
    /** {@code pl.manual_scope}, gone through once, whose tasks say what they depend on. */
    TASKS_WITH_DEPS
  }
}
