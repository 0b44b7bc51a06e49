package io.ringmaster.worker.source;

import io.ringmaster.worker.source.Expr.BinaryOperator;
import io.ringmaster.worker.source.Expr.CompareOperator;
import io.ringmaster.worker.source.Expr.UnaryOperator;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Reads expressions: operators by binding power, then what binds tighter by recursive descent.
 * Chains of operators, calls and attributes are loops, so only nesting costs stack.
 */
final class ExpressionParser {

  static final String AN_EXPRESSION = "an expression";

  private final TokenStream tokens;
  private final ArgumentParser arguments;
  private final DisplayParser displays;
  private final StringParser strings;
  private final ParameterParser parameters;

  ExpressionParser(TokenStream tokens) {
    this.tokens = tokens;
    this.arguments = new ArgumentParser(tokens, this);
    this.displays = new DisplayParser(tokens, this);
    this.strings = new StringParser(tokens, this);
    this.parameters = new ParameterParser(tokens, this);
  }

  ArgumentParser arguments() {
    return arguments;
  }

  DisplayParser displays() {
    return displays;
  }

  ParameterParser parameters() {
    return parameters;
  }

  /** Anything but an unparenthesised tuple, star or {@code :=}. */
  Expr expression() {
    tokens.enter();
    Expr result = tokens.at("lambda") ? lambda() : conditional();
    tokens.leave();
    return result;
  }

  /** An expression or {@code name := expression}. */
  Expr named() {
    Token first = tokens.peek();
    if (first.kind() == TokenKind.NAME && tokens.peek(1).is(":=")) {
      tokens.next();
      var target = new Expr.Name(first.text(), tokens.span(first));
      tokens.next();
      return new Expr.Walrus(target, expression(), tokens.spanFrom(first));
    }
    Expr value = expression();
    if (tokens.at(":=")) {
      throw tokens.failure(
          value.span(),
          "':=' can assign to a plain name only, not to " + Targets.describe(value),
          "use a statement with '='");
    }
    return value;
  }

  /** {@code *value} or a named expression. */
  Expr starOrNamed() {
    return tokens.at("*") ? starred() : named();
  }

  private Expr starred() {
    Token star = tokens.next();
    Expr value = disjunction(Operators.BIT_OR);
    return new Expr.Starred(value, tokens.spanFrom(star));
  }

  /** One expression, or several with commas between them, which make a tuple. */
  Expr list() {
    return list(false);
  }

  /** As {@link #list()}, with {@code :=} allowed. */
  Expr namedList() {
    return list(true);
  }

  private Expr list(boolean walrus) {
    Token start = tokens.peek();
    Expr first = listElement(walrus);
    if (!tokens.at(",")) {
      Targets.requireUnstarred(tokens, first);
      return first;
    }
    var elements = new ArrayList<Expr>();
    elements.add(first);
    while (tokens.accept(",") && tokens.peek().startsOperand()) {
      elements.add(listElement(walrus));
    }
    return new Expr.TupleDisplay(List.copyOf(elements), tokens.spanFrom(start));
  }

  private Expr listElement(boolean walrus) {
    if (tokens.at("*")) {
      return starred();
    }
    return walrus ? named() : expression();
  }

  /** The right side of an assignment and the like: a list or {@code yield}. */
  Expr listOrYield() {
    return tokens.at("yield") ? yieldExpression() : list();
  }

  Expr yieldExpression() {
    Token start = tokens.next();
    if (tokens.accept("from")) {
      Expr source = expression();
      return new Expr.Suspension("yield from", Optional.of(source), tokens.spanFrom(start));
    }
    Optional<Expr> value = tokens.peek().startsOperand() ? Optional.of(list()) : Optional.empty();
    return new Expr.Suspension("yield", value, tokens.spanFrom(start));
  }

  /** The target of {@code for}: names, tuples and the like up to {@code in}. */
  Expr targetList() {
    Token start = tokens.peek();
    Expr first = target();
    if (!tokens.at(",")) {
      Targets.requireAssignable(tokens, first);
      return first;
    }
    var elements = new ArrayList<Expr>();
    elements.add(first);
    while (tokens.accept(",") && tokens.peek().startsOperand()) {
      elements.add(target());
    }
    var tuple = new Expr.TupleDisplay(List.copyOf(elements), tokens.spanFrom(start));
    Targets.requireAssignable(tokens, tuple);
    return tuple;
  }

