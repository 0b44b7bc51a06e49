package io.ringmaster.worker.source;

import java.util.List;

/** What may stand left of {@code =} and in its relatives, and how messages name the rest. */
final class Targets {

  private Targets() {}

  /** Requires something that {@code =}, {@code for} or {@code as} can bind. */
  static void requireAssignable(TokenStream tokens, Expr target) {
    if (target instanceof Expr.Starred) {
      throw tokens.failure(
          target.span(),
          "a starred target must stand in a tuple or list",
          "add a comma: *name, = ...");
    }
    requireBindable(tokens, target);
  }

  private static void requireBindable(TokenStream tokens, Expr target) {
    switch (target) {
      case Expr.Name _, Expr.Attribute _, Expr.Subscript _ -> {}
      case Expr.TupleDisplay tuple -> requireAll(tokens, tuple.elements());
      case Expr.ListDisplay list -> requireAll(tokens, list.elements());
      default ->
          throw tokens.failure(
              target.span(), "can't assign to " + describe(target), hint(target, tokens));
    }
  }

  private static String hint(Expr target, TokenStream tokens) {
    boolean compares = tokens.at("=") && !(target instanceof Expr.NoneLiteral);
    return compares ? "use '==' to compare two values" : "";
  }

  private static void requireAll(TokenStream tokens, List<Expr> elements) {
    boolean starred = false;
    for (Expr element : elements) {
      if (element instanceof Expr.Starred star) {
        if (starred) {
          throw tokens.failure(star.span(), "only one target of an assignment can be starred", "");
        }
        starred = true;
        requireBindable(tokens, star.value());
      } else {
        requireBindable(tokens, element);
      }
    }
  }

  /** Requires something that {@code del} can remove. */
  static void requireDeletable(TokenStream tokens, Expr target) {
    switch (target) {
      case Expr.Name _, Expr.Attribute _, Expr.Subscript _ -> {}
      case Expr.TupleDisplay tuple -> tuple.elements().forEach(e -> requireDeletable(tokens, e));
      case Expr.ListDisplay list -> list.elements().forEach(e -> requireDeletable(tokens, e));
      default -> throw tokens.failure(target.span(), "can't delete " + describe(target), "");
    }
  }

  /** Requires a single place, as an augmented or annotated assignment does. */
  static void requireSingle(TokenStream tokens, Expr target, String statement) {
    switch (target) {
      case Expr.Name _, Expr.Attribute _, Expr.Subscript _ -> {}
      default ->
          throw tokens.failure(
              target.span(),
              statement + " takes one name, attribute or element, not " + describe(target),
              "");
    }
  }

  /** Refuses {@code *value} where nothing collects several values. */
  static void requireUnstarred(TokenStream tokens, Expr value) {
    if (value instanceof Expr.Starred) {
      throw tokens.failure(
          value.span(),
          "a starred expression can't stand alone",
          "add a comma to make a tuple: (*value,)");
    }
  }

  /** What an expression is, with its article. */
  static String describe(Expr expression) {
    return switch (expression) {
      case Expr.Name name -> "the name '" + name.id() + "'";
      case Expr.IntLiteral _, Expr.FloatLiteral _ -> "a number";
      case Expr.StringLiteral _ -> "a string";
      case Expr.BytesLiteral _ -> "a bytes literal";
      case Expr.BoolLiteral literal -> literal.value() ? "True" : "False";
      case Expr.NoneLiteral _ -> "None";
      case Expr.EllipsisLiteral _ -> "'...'";
      case Expr.FormattedString _ -> "an f-string";
      case Expr.Attribute _ -> "an attribute";
      case Expr.Call _ -> "a call";
      case Expr.Subscript _ -> "a subscript";
      case Expr.Slice _ -> "a slice";
      case Expr.TupleDisplay _ -> "a tuple";
      case Expr.ListDisplay _ -> "a list";
      case Expr.SetDisplay _ -> "a set";
      case Expr.DictDisplay _ -> "a dict";
      case Expr.Unary _, Expr.Binary _, Expr.BoolOperation _ -> "the result of an operator";
      case Expr.Comparison _ -> "a comparison";
      case Expr.Conditional _ -> "a conditional expression";
      case Expr.Lambda _ -> "a lambda";
      case Expr.Comprehension _ -> "a comprehension";
      case Expr.Starred _ -> "a starred expression";
      case Expr.Walrus _ -> "an assignment expression";
      case Expr.Suspension suspension -> "'" + suspension.keyword() + "'";
    };
  }
}
