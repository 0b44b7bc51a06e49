package io.ringmaster.worker.source;

import java.util.ArrayDeque;
import java.util.Deque;

/**
 * Cuts the text of f-strings into tokens. Expressions in their fields are ordinary tokens; this
 * class knows where they begin and end.
 */
final class FormattedStringLexer {

  private static final int MAX_FIELD_NESTING = 3;

  private final String text;
  private final Problems problems;
  private final StringScanner strings;
  private final OpenBrackets brackets;
  private final Deque<OpenString> open = new ArrayDeque<>();

  FormattedStringLexer(
      String text, Problems problems, StringScanner strings, OpenBrackets brackets) {
    this.text = text;
    this.problems = problems;
    this.strings = strings;
    this.brackets = brackets;
  }

  /** An f-string being read. */
  private static final class OpenString {
    private final int start;
    private final char quote;
    private final boolean triple;
    private final boolean raw;
    private int fields;

    /** Reading literal text or a format specification rather than an expression. */
    private boolean inText = true;

    OpenString(int start, char quote, boolean triple, boolean raw) {
      this.start = start;
      this.quote = quote;
      this.triple = triple;
      this.raw = raw;
    }

    int quoteLength() {
      return triple ? 3 : 1;
    }
  }

  void clear() {
    open.clear();
  }

  /** Starts an f-string whose first token this is. */
  void start(Token start, char quote, boolean triple, boolean raw) {
    open.push(new OpenString(start.start(), quote, triple, raw));
  }

  /** True if what comes next is text of an f-string rather than an expression. */
  boolean inText() {
    OpenString string = open.peek();
    return string != null && string.inText;
  }

  /** True if a quote of this kind would end the f-string around it, were its field closed. */
  boolean wouldEnd(char quote, boolean triple) {
    OpenString string = open.peek();
    return string != null && string.quote == quote && !string.triple && !triple;
  }

  /** The text from an offset up to a field or the end, or the sign that ends it. */
  Token next(int pos) {
    OpenString string = open.element();
    boolean inSpec = string.fields > 0;
    var value = new StringBuilder();
    int start = pos;
    int i = pos;
    while (true) {
      if (i >= text.length() || (text.charAt(i) == '\n' && !string.triple && !inSpec)) {
        return unterminated(string, pos, i);
      }
      char c = text.charAt(i);
      if (c == string.quote && closes(string, i)) {
        break;
      }
      if (c == '\\') {
        i = endOfEscape(i, string.raw);
      } else if (c == '{' || c == '}') {
        boolean doubled = i + 1 < text.length() && text.charAt(i + 1) == c;
        if (!doubled || inSpec) {
          break;
        }
        value.append(strings.decode(start, i + 1, string.raw, false));
        i += 2;
        start = i;
      } else {
        i++;
      }
    }
    value.append(strings.decode(start, i, string.raw, false));
    if (i > pos) {
      return token(TokenKind.FSTRING_TEXT, value.toString(), pos, i);
    }
    int end = pos + string.quoteLength();
    return switch (text.charAt(pos)) {
      case '{' -> openField(string, pos);
      case '}' -> closingBrace(string, pos);
      default -> inSpec ? unclosedField(pos, end) : close(pos, end);
    };
  }

  /** A backslash before a brace doesn't escape it, and the braces of {@code \N} are no field. */
  private int endOfEscape(int at, boolean raw) {
    if (!raw && text.startsWith("N{", at + 1)) {
      int close = text.indexOf('}', at);
      int lineEnd = text.indexOf('\n', at);
      return close < 0 || (lineEnd >= 0 && lineEnd < close) ? at + 2 : close + 1;
    }
    boolean brace = at + 1 < text.length() && "{}".indexOf(text.charAt(at + 1)) >= 0;
    return Math.min(brace ? at + 1 : at + 2, text.length());
  }

  private boolean closes(OpenString string, int i) {
    return !string.triple || text.startsWith(String.valueOf(string.quote).repeat(3), i);
  }

  private Token openField(OpenString string, int pos) {
    if (string.fields == MAX_FIELD_NESTING) {
      problems.error(
          pos,
          pos + 1,
          "fields of an f-string are nested more than " + MAX_FIELD_NESTING + " deep",
          "compute the inner value before");
    }
    Token field = token(TokenKind.FIELD_OPEN, "{", pos, pos + 1);
    brackets.push(field);
    string.fields++;
    string.inText = false;
    return field;
  }

  private Token closingBrace(OpenString string, int pos) {
    if (string.fields == 0) {
      problems.error(
          pos, pos + 1, "a single '}' in an f-string", "write '}}' to mean the character itself");
      return token(TokenKind.FSTRING_TEXT, "", pos, pos + 1);
    }
    return closeField(pos);
  }

  /** The colon after a field's value: what follows is text again. */
  Token startSpec(int pos) {
    open.element().inText = true;
    return token(TokenKind.FIELD_SPEC, ":", pos, pos + 1);
  }

  /** The brace that ends a field. */
  Token closeField(int pos) {
    OpenString string = open.element();
    brackets.pop();
    string.fields--;
    string.inText = true;
    return token(TokenKind.FIELD_CLOSE, "}", pos, pos + 1);
  }

  /** Ends an f-string at a quote although a field is still open. */
  Token unclosedField(int pos, int end) {
    Token field = brackets.innermostField();
    problems.error(
        field.start(), field.end(), "'{' in this f-string was never closed", "close it with '}'");
    dropFields(open.element());
    return close(pos, end);
  }

  private Token unterminated(OpenString string, int pos, int end) {
    int quoteAt = string.start;
    while (text.charAt(quoteAt) != string.quote) {
      quoteAt++;
    }
    strings.reportUnterminated(
        string.start, quoteAt + string.quoteLength(), string.triple, "f-string");
    dropFields(string);
    return close(pos, end);
  }

  private void dropFields(OpenString string) {
    while (string.fields > 0) {
      if (brackets.pop().kind() == TokenKind.FIELD_OPEN) {
        string.fields--;
      }
    }
  }

  private Token close(int pos, int end) {
    open.pop();
    return token(TokenKind.FSTRING_END, "", pos, end);
  }

  private Token token(TokenKind kind, String value, int start, int end) {
    return new Token(kind, value, start, end, brackets.innermost());
  }
}
