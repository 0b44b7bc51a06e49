package io.ringmaster.worker.source;

import io.ringmaster.worker.source.CompoundParser.Clause;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Reads functions and classes with their decorators. */
final class DefinitionParser {

  private static final Signature UNREAD_SIGNATURE =
      new Signature(
          "",
          Span.NONE,
          new Parameters(List.of(), 0, Optional.empty(), List.of(), Optional.empty()),
          Optional.empty());
  private static final Heading UNREAD_HEADING =
      new Heading("", Span.NONE, new ArgumentParser.Arguments(List.of(), List.of()));

  private final TokenStream tokens;
  private final ExpressionParser expressions;
  private final CompoundParser compounds;
  private final Scopes scopes;

  DefinitionParser(
      TokenStream tokens, ExpressionParser expressions, CompoundParser compounds, Scopes scopes) {
    this.tokens = tokens;
    this.expressions = expressions;
    this.compounds = compounds;
    this.scopes = scopes;
  }

  /** The first line of a function. */
  private record Signature(
      String name, Span nameSpan, Parameters parameters, Optional<Expr> returns) {}

  /** The first line of a class. */
  private record Heading(String name, Span nameSpan, ArgumentParser.Arguments bases) {}

  Stmt decorated() {
    var decorators = new ArrayList<Expr>();
    int before = tokens.problems().reports();
    while (tokens.accept("@")) {
      decorators.add(expressions.named());
      tokens.expect(TokenKind.NEWLINE, "the end of the line after a decorator");
    }
    Token start = tokens.peek();
    if (tokens.problems().reports() != before) {
      compounds.setBroken();
    }
    if (start.is("class")) {
      return classDefinition(List.copyOf(decorators));
    }
    boolean isAsync = tokens.accept("async");
    if (!tokens.at("def")) {
      throw tokens.unexpected("a function or a class after a decorator");
    }
    return function(start, List.copyOf(decorators), isAsync);
  }

  /** A function from {@code def} on; {@code start} is its first token. */
  Stmt function(Token start, List<Expr> decorators, boolean isAsync) {
    Token keyword = tokens.next();
    Scopes.Place outer = scopes.enterFunction();
    Clause<Signature> clause = compounds.clause(keyword, this::signature, UNREAD_SIGNATURE);
    scopes.leave(outer);
    Signature signature = clause.header();
    return new Stmt.FunctionDef(
        signature.name(),
        signature.parameters(),
        clause.body(),
        decorators,
        signature.returns(),
        isAsync,
        signature.nameSpan(),
        tokens.spanFrom(start));
  }

  private Signature signature() {
    Token name = tokens.expect(TokenKind.NAME, "a name");
    refuseTypeParameters();
    Parameters parameters = expressions.parameters().parenthesised();
    Optional<Expr> returns =
        tokens.accept("->") ? Optional.of(expressions.expression()) : Optional.empty();
    return new Signature(name.text(), tokens.span(name), parameters, returns);
  }

  private void refuseTypeParameters() {
    if (tokens.at("[")) {
      throw tokens.failure(
          tokens.peek(), "type parameters are not supported", "leave the brackets out");
    }
  }

  Stmt classDefinition(List<Expr> decorators) {
    Token start = tokens.next();
    Scopes.Place outer = scopes.enterClass();
    Clause<Heading> clause = compounds.clause(start, this::heading, UNREAD_HEADING);
    scopes.leave(outer);
    Heading heading = clause.header();
    return new Stmt.ClassDef(
        heading.name(),
        heading.bases().positional(),
        heading.bases().keywords(),
        clause.body(),
        decorators,
        heading.nameSpan(),
        tokens.spanFrom(start));
  }

  private Heading heading() {
    Token name = tokens.expect(TokenKind.NAME, "a name");
    refuseTypeParameters();
    if (!tokens.at("(")) {
      return new Heading(name.text(), tokens.span(name), UNREAD_HEADING.bases());
    }
    Span open = tokens.span(tokens.peek());
    ArgumentParser.Arguments bases = expressions.arguments().parenthesised();
    for (Expr base : bases.positional()) {
      if (base instanceof Expr.Comprehension generator
          && generator.span().line() == open.line()
          && generator.span().column() == open.column()) {
        throw tokens.failure(generator.span(), "a generator expression is no base class", "");
      }
    }
    return new Heading(name.text(), tokens.span(name), bases);
  }
}
