package io.ringmaster.worker.ir;

import io.ringmaster.worker.source.Span;
import io.ringmaster.worker.stop.StopOrder;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;

/**
 * Copies IR bottom-up, changing spans and expressions on the way; types are copied too, since
 * extents and valid boxes are expressions.
 *
 * @param spans applied to every span
 * @param exprs applied to every expression after its parts were rewritten; assignment targets and
 *     loop variables must stay variables
 */
public record Rewriter(UnaryOperator<Span> spans, UnaryOperator<Expr> exprs) {

  /** A rewriter that keeps spans. */
  public static Rewriter ofExprs(UnaryOperator<Expr> exprs) {
    return new Rewriter(span -> span, exprs);
  }

  public Program program(Program program) {
    return new Program(
        program.name(),
        program.functions().stream().map(this::function).toList(),
        program.domains());
  }

  public Function function(Function function) {
    return new Function(
        function.name(),
        function.level(),
        function.params().stream()
            .map(
                p ->
                    new Function.Param(
                        p.name(), type(p.type()), p.direction(), spans.apply(p.span())))
            .toList(),
        function.returns().stream().map(this::type).toList(),
        body(function.body()),
        spans.apply(function.span()));
  }

  public List<Stmt> body(List<Stmt> body) {
    List<Stmt> out = new ArrayList<>(body.size());
    for (Stmt stmt : body) {
      out.add(stmt(stmt));
    }
    return out;
  }

  public Stmt stmt(Stmt stmt) {
    StopOrder.look();
    Span span = spans.apply(stmt.span());
    return switch (stmt) {
      case Stmt.Assign s -> new Stmt.Assign(target(s.target()), expr(s.value()), span);
      case Stmt.AssignTuple s ->
          new Stmt.AssignTuple(
              s.targets().stream().map(this::target).toList(), expr(s.value()), span);
      case Stmt.Eval s -> new Stmt.Eval(expr(s.value()), span);
      case Stmt.For s ->
          new Stmt.For(
              target(s.variable()),
              expr(s.start()),
              expr(s.stop()),
              expr(s.step()),
              s.kind(),
              body(s.body()),
              span);
      case Stmt.While s -> new Stmt.While(expr(s.condition()), body(s.body()), span);
      case Stmt.If s ->
          new Stmt.If(expr(s.condition()), body(s.thenBody()), body(s.elseBody()), span);
      case Stmt.Return s -> new Stmt.Return(exprs(s.values()), span);
      case Stmt.Break _ -> new Stmt.Break(span);
      case Stmt.Continue _ -> new Stmt.Continue(span);
      case Stmt.Region s -> new Stmt.Region(collective(s.collective()), body(s.body()), span);
    };
  }

  private Stmt.Collective collective(Stmt.Collective c) {
    return new Stmt.Collective(
        c.op(), c.rail(), c.algorithm(), exprs(c.operands()), c.root(), c.reduce());
  }

  private Expr.Var target(Expr.Var variable) {
    return new Expr.Var(variable.name(), type(variable.type()), spans.apply(variable.span()));
  }

  public List<Expr> exprs(List<Expr> list) {
    return list.stream().map(this::expr).toList();
  }

  public Expr expr(Expr expr) {
    Span span = spans.apply(expr.span());
    Expr copy =
        switch (expr) {
          case Expr.IntConst e -> new Expr.IntConst(e.value(), e.dtype(), span);
          case Expr.FloatConst e -> new Expr.FloatConst(e.value(), e.dtype(), span);
          case Expr.BoolConst e -> new Expr.BoolConst(e.value(), span);
          case Expr.Var e -> new Expr.Var(e.name(), type(e.type()), span);
          case Expr.Dim e -> new Expr.Dim(e.name(), span);
          case Expr.Binary e ->
              new Expr.Binary(e.op(), expr(e.left()), expr(e.right()), type(e.type()), span);
          case Expr.Unary e -> new Expr.Unary(e.op(), expr(e.operand()), type(e.type()), span);
          case Expr.Convert e -> new Expr.Convert(expr(e.operand()), e.dtype(), span);
          case Expr.TupleExpr e -> new Expr.TupleExpr(exprs(e.elements()), span);
          case Expr.Op e ->
              new Expr.Op(
                  e.code(),
                  exprs(e.operands()),
                  e.attributes(),
                  type(e.type()),
                  span,
                  places(e.places()));
          case Expr.Call e ->
              new Expr.Call(
                  e.function(),
                  exprs(e.arguments()),
                  e.device().map(this::expr),
                  type(e.type()),
                  span);
        };
    return exprs.apply(copy);
  }

  private Map<String, Span> places(Map<String, Span> places) {
    Map<String, Span> kept = new HashMap<>();
    places.forEach(
        (parameter, place) -> {
          Span now = spans.apply(place);
          if (now.isKnown()) {
            kept.put(parameter, now);
          }
        });
    return kept;
  }

  public Type type(Type type) {
    return switch (type) {
      case Type.Tensor t ->
          new Type.Tensor(exprs(t.shape()), t.dtype(), t.window(), exprs(t.valid()));
      case Type.Tile t -> new Type.Tile(t.shape(), t.dtype(), t.memory(), exprs(t.valid()));
      case Type.Tuple t -> new Type.Tuple(t.elements().stream().map(this::type).toList());
      case Type.None t -> t;
      case Type.Scalar t -> t;
      case Type.Array t -> t;
      case Type.Buffer t -> t;
      case Type.Context t -> t;
    };
  }
}
