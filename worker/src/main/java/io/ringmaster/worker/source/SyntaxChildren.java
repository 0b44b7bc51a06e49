package io.ringmaster.worker.source;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * What a node of the syntax tree directly holds, in source order as far as the tree keeps it; for
 * readers that look for something anywhere in a tree.
 */
public final class SyntaxChildren {

  private SyntaxChildren() {}

  /** The expressions directly in an expression, parameters' annotations and defaults included. */
  public static List<Expr> of(Expr expression) {
    return switch (expression) {
      case Expr.Name _,
          Expr.IntLiteral _,
          Expr.FloatLiteral _,
          Expr.StringLiteral _,
          Expr.BytesLiteral _,
          Expr.BoolLiteral _,
          Expr.NoneLiteral _,
          Expr.EllipsisLiteral _ ->
          List.of();
      case Expr.FormattedString string -> fields(string.parts());
      case Expr.Attribute attribute -> List.of(attribute.value());
      case Expr.Call call -> call(call.function(), call.arguments(), call.keywords());
      case Expr.Subscript subscript -> List.of(subscript.value(), subscript.index());
      case Expr.Slice slice -> present(slice.lower(), slice.upper(), slice.step());
      case Expr.TupleDisplay tuple -> tuple.elements();
      case Expr.ListDisplay list -> list.elements();
      case Expr.SetDisplay set -> set.elements();
      case Expr.DictDisplay dict -> entries(dict.entries());
      case Expr.Unary unary -> List.of(unary.operand());
      case Expr.Binary binary -> List.of(binary.left(), binary.right());
      case Expr.BoolOperation operation -> operation.operands();
      case Expr.Comparison comparison -> prepend(comparison.first(), comparison.rest());
      case Expr.Conditional c -> List.of(c.condition(), c.whenTrue(), c.whenFalse());
      case Expr.Lambda lambda -> append(parameters(lambda.parameters()), lambda.body());
      case Expr.Comprehension comprehension -> comprehension(comprehension);
      case Expr.Starred starred -> List.of(starred.value());
      case Expr.Walrus walrus -> List.of(walrus.target(), walrus.value());
      case Expr.Suspension suspension -> present(suspension.value());
    };
  }

  /** The expressions directly in a statement, those in its blocks left out. */
  public static List<Expr> expressionsOf(Stmt statement) {
    return switch (statement) {
      case Stmt.FunctionDef function -> {
        var all = new ArrayList<>(function.decorators());
        all.addAll(parameters(function.parameters()));
        function.returns().ifPresent(all::add);
        yield all;
      }
      case Stmt.ClassDef definition -> {
        var all = new ArrayList<>(definition.decorators());
        all.addAll(definition.bases());
        definition.keywords().forEach(keyword -> all.add(keyword.value()));
        yield all;
      }
      case Stmt.Return r -> present(r.value());
      case Stmt.Assign assign -> append(assign.targets(), assign.value());
      case Stmt.AugmentedAssign assign -> List.of(assign.target(), assign.value());
      case Stmt.AnnotatedAssign assign ->
          present(Optional.of(assign.target()), Optional.of(assign.annotation()), assign.value());
      case Stmt.For loop -> List.of(loop.target(), loop.iterable());
      case Stmt.While loop -> List.of(loop.condition());
      case Stmt.If branch -> List.of(branch.condition());
      case Stmt.With with -> {
        var all = new ArrayList<Expr>();
        for (Stmt.WithItem item : with.items()) {
          all.add(item.context());
          item.target().ifPresent(all::add);
        }
        yield all;
      }
      case Stmt.Raise raise -> present(raise.exception(), raise.cause());
      case Stmt.Try attempt ->
          attempt.handlers().stream().flatMap(handler -> handler.type().stream()).toList();
      case Stmt.Match match -> {
        var all = new ArrayList<Expr>();
        all.add(match.subject());
        for (Stmt.Case one : match.cases()) {
          all.addAll(one.pattern().expressions());
          one.guard().ifPresent(all::add);
        }
        yield all;
      }
      case Stmt.Assert assertion ->
          present(Optional.of(assertion.condition()), assertion.message());
      case Stmt.ExprStmt expression -> List.of(expression.value());
      case Stmt.Delete delete -> delete.targets();
      case Stmt.Import _,
          Stmt.ImportFrom _,
          Stmt.Global _,
          Stmt.Nonlocal _,
          Stmt.Pass _,
          Stmt.Break _,
          Stmt.Continue _,
          Stmt.Unread _,
          Stmt.Unsupported _ ->
          List.of();
    };
  }

