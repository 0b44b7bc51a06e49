package io.ringmaster.worker.source;

/**
 * Reads a {@code match} statement whole, so that its errors are found, and keeps only that there is
 * one.
 */
final class MatchParser {

  private final TokenStream tokens;
  private final ExpressionParser expressions;
  private final CompoundParser compounds;

  MatchParser(TokenStream tokens, ExpressionParser expressions, CompoundParser compounds) {
    this.tokens = tokens;
    this.expressions = expressions;
    this.compounds = compounds;
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

  Stmt statement() {
    Token start = tokens.next();
    expressions.namedList();
    tokens.expect(":");
    tokens.expect(TokenKind.NEWLINE, "the end of the line");
    if (!tokens.at(TokenKind.INDENT)) {
      throw tokens.unexpected("an indented 'case'");
    }
    tokens.next();
    do {
      if (!tokens.peek().isName("case")) {
        throw tokens.unexpected("'case'");
      }
      Token keyword = tokens.next();
      compounds.clause(keyword, this::caseHeader, "");
    } while (!tokens.at(TokenKind.DEDENT) && !tokens.at(TokenKind.END));
    if (tokens.at(TokenKind.DEDENT)) {
      tokens.next();
    }
    return new Stmt.Unsupported("match", tokens.spanFrom(start));
  }

  private String caseHeader() {
    sequence(":");
    if (tokens.accept("if")) {
      expressions.named();
    }
    return "";
  }

  /** Patterns with commas between them up to a closing sign or a guard. */
  private void sequence(String close) {
    Token start = tokens.peek();
    boolean starred = element();
    if (starred && !tokens.at(",") && !close.equals("]")) {
      throw tokens.failure(
          start, "a starred pattern can't stand alone", "add a comma to match a sequence");
    }
    while (tokens.accept(",") && !tokens.at(close) && !tokens.at("if")) {
      element();
    }
  }

  private boolean element() {
    boolean starred = tokens.accept("*");
    if (starred) {
      name();
    } else {
      pattern();
    }
    return starred;
  }

  private void name() {
    tokens.expect(TokenKind.NAME, "a name");
  }

  private void pattern() {
    tokens.enter();
    do {
      alternative();
    } while (tokens.accept("|"));
    if (tokens.accept("as")) {
      name();
    }
    tokens.leave();
  }

  private void alternative() {
    Token token = tokens.peek();
    switch (token.kind()) {
      case NAME -> named();
      case INT, FLOAT, STRING, BYTES -> literal();
      case KEYWORD -> {
        if (!token.is("None") && !token.is("True") && !token.is("False")) {
          throw tokens.unexpected("a pattern");
        }
        tokens.next();
      }
      case OPERATOR -> {
        switch (token.text()) {
          case "-" -> literal();
          case "(" -> bracketed(")");
          case "[" -> bracketed("]");
          case "{" -> mapping();
          default -> throw tokens.unexpected("a pattern");
        }
      }
      default -> throw tokens.unexpected("a pattern");
    }
  }

  private void literal() {
    if (tokens.accept("-")) {
      if (!tokens.at(TokenKind.INT) && !tokens.at(TokenKind.FLOAT)) {
        throw tokens.unexpected("a number");
      }
      tokens.next();
    } else if (tokens.at(TokenKind.INT) || tokens.at(TokenKind.FLOAT)) {
      tokens.next();
    } else {
      while (tokens.at(TokenKind.STRING) || tokens.at(TokenKind.BYTES)) {
        tokens.next();
      }
    }
  }

  private void bracketed(String close) {
    Token open = tokens.next();
    if (!tokens.at(close)) {
      sequence(close);
    }
    tokens.expectClosing(open, close);
  }

  /** A capture, a dotted value or a class with its arguments. */
  private void named() {
    name();
    while (tokens.accept(".")) {
      name();
    }
    if (!tokens.at("(")) {
      return;
    }
    Token open = tokens.next();
    boolean keywords = false;
    while (!tokens.at(")")) {
      if (tokens.at(TokenKind.NAME) && tokens.peek(1).is("=")) {
        tokens.next();
        tokens.next();
        keywords = true;
      } else if (keywords) {
        throw tokens.unexpected("a named pattern");
      }
      pattern();
      if (!tokens.accept(",")) {
        break;
      }
    }
    tokens.expectClosing(open, ")");
  }

  private void mapping() {
    Token open = tokens.next();
    while (!tokens.at("}")) {
      if (tokens.accept("**")) {
        name();
      } else {
        if (tokens.at(TokenKind.NAME)) {
          name();
          while (tokens.accept(".")) {
            name();
          }
        } else {
          alternative();
        }
        tokens.expect(":");
        pattern();
      }
      if (!tokens.accept(",")) {
        break;
      }
    }
    tokens.expectClosing(open, "}");
  }
}
