package io.ringmaster.worker.frontend;

import io.ringmaster.worker.ir.Expr;
import io.ringmaster.worker.ir.Expr.BinaryOp;
import io.ringmaster.worker.ir.Function;
import io.ringmaster.worker.ir.Function.Level;
import io.ringmaster.worker.ir.Function.Param;
import io.ringmaster.worker.ir.Type;
import java.util.HashSet;
import java.util.Set;
import java.util.TreeSet;

/** Every dynamic dim of a function must follow from the shape of one of its tensor arguments. */
final class DimRules {

  private DimRules() {}

  static void check(Function function, Messages messages) {
    if (function.params().stream().anyMatch(param -> param.type() instanceof Type.None)) {
      // A parameter that was refused might have given any of them.
      return;
    }
    Set<String> solvable = new HashSet<>();
    Set<String> used = new TreeSet<>();
    for (Param param : function.params()) {
      if (param.type() instanceof Type.Tensor tensor) {
        for (Expr extent : tensor.shape()) {
          collect(extent, used);
          solve(extent, solvable);
        }
      }
    }
    IrWalk.expressions(function.body(), expr -> collect(expr, used));
    used.removeAll(solvable);
    for (String name : used) {
      messages.error(
          "Cannot recover dynamic dimension '"
              + name
              + "' for "
              + (function.level() == Level.HOST
                  ? "host-orchestration codegen"
                  : "function '" + function.name() + "'"),
          "let some tensor parameter have "
              + name
              + " (or "
              + name
              + " + c, c - "
              + name
              + ", "
              + name
              + " * c, "
              + name
              + " // c) as an extent",
          function.span());
    }
  }

  /** Adds the dims that occur in a scalar expression. */
  static void collect(Expr expr, Set<String> dims) {
    switch (expr) {
      case Expr.Dim(String name, _) -> dims.add(name);
      case Expr.Binary binary -> {
        collect(binary.left(), dims);
        collect(binary.right(), dims);
      }
      case Expr.Unary unary -> collect(unary.operand(), dims);
      case Expr.Convert convert -> collect(convert.operand(), dims);
      case Expr.TupleExpr tuple -> tuple.elements().forEach(e -> collect(e, dims));
      case Expr.IntConst _,
          Expr.FloatConst _,
          Expr.BoolConst _,
          Expr.Var _,
          Expr.Op _,
          Expr.Call _ -> {}
    }
  }

  private static void solve(Expr extent, Set<String> solvable) {
    switch (extent) {
      case Expr.Dim(String name, _) -> solvable.add(name);
      case Expr.Binary(BinaryOp op, Expr left, Expr.IntConst right, _, _)
          when op == BinaryOp.ADD
              || op == BinaryOp.SUB
              || op == BinaryOp.MUL
              || op == BinaryOp.FLOOR_DIV ->
          solve(left, solvable);
      case Expr.Binary(BinaryOp op, Expr.IntConst left, Expr right, _, _)
          when op == BinaryOp.ADD || op == BinaryOp.SUB || op == BinaryOp.MUL ->
          solve(right, solvable);
      case Expr other -> {}
    }
  }
}