  Expr target() {
    return tokens.at("*") ? starred() : disjunction(Operators.BIT_OR);
  }

  private Expr conditional() {
    Token start = tokens.peek();
    Expr value = disjunction(Operators.OR);
    if (!tokens.accept("if")) {
      return value;
    }
    Expr condition = disjunction(Operators.OR);
    if (!tokens.accept("else")) {
      throw tokens.unexpected("'else'", "a conditional expression reads: a if condition else b");
    }
    Expr otherwise = expression();
    return new Expr.Conditional(condition, value, otherwise, tokens.spanFrom(start));
  }

  private Expr lambda() {
    Token start = tokens.next();
    Parameters declared = parameters.lambda();
    if (tokens.at(TokenKind.FIELD_SPEC)) {
      throw tokens.failure(
          tokens.peek(), "a lambda in an f-string needs parentheses", "write {(lambda ...: ...)}");
    }
    tokens.expect(":");
    Expr body = expression();
    return new Expr.Lambda(declared, body, tokens.spanFrom(start));
  }

  /** Operators that bind at least as tightly as {@code power}, over operands. */
  Expr disjunction(int power) {
    Token start = tokens.peek();
    Expr left = operand(power);
    while (true) {
      Token sign = tokens.peek();
      if (sign.is("or") && power <= Operators.OR) {
        left = booleanChain(start, left, "or", Operators.AND);
      } else if (sign.is("and") && power <= Operators.AND) {
        left = booleanChain(start, left, "and", Operators.NOT);
      } else if (power <= Operators.COMPARISON && atComparison()) {
        left = comparison(start, left);
      } else {
        Optional<BinaryOperator> operator =
            sign.kind() == TokenKind.OPERATOR
                ? Operators.binary(sign.text()).filter(o -> Operators.power(o) >= power)
                : Optional.empty();
        if (operator.isEmpty()) {
          return left;
        }
        tokens.next();
        Expr right = disjunction(Operators.power(operator.get()) + 1);
        left = new Expr.Binary(operator.get(), left, right, tokens.spanFrom(start));
      }
    }
  }

  private Expr booleanChain(Token start, Expr first, String word, int operandPower) {
    var operands = new ArrayList<Expr>();
    operands.add(first);
    while (tokens.accept(word)) {
      operands.add(disjunction(operandPower));
    }
    return new Expr.BoolOperation(
        word.equals("and"), List.copyOf(operands), tokens.spanFrom(start));
  }

  private boolean atComparison() {
    Token sign = tokens.peek();
    if (sign.is("not")) {
      return tokens.peek(1).is("in");
    }
    return (sign.kind() == TokenKind.OPERATOR || sign.kind() == TokenKind.KEYWORD)
        && Operators.compare(sign.text()).isPresent();
  }

  private Expr comparison(Token start, Expr first) {
    var operators = new ArrayList<CompareOperator>();
    var rest = new ArrayList<Expr>();
    while (atComparison()) {
      operators.add(compareOperator());
      rest.add(disjunction(Operators.BIT_OR));
    }
    return new Expr.Comparison(
        first, List.copyOf(operators), List.copyOf(rest), tokens.spanFrom(start));
  }

  private CompareOperator compareOperator() {
    Token sign = tokens.next();
    if (sign.is("not")) {
      tokens.next();
      return CompareOperator.NOT_IN;
    }
    if (sign.is("is") && tokens.accept("not")) {
      return CompareOperator.IS_NOT;
    }
    return Operators.compare(sign.text()).orElseThrow();
  }

  private Expr operand(int power) {
    Token start = tokens.peek();
    if (!start.is("not")) {
      return factor();
    }
    if (power > Operators.NOT) {
      throw tokens.failure(start, "'not' needs parentheses here", "write (not ...)");
    }
    tokens.next();
    tokens.enter();
    Expr operand = disjunction(Operators.NOT);
    tokens.leave();
    return new Expr.Unary(UnaryOperator.NOT, operand, tokens.spanFrom(start));
  }

