package io.ringmaster.worker.frontend;

import io.ringmaster.worker.frontend.values.Extent;
import io.ringmaster.worker.frontend.values.Refusal;
import io.ringmaster.worker.frontend.values.Symbols;
import io.ringmaster.worker.frontend.values.TypeText;
import io.ringmaster.worker.ir.Expr;
import io.ringmaster.worker.ir.Type;
import io.ringmaster.worker.source.Span;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** What a callee's dynamic dims stand for in one call. */
final class DimBindings {

  private final Symbols symbols;
  private final Map<String, Expr> bound = new HashMap<>();

  DimBindings(Symbols symbols) {
    this.symbols = symbols;
  }

  /** Binds the dims of a parameter to the extents of its argument; refuses a provable conflict. */
  void bind(String callee, Type.Tensor wanted, Type.Tensor given, Span span) {
    if (wanted.shape().size() != given.shape().size()) {
      return;
    }
    for (int axis = 0; axis < wanted.shape().size(); axis++) {
      Expr extent = given.shape().get(axis);
      if (wanted.shape().get(axis) instanceof Expr.Dim(String name, _)
          && !(extent instanceof Expr.Dim(String same, _) && same.equals(name))) {
        bind(callee, name, extent, span);
      }
    }
  }

  private void bind(String callee, String name, Expr extent, Span span) {
    Expr before = bound.putIfAbsent(name, extent);
    if (before == null) {
      return;
    }
    Extent difference = Extent.of(before, symbols).minus(Extent.of(extent, symbols));
    if (difference.alwaysPositive() || difference.alwaysNegative()) {
      throw Refusal.of(
          "Dynamic type variable '"
              + name
              + "' has conflicting bindings "
              + TypeText.scalar(before)
              + " and "
              + TypeText.scalar(extent)
              + " in the call of '"
              + callee
              + "': cross-function calls do not emit a runtime shape guard",
          "use two dims, or pass tensors that agree",
          span);
    }
  }

  /** True when the callee's shape provably has more bytes than the argument. */
  boolean isLarger(Type.Tensor wanted, Type.Tensor given) {
    List<Expr> shape = wanted.shape().stream().map(e -> substitute(e, e.span())).toList();
    Extent needed = Extent.product(shape, symbols).times(wanted.dtype().bytes());
    Extent there = Extent.product(given.shape(), symbols).times(given.dtype().bytes());
    return needed.minus(there).alwaysPositive();
  }

  /** An extent of the callee in the caller's terms. */
  Expr substitute(Expr extent, Span span) {
    return switch (extent) {
      case Expr.Dim(String name, _) -> bound.getOrDefault(name, extent);
      case Expr.Binary(var op, Expr left, Expr right, Type type, _) ->
          new Expr.Binary(op, substitute(left, span), substitute(right, span), type, span);
      case Expr.Unary(var op, Expr operand, Type type, _) ->
          new Expr.Unary(op, substitute(operand, span), type, span);
      case Expr.Convert(Expr operand, var dtype, _) ->
          new Expr.Convert(substitute(operand, span), dtype, span);
      case Expr.IntConst _,
          Expr.FloatConst _,
          Expr.BoolConst _,
          Expr.Var _,
          Expr.TupleExpr _,
          Expr.Op _,
          Expr.Call _ ->
          extent;
    };
  }
}
