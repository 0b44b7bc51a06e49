package io.ringmaster.worker.lowering;

import io.ringmaster.worker.ir.Expr;
import io.ringmaster.worker.ir.Function;
import io.ringmaster.worker.ir.OpCode;
import io.ringmaster.worker.ir.Program;
import io.ringmaster.worker.ir.Stmt;
import io.ringmaster.worker.source.Span;
import java.util.ArrayList;
import java.util.List;

/**
 * Collectives called by kernels become their schedules: {@code y = pld.tensor.X(...)} turns into a
 * region of notifies, waits and transfers, then {@code y = target} where the names differ.
 */
public final class LowerCompositeOps implements Pass {

  @Override
  public Program apply(Program program, LoweringContext context) {
    List<Function> functions = new ArrayList<>();
    for (Function f : program.functions()) {
      functions.add(
          switch (f.level()) {
            case INCORE -> {
              checkRoots(f, context);
              yield Blocks.withBody(f, Blocks.rewrite(f.body(), this::stmt, context.mistakes()));
            }
            case ORCHESTRATION -> {
              refuse(f, context.mistakes());
              yield f;
            }
            case HOST -> f;
          });
    }
    return new Program(program.name(), functions, program.domains());
  }

  private List<Stmt> stmt(Stmt stmt) {
    return switch (stmt) {
      case Stmt.Assign s when isCollective(s.value()) ->
          lower((Expr.Op) s.value(), s.target().name(), s.span(), s.target());
      case Stmt.Eval s when isCollective(s.value()) -> {
        Expr.Op op = (Expr.Op) s.value();
        yield lower(op, nameOf(result(op)), s.span(), null);
      }
      case Stmt.Return s when s.values().stream().anyMatch(LowerCompositeOps::isCollective) ->
          returned(s);
      default -> List.of(stmt);
    };
  }

  private List<Stmt> returned(Stmt.Return s) {
    List<Stmt> out = new ArrayList<>();
    List<Expr> values = new ArrayList<>();
    for (Expr value : s.values()) {
      if (isCollective(value)) {
        Expr.Op op = (Expr.Op) value;
        out.addAll(lower(op, nameOf(result(op)), s.span(), null));
        values.add(result(op));
      } else {
        values.add(value);
      }
    }
    out.add(new Stmt.Return(values, s.span()));
    return out;
  }

  private static List<Stmt> lower(
      Expr.Op op, String base, Span span, Expr.@org.jspecify.annotations.Nullable Var target) {
    Schedule schedule = new Schedule(base, op.span());
    Stmt.Collective collective = InCoreCollectives.lower(schedule, op);
    List<Stmt> out = new ArrayList<>();
    out.add(new Stmt.Region(collective, schedule.statements(), op.span()));
    Expr result = result(op);
    boolean same = result instanceof Expr.Var v && target != null && v.name().equals(target.name());
    if (target != null && !same) {
      out.add(new Stmt.Assign(target, result, span));
    }
    return out;
  }

  /** The operand that the call names as its result. */
  static Expr result(Expr.Op op) {
    return switch (op.code()) {
      case ALLGATHER, ALL_TO_ALL, ALL_TO_ALL_V -> op.operands().get(1);
      default -> op.operands().getFirst();
    };
  }

  static boolean isCollective(Expr expr) {
    return expr instanceof Expr.Op op && op.code().isCollective();
  }

  private static String nameOf(Expr expr) {
    return expr instanceof Expr.Var v ? v.name() : "result";
  }

  /** No domain has more ranks than there are devices. */
  private static void checkRoots(Function f, LoweringContext context) {
    Blocks.forEach(
        f.body(),
        value -> {
          if (value instanceof Expr.Op op
              && op.code() == OpCode.BROADCAST
              && context.worldSize().isPresent()
              && InCoreCollectives.root(op) >= context.worldSize().getAsInt()) {
            context
                .mistakes()
                .add(
                    Errors.at(
                        op.place("root"),
                        "pld.tensor.broadcast root ("
                            + InCoreCollectives.root(op)
                            + ") must be a valid rank in [0, "
                            + context.worldSize().getAsInt()
                            + ")",
                        "Ranks of a domain count from 0."));
          }
        });
  }

  private static void refuse(Function f, Mistakes mistakes) {
    Blocks.forEach(
        f.body(),
        value -> {
          if (value instanceof Expr.Op op && op.code().isCollective()) {
            mistakes.add(
                Errors.at(
                    op.span(),
                    op.code().printedName()
                        + " can't be called from the Orchestration function "
                        + f.name(),
                    "Call it from an InCore kernel or from the HOST function."));
          }
        });
  }
}
