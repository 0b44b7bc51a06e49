package io.ringmaster.worker.script.eval;

import io.ringmaster.worker.source.Expr;
import java.util.ArrayList;
import java.util.List;

/** The direct sub-expressions of an expression; lambdas and their bodies are left out. */
final class Children {

  private Children() {}

  static List<Expr> of(Expr expression) {
    return switch (expression) {
      case Expr.Name name -> List.of();
      case Expr.IntLiteral literal -> List.of();
      case Expr.FloatLiteral literal -> List.of();
      case Expr.StringLiteral literal -> List.of();
      case Expr.BytesLiteral literal -> List.of();
      case Expr.BoolLiteral literal -> List.of();
      case Expr.NoneLiteral literal -> List.of();
      case Expr.EllipsisLiteral literal -> List.of();
      case Expr.Lambda lambda -> List.of();
      case Expr.FormattedString string -> ofParts(string.parts());
      case Expr.Attribute attribute -> List.of(attribute.value());
      case Expr.Call call -> {
        List<Expr> all = new ArrayList<>();
        all.add(call.function());
        all.addAll(call.arguments());
        call.keywords().forEach(keyword -> all.add(keyword.value()));
        yield all;
      }
      case Expr.Subscript subscript -> List.of(subscript.value(), subscript.index());
      case Expr.Slice slice -> {
        List<Expr> all = new ArrayList<>();
        slice.lower().ifPresent(all::add);
        slice.upper().ifPresent(all::add);
        slice.step().ifPresent(all::add);
        yield all;
      }
      case Expr.TupleDisplay tuple -> tuple.elements();
      case Expr.ListDisplay list -> list.elements();
      case Expr.SetDisplay set -> set.elements();
      case Expr.DictDisplay dict -> {
        List<Expr> all = new ArrayList<>();
        for (Expr.DictEntry entry : dict.entries()) {
          entry.key().ifPresent(all::add);
          all.add(entry.value());
        }
        yield all;
      }
      case Expr.Unary unary -> List.of(unary.operand());
      case Expr.Binary binary -> List.of(binary.left(), binary.right());
      case Expr.BoolOperation operation -> operation.operands();
      case Expr.Comparison comparison -> {
        List<Expr> all = new ArrayList<>();
        all.add(comparison.first());
        all.addAll(comparison.rest());
        yield all;
      }
      case Expr.Conditional choice ->
          List.of(choice.condition(), choice.whenTrue(), choice.whenFalse());
      case Expr.Comprehension comprehension -> {
        List<Expr> all = new ArrayList<>();
        for (Expr.ForClause clause : comprehension.clauses()) {
          all.add(clause.iterable());
          all.addAll(clause.conditions());
        }
        all.add(comprehension.element());
        comprehension.value().ifPresent(all::add);
        yield all;
      }
      case Expr.Starred starred -> List.of(starred.value());
      case Expr.Walrus walrus -> List.of(walrus.value());
      case Expr.Suspension suspension -> suspension.value().map(List::of).orElse(List.of());
    };
  }

  /** The expressions in the parts of an f-string. */
  static List<Expr> ofParts(List<Expr.FormatPart> parts) {
    List<Expr> all = new ArrayList<>();
    for (Expr.FormatPart part : parts) {
      if (part instanceof Expr.FieldPart field) {
        all.add(field.value());
        all.addAll(ofParts(field.spec()));
      }
    }
    return all;
  }
}
