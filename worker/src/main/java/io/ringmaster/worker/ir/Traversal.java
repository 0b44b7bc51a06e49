package io.ringmaster.worker.ir;

import io.ringmaster.worker.stop.StopOrder;
import java.util.List;
import java.util.function.Consumer;

/** Walks IR in textual order. */
public final class Traversal {

  private Traversal() {}

  /** Visits every statement, a block's header before its body. */
  public static void statements(List<Stmt> body, Consumer<Stmt> visit) {
    for (Stmt stmt : body) {
      StopOrder.look();
      visit.accept(stmt);
      for (List<Stmt> block : blocks(stmt)) {
        statements(block, visit);
      }
    }
  }

  /** The statement lists directly inside a statement. */
  public static List<List<Stmt>> blocks(Stmt stmt) {
    return switch (stmt) {
      case Stmt.For s -> List.of(s.body());
      case Stmt.While s -> List.of(s.body());
      case Stmt.If s -> List.of(s.thenBody(), s.elseBody());
      case Stmt.Region s -> List.of(s.body());
      case Stmt.Assign _,
          Stmt.AssignTuple _,
          Stmt.Eval _,
          Stmt.Return _,
          Stmt.Break _,
          Stmt.Continue _ ->
          List.of();
    };
  }

  /** The expressions that a statement evaluates itself: not its targets, not its blocks'. */
  public static List<Expr> values(Stmt stmt) {
    return switch (stmt) {
      case Stmt.Assign s -> List.of(s.value());
      case Stmt.AssignTuple s -> List.of(s.value());
      case Stmt.Eval s -> List.of(s.value());
      case Stmt.For s -> List.of(s.start(), s.stop(), s.step());
      case Stmt.While s -> List.of(s.condition());
      case Stmt.If s -> List.of(s.condition());
      case Stmt.Return s -> s.values();
      case Stmt.Region s -> s.collective().operands();
      case Stmt.Break _, Stmt.Continue _ -> List.of();
    };
  }

  /** The variables that a statement itself assigns. */
  public static List<Expr.Var> targets(Stmt stmt) {
    return switch (stmt) {
      case Stmt.Assign s -> List.of(s.target());
      case Stmt.AssignTuple s -> s.targets();
      case Stmt.For s -> List.of(s.variable());
      case Stmt.Eval _,
          Stmt.While _,
          Stmt.If _,
          Stmt.Return _,
          Stmt.Region _,
          Stmt.Break _,
          Stmt.Continue _ ->
          List.of();
    };
  }

  /** Visits an expression and its parts, outermost first; types aren't entered. */
  public static void expressions(Expr expr, Consumer<Expr> visit) {
    visit.accept(expr);
    for (Expr part : parts(expr)) {
      expressions(part, visit);
    }
  }

  /** The expressions directly inside an expression. */
  public static List<Expr> parts(Expr expr) {
    return switch (expr) {
      case Expr.Binary e -> List.of(e.left(), e.right());
      case Expr.Unary e -> List.of(e.operand());
      case Expr.Convert e -> List.of(e.operand());
      case Expr.TupleExpr e -> e.elements();
      case Expr.Op e -> e.operands();
      case Expr.Call e -> {
        var all = new java.util.ArrayList<>(e.arguments());
        e.device().ifPresent(all::add);
        yield all;
      }
      case Expr.IntConst _, Expr.FloatConst _, Expr.BoolConst _, Expr.Var _, Expr.Dim _ ->
          List.of();
    };
  }
}
