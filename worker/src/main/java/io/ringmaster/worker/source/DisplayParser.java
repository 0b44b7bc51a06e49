package io.ringmaster.worker.source;

import io.ringmaster.worker.source.Expr.ComprehensionKind;
import io.ringmaster.worker.source.Expr.DictEntry;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Reads what stands in brackets of its own: groups, tuples, lists, sets, dicts, comprehensions. */
final class DisplayParser {

  private final TokenStream tokens;
  private final ExpressionParser expressions;

  DisplayParser(TokenStream tokens, ExpressionParser expressions) {
    this.tokens = tokens;
    this.expressions = expressions;
  }

  /** A value in parentheses, a tuple or a generator expression. */
  Expr group() {
    Token open = tokens.next();
    if (tokens.accept(")")) {
      return new Expr.TupleDisplay(List.of(), tokens.spanFrom(open));
    }
    if (tokens.at("yield")) {
      Expr value = expressions.yieldExpression();
      tokens.expectClosing(open, ")");
      return value;
    }
    Expr first = expressions.starOrNamed();
    if (atFor()) {
      return comprehension(open, ComprehensionKind.GENERATOR, first, Optional.empty(), ")");
    }
    if (tokens.at(",")) {
      List<Expr> elements = elements(first, open, ")");
      return new Expr.TupleDisplay(elements, tokens.spanFrom(open));
    }
    Targets.requireUnstarred(tokens, first);
    tokens.expectClosing(open, ")");
    return first;
  }

  Expr list() {
    Token open = tokens.next();
    if (tokens.accept("]")) {
      return new Expr.ListDisplay(List.of(), tokens.spanFrom(open));
    }
    Expr first = expressions.starOrNamed();
    if (atFor()) {
      return comprehension(open, ComprehensionKind.LIST, first, Optional.empty(), "]");
    }
    List<Expr> elements = elements(first, open, "]");
    return new Expr.ListDisplay(elements, tokens.spanFrom(open));
  }

  /** A dict or a set. */
  Expr braces() {
    Token open = tokens.next();
    if (tokens.accept("}")) {
      return new Expr.DictDisplay(List.of(), tokens.spanFrom(open));
    }
    if (tokens.at("**")) {
      return dict(open, unpacked());
    }
    Token start = tokens.peek();
    Expr first = expressions.starOrNamed();
    boolean canBeKey = !(first instanceof Expr.Starred) && !tokens.isBareWalrus(start, first);
    if (tokens.at(":") && canBeKey) {
      tokens.next();
      Expr value = expressions.expression();
      if (atFor()) {
        return comprehension(open, ComprehensionKind.DICT, first, Optional.of(value), "}");
      }
      return dict(open, new DictEntry(Optional.of(first), value));
    }
    if (atFor()) {
      return comprehension(open, ComprehensionKind.SET, first, Optional.empty(), "}");
    }
    List<Expr> elements = elements(first, open, "}");
    return new Expr.SetDisplay(elements, tokens.spanFrom(open));
  }

  private List<Expr> elements(Expr first, Token open, String close) {
    var elements = new ArrayList<Expr>();
    elements.add(first);
    while (tokens.accept(",") && !tokens.at(close)) {
      elements.add(expressions.starOrNamed());
      if (atFor()) {
        throw tokens.failure(
            tokens.peek(),
            "a comprehension has one element before 'for'",
            "put several values in parentheses: (a, b) for ...");
      }
    }
    tokens.expectClosing(open, close);
    return List.copyOf(elements);
  }

  private Expr dict(Token open, DictEntry first) {
    var entries = new ArrayList<DictEntry>();
    entries.add(first);
    if (first.key().isEmpty() && atFor()) {
      throw tokens.failure(
          tokens.peek(), "a dict comprehension can't unpack with '**'", "write key: value for ...");
    }
    while (tokens.accept(",") && !tokens.at("}")) {
      entries.add(entry());
    }
    tokens.expectClosing(open, "}");
    return new Expr.DictDisplay(List.copyOf(entries), tokens.spanFrom(open));
  }

  private DictEntry entry() {
    if (tokens.at("**")) {
      return unpacked();
    }
    Expr key = expressions.expression();
    if (!tokens.at(":")) {
      throw tokens.unexpected("':' after the key of a dict entry");
    }
    tokens.next();
    return new DictEntry(Optional.of(key), expressions.expression());
  }

  private DictEntry unpacked() {
    tokens.next();
    return new DictEntry(Optional.empty(), expressions.disjunction(Operators.BIT_OR));
  }

  boolean atFor() {
    return tokens.at("for") || (tokens.at("async") && tokens.peek(1).is("for"));
  }

  private Expr comprehension(
      Token open, ComprehensionKind kind, Expr element, Optional<Expr> value, String close) {
    requireOneElement(element);
    List<Expr.ForClause> clauses = clauses();
    tokens.expectClosing(open, close);
    return new Expr.Comprehension(kind, element, value, clauses, tokens.spanFrom(open));
  }

  /** A generator expression that is the only argument of a call, up to the closing bracket. */
  Expr generatorArgument(Token open, Expr element) {
    requireOneElement(element);
    List<Expr.ForClause> clauses = clauses();
    if (tokens.at(",")) {
      throw tokens.failure(
          element.span(),
          "a generator expression beside other arguments needs parentheses",
          "write (... for ... in ...)");
    }
    Span span = tokens.spanFrom(open).to(tokens.span(tokens.peek()));
    return new Expr.Comprehension(
        ComprehensionKind.GENERATOR, element, Optional.empty(), clauses, span);
  }

  private void requireOneElement(Expr element) {
    if (element instanceof Expr.Starred) {
      throw tokens.failure(
          element.span(), "a comprehension can't unpack with '*'", "add another 'for' instead");
    }
  }

  private List<Expr.ForClause> clauses() {
    var clauses = new ArrayList<Expr.ForClause>();
    while (atFor()) {
      Token start = tokens.peek();
      boolean isAsync = tokens.accept("async");
      tokens.expect("for");
      Expr target = expressions.targetList();
      tokens.expect("in");
      Token at = tokens.peek();
      Expr iterable = expressions.disjunction(Operators.OR);
      if (isAsync) {
        iterable = new Expr.Suspension("async for", Optional.of(iterable), tokens.spanFrom(at));
      }
      var conditions = new ArrayList<Expr>();
      while (tokens.accept("if")) {
        conditions.add(expressions.disjunction(Operators.OR));
      }
      clauses.add(
          new Expr.ForClause(target, iterable, List.copyOf(conditions), tokens.spanFrom(start)));
    }
    return List.copyOf(clauses);
  }
}