  /** The statements in the blocks of a statement. */
  public static List<Stmt> statementsOf(Stmt statement) {
    return switch (statement) {
      case Stmt.FunctionDef function -> function.body();
      case Stmt.ClassDef definition -> definition.body();
      case Stmt.For loop -> concat(loop.body(), loop.orElse());
      case Stmt.While loop -> concat(loop.body(), loop.orElse());
      case Stmt.If branch -> concat(branch.body(), branch.orElse());
      case Stmt.With with -> with.body();
      case Stmt.Try attempt -> {
        var all = new ArrayList<>(attempt.body());
        attempt.handlers().forEach(handler -> all.addAll(handler.body()));
        all.addAll(attempt.orElse());
        all.addAll(attempt.finalBody());
        yield all;
      }
      case Stmt.Match match -> match.cases().stream().flatMap(one -> one.body().stream()).toList();
      case Stmt.Return _,
          Stmt.Assign _,
          Stmt.AugmentedAssign _,
          Stmt.AnnotatedAssign _,
          Stmt.Raise _,
          Stmt.Assert _,
          Stmt.Import _,
          Stmt.ImportFrom _,
          Stmt.Global _,
          Stmt.Nonlocal _,
          Stmt.ExprStmt _,
          Stmt.Delete _,
          Stmt.Pass _,
          Stmt.Break _,
          Stmt.Continue _,
          Stmt.Unread _,
          Stmt.Unsupported _ ->
          List.of();
    };
  }

  private static List<Expr> fields(List<Expr.FormatPart> parts) {
    var all = new ArrayList<Expr>();
    for (Expr.FormatPart part : parts) {
      if (part instanceof Expr.FieldPart field) {
        all.add(field.value());
        all.addAll(fields(field.spec()));
      }
    }
    return all;
  }

  private static List<Expr> call(Expr function, List<Expr> positional, List<Expr.Keyword> named) {
    var all = new ArrayList<Expr>();
    all.add(function);
    all.addAll(positional);
    named.forEach(keyword -> all.add(keyword.value()));
    return all;
  }

  private static List<Expr> entries(List<Expr.DictEntry> entries) {
    var all = new ArrayList<Expr>();
    for (Expr.DictEntry entry : entries) {
      entry.key().ifPresent(all::add);
      all.add(entry.value());
    }
    return all;
  }

  private static List<Expr> parameters(Parameters parameters) {
    var all = new ArrayList<Expr>();
    parameters.positional().forEach(parameter -> parameter(parameter, all));
    parameters.varArgs().ifPresent(parameter -> parameter(parameter, all));
    parameters.keywordOnly().forEach(parameter -> parameter(parameter, all));
    parameters.keywordArgs().ifPresent(parameter -> parameter(parameter, all));
    return all;
  }

  private static void parameter(Parameters.Parameter parameter, List<Expr> all) {
    parameter.annotation().ifPresent(all::add);
    parameter.defaultValue().ifPresent(all::add);
  }

  private static List<Expr> comprehension(Expr.Comprehension comprehension) {
    var all = new ArrayList<Expr>();
    all.add(comprehension.element());
    comprehension.value().ifPresent(all::add);
    for (Expr.ForClause clause : comprehension.clauses()) {
      all.add(clause.target());
      all.add(clause.iterable());
      all.addAll(clause.conditions());
    }
    return all;
  }

  @SafeVarargs
  private static List<Expr> present(Optional<Expr>... values) {
    var all = new ArrayList<Expr>();
    for (Optional<Expr> value : values) {
      value.ifPresent(all::add);
    }
    return all;
  }

  private static List<Expr> prepend(Expr first, List<Expr> rest) {
    var all = new ArrayList<Expr>();
    all.add(first);
    all.addAll(rest);
    return all;
  }

  private static List<Expr> append(List<Expr> first, Expr last) {
    var all = new ArrayList<>(first);
    all.add(last);
    return all;
  }

  private static List<Stmt> concat(List<Stmt> first, List<Stmt> second) {
    var all = new ArrayList<>(first);
    all.addAll(second);
    return all;
  }
}
