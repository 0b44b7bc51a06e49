package io.ringmaster.worker.source;

import io.ringmaster.worker.source.Expr.FieldPart;
import io.ringmaster.worker.source.Expr.FormatPart;
import io.ringmaster.worker.source.Expr.TextPart;
import java.util.ArrayList;
import java.util.List;

/** Reads string literals, joins those that stand side by side, and reads f-string fields. */
final class StringParser {

  private static final String CONVERSIONS = "use !r, !s or !a";

  private final TokenStream tokens;
  private final ExpressionParser expressions;

  StringParser(TokenStream tokens, ExpressionParser expressions) {
    this.tokens = tokens;
    this.expressions = expressions;
  }

  /** One literal or several side by side. */
  Expr strings() {
    Token start = tokens.peek();
    boolean bytes = start.kind() == TokenKind.BYTES;
    boolean formatted = false;
    var parts = new Parts();
    while (true) {
      Token token = tokens.peek();
      switch (token.kind()) {
        case STRING, BYTES -> {
          tokens.next();
          parts.text(token.text());
        }
        case FSTRING_START -> {
          formatted = true;
          formatted(parts);
        }
        default -> {
          Span span = tokens.spanFrom(start);
          if (bytes) {
            return new Expr.BytesLiteral(parts.onlyText(), span);
          }
          return formatted
              ? new Expr.FormattedString(parts.finish(), span)
              : new Expr.StringLiteral(parts.onlyText(), span);
        }
      }
      if (bytes != (token.kind() == TokenKind.BYTES)) {
        throw tokens.failure(
            token, "bytes and text can't stand side by side", "give both or neither the prefix b");
      }
    }
  }

  /** Parts of an f-string; neighbouring texts are one. */
  private static final class Parts {
    private final List<FormatPart> finished = new ArrayList<>();
    private final StringBuilder text = new StringBuilder();

    void text(String more) {
      text.append(more);
    }

    void field(FieldPart field) {
      endText();
      finished.add(field);
    }

    private void endText() {
      if (!text.isEmpty()) {
        finished.add(new TextPart(text.toString()));
        text.setLength(0);
      }
    }

    String onlyText() {
      return text.toString();
    }

    List<FormatPart> finish() {
      endText();
      return List.copyOf(finished);
    }
  }

  private void formatted(Parts parts) {
    tokens.next();
    while (!tokens.at(TokenKind.FSTRING_END)) {
      part(parts, "the end of the f-string");
    }
    tokens.next();
  }

  private void part(Parts parts, String end) {
    Token token = tokens.peek();
    if (token.kind() == TokenKind.FSTRING_TEXT) {
      tokens.next();
      parts.text(token.text());
    } else if (token.kind() == TokenKind.FIELD_OPEN) {
      tokens.enter();
      parts.field(field());
      tokens.leave();
    } else {
      throw tokens.unexpected(end);
    }
  }

  private FieldPart field() {
    Token open = tokens.next();
    Token first = tokens.peek();
    if (!first.startsOperand() && !first.is("yield")) {
      throw tokens.unexpected("an expression after '{'", "write '{{' to mean the character itself");
    }
    Expr value = expressions.listOrYield();
    String debug = "";
    if (tokens.at("=")) {
      tokens.next();
      debug = tokens.text().substring(open.end(), tokens.peek().start());
    }
    String conversion = tokens.at("!") ? conversion() : "";
    var spec = new Parts();
    if (tokens.at(TokenKind.FIELD_SPEC)) {
      tokens.next();
      while (!tokens.at(TokenKind.FIELD_CLOSE)) {
        part(spec, "'}'");
      }
    } else if (!debug.isEmpty() && conversion.isEmpty()) {
      conversion = "r";
    }
    if (!tokens.at(TokenKind.FIELD_CLOSE)) {
      throw tokens.unexpected("'}'", "'{' was opened at " + tokens.place(open));
    }
    tokens.next();
    return new FieldPart(value, conversion, spec.finish(), debug);
  }

  private String conversion() {
    Token mark = tokens.next();
    Token letter = tokens.peek();
    if (letter.kind() != TokenKind.NAME || letter.start() != mark.end()) {
      throw tokens.failure(mark, "'!' in a field must be followed by a conversion", CONVERSIONS);
    }
    if (!letter.text().equals("r") && !letter.text().equals("s") && !letter.text().equals("a")) {
      throw tokens.failure(letter, "'!" + letter.text() + "' is not a conversion", CONVERSIONS);
    }
    tokens.next();
    return letter.text();
  }
}
