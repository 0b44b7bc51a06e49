package io.ringmaster.worker.frontend;

import io.ringmaster.worker.source.Expr;
import io.ringmaster.worker.source.Stmt;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** Gives the local names of a body other names, so that it can stand in another function. */
record Renaming(Map<String, String> names) {

  Renaming {
    names = Map.copyOf(names);
  }

  List<Stmt> statements(List<Stmt> body) {
    return body.stream().map(this::statement).toList();
  }

  private Stmt statement(Stmt statement) {
    return switch (statement) {
      case Stmt.Return(var value, var span) -> new Stmt.Return(value.map(this::expr), span);
      case Stmt.Assign(var targets, var value, var span) ->
          new Stmt.Assign(exprs(targets), expr(value), span);
      case Stmt.AugmentedAssign(var target, var operator, var value, var span) ->
          new Stmt.AugmentedAssign(expr(target), operator, expr(value), span);
      case Stmt.AnnotatedAssign(var target, var annotation, var value, var span) ->
          new Stmt.AnnotatedAssign(expr(target), annotation, value.map(this::expr), span);
      case Stmt.For(var target, var iterable, var body, var orElse, var async, var span) ->
          new Stmt.For(
              expr(target), expr(iterable), statements(body), statements(orElse), async, span);
      case Stmt.While(var condition, var body, var orElse, var span) ->
          new Stmt.While(expr(condition), statements(body), statements(orElse), span);
      case Stmt.If(var condition, var body, var orElse, var span) ->
          new Stmt.If(expr(condition), statements(body), statements(orElse), span);
      case Stmt.With(var items, var body, var async, var span) ->
          new Stmt.With(
              items.stream()
                  .map(i -> new Stmt.WithItem(expr(i.context()), i.target().map(this::expr)))
                  .toList(),
              statements(body),
              async,
              span);
      case Stmt.ExprStmt(var value, var span) -> new Stmt.ExprStmt(expr(value), span);
      case Stmt.Unread(var unread, var words, var span) ->
          new Stmt.Unread(renamed(unread), renamed(words), span);
      case Stmt.FunctionDef _,
          Stmt.ClassDef _,
          Stmt.Raise _,
          Stmt.Try _,
          Stmt.Match _,
          Stmt.Assert _,
          Stmt.Import _,
          Stmt.ImportFrom _,
          Stmt.Global _,
          Stmt.Nonlocal _,
          Stmt.Delete _,
          Stmt.Pass _,
          Stmt.Break _,
          Stmt.Continue _,
          Stmt.Unsupported _ ->
          statement;
    };
  }

  private Set<String> renamed(Set<String> all) {
    return all.stream().map(name -> names.getOrDefault(name, name)).collect(Collectors.toSet());
  }

  private List<Expr> exprs(List<Expr> all) {
    return all.stream().map(this::expr).toList();
  }

  private Optional<Expr> maybe(Optional<Expr> expr) {
    return expr.map(this::expr);
  }

  Expr expr(Expr expr) {
    return switch (expr) {
      case Expr.Name(String id, var span) -> new Expr.Name(names.getOrDefault(id, id), span);
      case Expr.Attribute(var value, var name, var nameSpan, var span) ->
          new Expr.Attribute(expr(value), name, nameSpan, span);
      case Expr.Call(var function, var arguments, var keywords, var span) ->
          new Expr.Call(
              expr(function),
              exprs(arguments),
              keywords.stream()
                  .map(k -> new Expr.Keyword(k.name(), expr(k.value()), k.span()))
                  .toList(),
              span);
      case Expr.Subscript(var value, var index, var span) ->
          new Expr.Subscript(expr(value), expr(index), span);
      case Expr.Slice(var lower, var upper, var step, var span) ->
          new Expr.Slice(maybe(lower), maybe(upper), maybe(step), span);
      case Expr.TupleDisplay(var elements, var span) ->
          new Expr.TupleDisplay(exprs(elements), span);
      case Expr.ListDisplay(var elements, var span) -> new Expr.ListDisplay(exprs(elements), span);
      case Expr.Unary(var operator, var operand, var span) ->
          new Expr.Unary(operator, expr(operand), span);
      case Expr.Binary(var operator, var left, var right, var span) ->
          new Expr.Binary(operator, expr(left), expr(right), span);
      case Expr.BoolOperation(var and, var operands, var span) ->
          new Expr.BoolOperation(and, exprs(operands), span);
      case Expr.Comparison(var first, var operators, var rest, var span) ->
          new Expr.Comparison(expr(first), operators, exprs(rest), span);
      case Expr.IntLiteral _,
          Expr.FloatLiteral _,
          Expr.StringLiteral _,
          Expr.BytesLiteral _,
          Expr.BoolLiteral _,
          Expr.NoneLiteral _,
          Expr.EllipsisLiteral _,
          Expr.FormattedString _,
          Expr.SetDisplay _,
          Expr.DictDisplay _,
          Expr.Conditional _,
          Expr.Lambda _,
          Expr.Comprehension _,
          Expr.Starred _,
          Expr.Walrus _,
          Expr.Suspension _ ->
          expr;
    };
  }
}
