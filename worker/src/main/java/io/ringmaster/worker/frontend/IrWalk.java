package io.ringmaster.worker.frontend;

import io.ringmaster.worker.ir.Expr;
import io.ringmaster.worker.ir.Stmt;
import java.util.List;
import java.util.function.Consumer;

/** Visits every expression of a body, the whole ones and those inside them; gaps hold none. */
final class IrWalk {

  private IrWalk() {}

  static void expressions(List<Stmt> body, Consumer<Expr> visitor) {
    for (Stmt statement : body) {
      switch (statement) {
        case Stmt.Assign(_, Expr value, _) -> visit(value, visitor);
        case Stmt.AssignTuple(_, Expr value, _) -> visit(value, visitor);
        case Stmt.Eval(Expr value, _) -> visit(value, visitor);
        case Stmt.For loop -> {
          visit(loop.start(), visitor);
          visit(loop.stop(), visitor);
          visit(loop.step(), visitor);
          expressions(loop.body(), visitor);
        }
        case Stmt.While loop -> {
          visit(loop.condition(), visitor);
          expressions(loop.body(), visitor);
        }
        case Stmt.If branch -> {
          visit(branch.condition(), visitor);
          expressions(branch.thenBody(), visitor);
          expressions(branch.elseBody(), visitor);
        }
        case Stmt.Return(var values, _) -> values.forEach(value -> visit(value, visitor));
        case Stmt.Region region -> expressions(region.body(), visitor);
        case Stmt.Break _, Stmt.Continue _ -> {}
      }
    }
  }

  /** Visits every {@code for} loop of a body, the inner ones too. */
  static void loops(List<Stmt> body, Consumer<Stmt.For> visitor) {
    for (Stmt statement : body) {
      switch (statement) {
        case Stmt.For loop -> {
          visitor.accept(loop);
          loops(loop.body(), visitor);
        }
        case Stmt.While loop -> loops(loop.body(), visitor);
        case Stmt.If branch -> {
          loops(branch.thenBody(), visitor);
          loops(branch.elseBody(), visitor);
        }
        case Stmt.Region region -> loops(region.body(), visitor);
        case Stmt.Assign _,
            Stmt.AssignTuple _,
            Stmt.Eval _,
            Stmt.Return _,
            Stmt.Break _,
            Stmt.Continue _ -> {}
      }
    }
  }

  private static void visit(Expr expr, Consumer<Expr> visitor) {
    if (Gap.is(expr)) {
      return;
    }
    visitor.accept(expr);
    children(expr).forEach(child -> visit(child, visitor));
  }

  static List<Expr> children(Expr expr) {
    return switch (expr) {
      case Expr.Binary binary -> List.of(binary.left(), binary.right());
      case Expr.Unary unary -> List.of(unary.operand());
      case Expr.Convert convert -> List.of(convert.operand());
      case Expr.TupleExpr tuple -> tuple.elements();
      case Expr.Op op -> op.operands();
      case Expr.Call call -> call.arguments();
      case Expr.IntConst _, Expr.FloatConst _, Expr.BoolConst _, Expr.Var _, Expr.Dim _ ->
          List.of();
    };
  }
}
