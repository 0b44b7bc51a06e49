package io.ringmaster.worker.lowering;

import io.ringmaster.worker.ir.Attribute;
import io.ringmaster.worker.ir.Expr;
import io.ringmaster.worker.ir.Function;
import io.ringmaster.worker.ir.OpCode;
import io.ringmaster.worker.ir.Program;
import io.ringmaster.worker.ir.Stmt;
import io.ringmaster.worker.ir.Traversal;
import io.ringmaster.worker.ir.Type;
import io.ringmaster.worker.source.Span;
import io.ringmaster.worker.tensor.DType;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * {@code data = pld.tensor.allreduce(data)} in a HOST function is given a signal window {@code
 * [world_size, core_num]} of its own, allocated just before it.
 */
public final class SynthesizeAllReduceSignals implements Pass {

  @Override
  public Program apply(Program program, LoweringContext context) {
    List<Function> functions = new ArrayList<>();
    for (Function f : program.functions()) {
      if (f.level() == Function.Level.HOST) {
        refuseMisplaced(f, context.mistakes());
        functions.add(
            Blocks.withBody(
                f,
                Blocks.rewrite(
                    f.body(), new Synthesis(context.mistakes())::stmt, context.mistakes())));
      } else {
        functions.add(f);
      }
    }
    return new Program(program.name(), functions, program.domains());
  }

  /** What is wrong with calls where they stand, whatever else the function does. */
  static void refuseMisplaced(Function host, Mistakes mistakes) {
    refuseInLoops(host.body(), false, mistakes);
  }

  private static void refuseInLoops(List<Stmt> body, boolean inLoop, Mistakes mistakes) {
    for (Stmt stmt : body) {
      for (Expr value : Traversal.values(stmt)) {
        mistakes.attempt(() -> refuseNested(value, stmt));
        if (inLoop && value instanceof Expr.Op op && isUnsignalled(op)) {
          mistakes.add(
              Errors.at(
                  op.span(),
                  "pld.tensor.allreduce without an explicit signal is not supported inside a"
                      + " for/while loop on the HOST rail",
                  "Allocate an INT32 window [world_size] above the loop and pass it as the"
                      + " signal."));
        }
      }
      boolean loop = stmt instanceof Stmt.For || stmt instanceof Stmt.While;
      Traversal.blocks(stmt).forEach(block -> refuseInLoops(block, inLoop || loop, mistakes));
    }
  }

  private static void refuseNested(Expr value, Stmt stmt) {
    for (Expr part : Traversal.parts(value)) {
      Traversal.expressions(
          part,
          inner -> {
            if (inner instanceof Expr.Op op && op.code() == OpCode.ALLREDUCE) {
              throw Errors.at(
                  stmt.span(),
                  "pld.tensor.allreduce must be a direct assignment, expression statement, or"
                      + " return value before its result is used",
                  "Assign the result to a name first.");
            }
          });
    }
  }

  private static boolean isUnsignalled(Expr.Op op) {
    return op.code() == OpCode.ALLREDUCE && op.operands().size() == 1;
  }

  /** Gives signals to the calls of one function. */
  private static final class Synthesis {
    private final Mistakes mistakes;
    private int names;

    Synthesis(Mistakes mistakes) {
      this.mistakes = mistakes;
    }

    List<Stmt> stmt(Stmt stmt) {
      boolean refused =
          Traversal.values(stmt).stream()
              .anyMatch(value -> value instanceof Expr.Op op && mistakes.isAt(op.span()));
      if (refused) {
        return List.of(stmt);
      }
      List<Stmt> out = new ArrayList<>();
      out.add(
          switch (stmt) {
            case Stmt.Assign s when s.value() instanceof Expr.Op op && isUnsignalled(op) ->
                new Stmt.Assign(s.target(), signalled(op, out), s.span());
            case Stmt.Eval s when s.value() instanceof Expr.Op op && isUnsignalled(op) ->
                new Stmt.Eval(signalled(op, out), s.span());
            case Stmt.Return s -> {
              List<Expr> values = new ArrayList<>();
              for (Expr value : s.values()) {
                values.add(
                    value instanceof Expr.Op op && isUnsignalled(op) ? signalled(op, out) : value);
              }
              yield new Stmt.Return(values, s.span());
            }
            default -> stmt;
          });
      return out;
    }

    private Expr signalled(Expr.Op op, List<Stmt> out) {
      if (InCoreCollectives.mode(op).equals("ring")) {
        throw Errors.at(
            op.span(),
            "pld.tensor.allreduce mode=\"ring\" requires an explicit signal; host signal synthesis"
                + " only supports mesh mode",
            "Pass an INT32 window [2*(NR-1) + 1, NR].");
      }
      long lanes = HostCollectives.lanes(op);
      Span span = op.span();
      Build ir = new Build(span);
      String name = "__allreduce_signal_" + names++;
      Expr world = ir.op(OpCode.WORLD_SIZE);
      Expr bytes = ir.mul(world, ir.index(lanes * DType.INT32.bytes()));
      Expr.Var buffer = new Expr.Var(name, new Type.Buffer(), span);
      out.add(new Stmt.Assign(buffer, ir.op(OpCode.ALLOC_WINDOW, bytes), span));
      Expr window =
          ir.op(
              OpCode.WINDOW,
              List.of(buffer, ir.tuple(world, ir.index(lanes))),
              Map.of("dtype", new Attribute.Dtype(DType.INT32)));
      Expr.Var view = new Expr.Var(name + "_view", window.type(), span);
      out.add(new Stmt.Assign(view, window, span));
      return op.on(List.of(op.operands().getFirst(), view));
    }
  }
}
