package io.ringmaster.worker.source;

import io.ringmaster.worker.source.Problems.ParseFailure;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The tokens as the parser sees them: looking ahead, expecting, failing, and going on after it. */
final class TokenStream {

  private final Lexer lexer;
  private final Positions positions;
  private final Problems problems;
  private final ParserLimits limits;
  private final List<Token> ahead = new ArrayList<>();
  private int head;
  private int previousEnd;
  private int depth;

  TokenStream(Lexer lexer, Positions positions, Problems problems, ParserLimits limits) {
    this.lexer = lexer;
    this.positions = positions;
    this.problems = problems;
    this.limits = limits;
  }

  Token peek() {
    // The parser asks for the next token once for each operator that could stand there.
    return head < ahead.size() ? ahead.get(head) : peek(0);
  }

  /** Looks ahead; never past the end of the logical line, where indentation would change. */
  Token peek(int distance) {
    while (ahead.size() - head <= distance) {
      if (ahead.size() > head && endsLine(ahead.getLast())) {
        return ahead.getLast();
      }
      ahead.add(lexer.next());
    }
    return ahead.get(head + distance);
  }

  static boolean endsLine(Token token) {
    return token.kind() == TokenKind.NEWLINE || token.kind() == TokenKind.END;
  }

  Token next() {
    Token token = peek();
    if (!isLayout(token)) {
      previousEnd = token.end();
    }
    head++;
    if (head == ahead.size()) {
      ahead.clear();
      head = 0;
    }
    return token;
  }

  /** True for tokens that stand for line ends and margins rather than for text. */
  private static boolean isLayout(Token token) {
    return switch (token.kind()) {
      case NEWLINE, INDENT, DEDENT, END -> true;
      default -> false;
    };
  }

  boolean at(String spelling) {
    return peek().is(spelling);
  }

  boolean at(TokenKind kind) {
    return peek().kind() == kind;
  }

  boolean accept(String spelling) {
    if (!at(spelling)) {
      return false;
    }
    next();
    return true;
  }

  Token expect(String spelling) {
    if (at(spelling)) {
      return next();
    }
    throw unexpected("'" + spelling + "'");
  }

  Token expect(TokenKind kind, String what) {
    if (at(kind)) {
      return next();
    }
    throw unexpected(what);
  }

  /** The bracket that closes {@code open}, after the last of a list of elements. */
  void expectClosing(Token open, String spelling) {
    if (at(spelling)) {
      next();
      return;
    }
    Token found = peek();
    String hint = "'" + open.text() + "' was opened at " + place(open);
    if (found.startsOperand()) {
      hint = "a comma or an operator may be missing before " + found.describe() + "; " + hint;
    } else if (found.is("=") || found.is(":=")) {
      hint = Hints.forFound(found, spelling);
    }
    throw unexpected("',' or '" + spelling + "'", hint);
  }

  /** True if the value that begins with a token is a {@code :=} without brackets around it. */
  boolean isBareWalrus(Token start, Expr value) {
    Span first = span(start);
    return value instanceof Expr.Walrus
        && value.span().line() == first.line()
        && value.span().column() == first.column();
  }

  /** Where the last token taken ends. */
  int previousEnd() {
    return previousEnd;
  }

  /** The text of the line in which a token stands, up to the last token taken. */
  String textFrom(Token start) {
    int end = Math.max(start.end(), previousEnd);
    return lexer.text().substring(positions.lineStart(start.start()), end);
  }

  Span spanFrom(int start) {
    return positions.span(start, Math.max(start, previousEnd));
  }

  Span spanFrom(Token start) {
    return spanFrom(start.start());
  }

  Span span(Token token) {
    return positions.span(token);
  }

  String place(Token token) {
    return positions.place(token.start());
  }

  int line(Token token) {
    return positions.line(token.start());
  }

  String text() {
    return lexer.text();
  }

  Problems problems() {
    return problems;
  }

  ParserLimits limits() {
    return limits;
  }

  /** "expected ... but found ..." at the next token. */
  ParseFailure unexpected(String expected) {
    return unexpected(expected, "");
  }

  ParseFailure unexpected(String expected, String hint) {
    Token found = peek();
    String tip = hint.isEmpty() ? Hints.forFound(found, expected) : hint;
    return failure(found, "expected " + expected + " but found " + found.describe(), tip);
  }

  ParseFailure failure(Token at, String message, String hint) {
    Span span = endsLine(at) ? positions.span(previousEnd, previousEnd) : positions.span(at);
    return new ParseFailure(Diagnostic.error(message, hint, span), peek());
  }

  ParseFailure failure(Span at, String message, String hint) {
    return new ParseFailure(Diagnostic.error(message, hint, at), peek());
  }

  /** Counts one more level of nesting; {@link #leave} ends it. */
  void enter() {
    if (++depth > limits.expressionDepth()) {
      Token at = peek();
      throw problems.stop(
          at.start(),
          at.end(),
          "this expression is nested more than "
              + limits.expressionDepth()
              + " levels deep, which is the limit",
          "compute its inner parts in statements of their own");
    }
  }

  void leave() {
    depth--;
  }

  /**
   * Reports a failure and skips to the end of the statement. A failure that follows from text that
   * couldn't be read is not reported again.
   *
   * @param problemsBefore how many problems there were when the statement began
   * @param statementStart where it began
   */
  void recover(ParseFailure failure, int problemsBefore, int statementStart) {
    depth = 0;
    Token stop = failure.token();
    boolean unreadable = problems.reports() != problemsBefore;
    int givenUp = lexer.timesGivenUp();
    while (!endsLine(peek())) {
      if (stop.enclosing() == null && isBlockBorder(peek())) {
        break;
      }
      next();
    }
    Token unclosed = at(TokenKind.END) ? unclosedAround(stop) : null;
    if (!unreadable && lexer.timesGivenUp() == givenUp) {
      if (unclosed != null) {
        problems.error(
            unclosed.start(),
            unclosed.end(),
            "'" + unclosed.text() + "' was never closed",
            "reading stopped at " + stop.describe() + " (" + place(stop) + ")");
      } else {
        problems.add(failure.problem());
      }
    }
    if (at(TokenKind.NEWLINE)) {
      next();
    } else if (lexer.hasOpenBrackets()) {
      restartAfter(stop, statementStart);
    }
  }

  private static boolean isBlockBorder(Token token) {
    return token.kind() == TokenKind.INDENT || token.kind() == TokenKind.DEDENT;
  }

  /** The innermost bracket around a token that isn't closed by the end of the file. */
  private @Nullable Token unclosedAround(Token token) {
    for (Token open = token.enclosing(); open != null; open = open.enclosing()) {
      if (lexer.isOpen(open)) {
        return open;
      }
    }
    return null;
  }

  /** Takes the line of the token as a new statement, or the one after it. */
  private void restartAfter(Token stop, int statementStart) {
    int lineStart = positions.lineStart(stop.start());
    boolean first = lexer.text().substring(lineStart, stop.start()).isBlank();
    int from =
        first && lineStart > statementStart
            ? lineStart
            : positions.nextLineStart(stop.start(), lexer.text().length());
    ahead.clear();
    head = 0;
    previousEnd = from;
    lexer.restartAt(from);
  }
}
