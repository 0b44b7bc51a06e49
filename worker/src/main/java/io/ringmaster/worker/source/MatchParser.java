package io.ringmaster.worker.source;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Reads a {@code match} statement with its cases. */
final class MatchParser {

  private final TokenStream tokens;
  private final ExpressionParser expressions;
  private final CompoundParser compounds;
  private final PatternParser patterns;

  MatchParser(TokenStream tokens, ExpressionParser expressions, CompoundParser compounds) {
    this.tokens = tokens;
    this.expressions = expressions;
    this.compounds = compounds;
    this.patterns = new PatternParser(tokens, expressions);
  }

  /** True if the name {@code match} here is the keyword: a value follows, and a colon ends it. */
  boolean startsHere() {
    if (!tokens.peek(1).startsOperand()) {
      return false;
    }
    int last = 1;
    while (!TokenStream.endsLine(tokens.peek(last + 1))) {
      last++;
    }
    Token colon = tokens.peek(last);
    return colon.is(":") && colon.enclosing() == null;
  }

  /** What stands before the colon of a case. */
  private record Header(Pattern pattern, Optional<Expr> guard) {}

  private static final Header UNREAD =
      new Header(new Pattern.Capture(Optional.empty(), Span.NONE), Optional.empty());

  Stmt statement() {
    Token start = tokens.next();
    Expr subject = expressions.namedList();
    tokens.expect(":");
    tokens.expect(TokenKind.NEWLINE, "the end of the line");
    if (!tokens.at(TokenKind.INDENT)) {
      throw tokens.unexpected("an indented 'case'");
    }
    tokens.next();
    List<Stmt.Case> cases = new ArrayList<>();
    do {
      if (!tokens.peek().isName("case")) {
        throw tokens.unexpected("'case'");
      }
      Token keyword = tokens.next();
      CompoundParser.Clause<Header> clause = compounds.clause(keyword, this::header, UNREAD);
      cases.add(
          new Stmt.Case(
              clause.header().pattern(),
              clause.header().guard(),
              clause.body(),
              tokens.spanFrom(keyword)));
    } while (!tokens.at(TokenKind.DEDENT) && !tokens.at(TokenKind.END));
    if (tokens.at(TokenKind.DEDENT)) {
      tokens.next();
    }
    Span span = tokens.spanFrom(start);
    new PatternRules(tokens.problems()).check(cases);
    return new Stmt.Match(subject, List.copyOf(cases), span);
  }

  private Header header() {
    Pattern pattern = patterns.whole();
    return new Header(
        pattern, tokens.accept("if") ? Optional.of(expressions.named()) : Optional.empty());
  }
}