  private Expr factor() {
    Token start = tokens.peek();
    Optional<UnaryOperator> sign = unarySign(start);
    if (sign.isEmpty()) {
      return power();
    }
    tokens.next();
    tokens.enter();
    Expr operand = factor();
    tokens.leave();
    return new Expr.Unary(sign.get(), operand, tokens.spanFrom(start));
  }

  private static Optional<UnaryOperator> unarySign(Token token) {
    if (token.kind() != TokenKind.OPERATOR) {
      return Optional.empty();
    }
    return switch (token.text()) {
      case "-" -> Optional.of(UnaryOperator.NEGATE);
      case "+" -> Optional.of(UnaryOperator.PLUS);
      case "~" -> Optional.of(UnaryOperator.INVERT);
      default -> Optional.empty();
    };
  }

  private Expr power() {
    Token start = tokens.peek();
    Expr base = awaited();
    if (!tokens.accept("**")) {
      return base;
    }
    tokens.enter();
    Expr exponent = factor();
    tokens.leave();
    return new Expr.Binary(BinaryOperator.POWER, base, exponent, tokens.spanFrom(start));
  }

  private Expr awaited() {
    Token start = tokens.peek();
    if (!tokens.accept("await")) {
      return primary();
    }
    Expr value = primary();
    return new Expr.Suspension("await", Optional.of(value), tokens.spanFrom(start));
  }

  private Expr primary() {
    Token start = tokens.peek();
    Expr value = atom();
    while (true) {
      if (tokens.accept(".")) {
        Token name = tokens.expect(TokenKind.NAME, "a name");
        value = new Expr.Attribute(value, name.text(), tokens.span(name), tokens.spanFrom(start));
      } else if (tokens.at("(")) {
        value = arguments.call(start, value);
      } else if (tokens.at("[")) {
        value = arguments.subscript(start, value);
      } else {
        return value;
      }
    }
  }

  /** A name, a literal or something in brackets. */
  Expr atom() {
    Token token = tokens.peek();
    return switch (token.kind()) {
      case NAME -> {
        tokens.next();
        yield new Expr.Name(token.text(), tokens.span(token));
      }
      case INT -> {
        tokens.next();
        yield new Expr.IntLiteral(integer(token.text()), tokens.span(token));
      }
      case FLOAT -> {
        tokens.next();
        yield new Expr.FloatLiteral(Double.parseDouble(token.text()), tokens.span(token));
      }
      case STRING, BYTES, FSTRING_START -> strings.strings();
      case KEYWORD -> constant(token);
      case OPERATOR -> bracketed(token);
      case FSTRING_TEXT,
          FSTRING_END,
          FIELD_OPEN,
          FIELD_CLOSE,
          FIELD_SPEC,
          NEWLINE,
          INDENT,
          DEDENT,
          END ->
          throw tokens.unexpected(AN_EXPRESSION);
    };
  }

  private static BigInteger integer(String text) {
    int radix =
        switch (text.length() < 2 ? ' ' : text.charAt(1)) {
          case 'x', 'X' -> 16;
          case 'o', 'O' -> 8;
          case 'b', 'B' -> 2;
          default -> 10;
        };
    return new BigInteger(radix == 10 ? text : text.substring(2), radix);
  }

  private Expr constant(Token token) {
    return switch (token.text()) {
      case "None" -> {
        tokens.next();
        yield new Expr.NoneLiteral(tokens.span(token));
      }
      case "True", "False" -> {
        tokens.next();
        yield new Expr.BoolLiteral(token.text().equals("True"), tokens.span(token));
      }
      case "lambda" ->
          throw tokens.failure(token, "a lambda needs parentheses here", "write (lambda ...: ...)");
      case "not" -> throw tokens.failure(token, "'not' needs parentheses here", "write (not ...)");
      case "yield" ->
          throw tokens.failure(token, "'yield' needs parentheses here", "write (yield ...)");
      default -> throw tokens.unexpected(AN_EXPRESSION);
    };
  }

  private Expr bracketed(Token token) {
    return switch (token.text()) {
      case "(" -> displays.group();
      case "[" -> displays.list();
      case "{" -> displays.braces();
      case "..." -> {
        tokens.next();
        yield new Expr.EllipsisLiteral(tokens.span(token));
      }
      default -> throw tokens.unexpected(AN_EXPRESSION);
    };
  }
}
