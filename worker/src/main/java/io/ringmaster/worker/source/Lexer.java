package io.ringmaster.worker.source;

import java.text.Normalizer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Cuts source text into tokens, one at a time. What it can't read it reports and leaves out, so
 * that the parser always gets tokens to the end of the file.
 *
 * <p>Brackets and f-strings are tracked here because they decide what a line end or a quote means.
 * The parser can start it over at a line when a bracket was never closed.
 */
final class Lexer {

  private static final Set<String> STRING_PREFIXES =
      Set.of("r", "u", "b", "br", "rb", "f", "fr", "rf");
  private static final int MAX_FIELD_NESTING = 3;

  private final String text;
  private final Problems problems;
  private final Positions positions;
  private final ParserLimits limits;
  private final StringScanner strings;
  private final NumberScanner numbers;

  private final Indentation indentation = new Indentation();
  private final Deque<Token> brackets = new ArrayDeque<>();
  private final Deque<OpenString> formatted = new ArrayDeque<>();

  private int pos;
  private int tokens;
  private int pendingDedents;
  private boolean atLineStart = true;
  private boolean lineHasTokens;

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
  }

  Lexer(SourceFile source, Positions positions, ParserLimits limits, Problems problems) {
    this.text = source.text();
    this.positions = positions;
    this.limits = limits;
    this.problems = problems;
    this.strings = new StringScanner(text, problems);
    this.numbers = new NumberScanner(text, problems, limits);
  }

  /** The next token; {@code END} again and again at the end. */
  Token next() {
    if (++tokens > limits.tokens()) {
      throw problems.stop(
          Math.min(pos, text.length()),
          Math.min(pos, text.length()),
          "the source has more than " + limits.tokens() + " tokens, which is the limit",
          "split it into several files");
    }
    while (true) {
      if (pendingDedents > 0) {
        pendingDedents--;
        return token(TokenKind.DEDENT, "", pos);
      }
      Token token = readOne();
      if (token != null) {
        return token;
      }
    }
  }

  /** Forgets open brackets and f-strings and goes on with the line that starts at an offset. */
  void restartAt(int lineStart) {
    brackets.clear();
    formatted.clear();
    pos = lineStart;
    atLineStart = true;
    lineHasTokens = false;
  }

  /** True while a bracket opened by this token hasn't been closed. */
  boolean isOpen(Token bracket) {
    return brackets.stream().anyMatch(open -> open.start() == bracket.start());
  }

  boolean hasOpenBrackets() {
    return !brackets.isEmpty();
  }

  String text() {
    return text;
  }

  /** A token, or null if something was left out. */
  private @Nullable Token readOne() {
    OpenString string = formatted.peek();
    if (string != null && string.inText) {
      return formattedText(string);
    }
    if (atLineStart && brackets.isEmpty()) {
      Token token = margin();
      if (token != null || pendingDedents > 0) {
        return token;
      }
    }
    if (skipSpace()) {
      return newline(pos);
    }
    if (pos >= text.length()) {
      return endOfFile();
    }
    lineHasTokens = true;
    char c = text.charAt(pos);
    if (c == '\n') {
      return newline(pos + 1);
    }
    if (c >= '0' && c <= '9' || c == '.' && isDigitAt(pos + 1)) {
      return number();
    }
    if (c == '"' || c == '\'') {
      return string(pos, "");
    }
    int codePoint = text.codePointAt(pos);
    if (codePoint == '_' || Character.isUnicodeIdentifierStart(codePoint)) {
      return word();
    }
    return sign(codePoint);
  }

  private Token newline(int end) {
    Token token = token(TokenKind.NEWLINE, "", end);
    atLineStart = true;
    lineHasTokens = false;
    return token;
  }

  private Token endOfFile() {
    if (lineHasTokens && brackets.isEmpty()) {
      return newline(pos);
    }
    if (brackets.isEmpty()) {
      pendingDedents = indentation.closeAll();
      if (pendingDedents > 0) {
        pendingDedents--;
        return token(TokenKind.DEDENT, "", pos);
      }
    }
    return token(TokenKind.END, "", pos);
  }

  /** Measures the space before a logical line; skips lines that hold nothing. */
  private @Nullable Token margin() {
    indentation.startLine();
    int lineStart = pos;
    while (pos < text.length()) {
      char c = text.charAt(pos);
      if (c == ' ' || c == '\t' || c == '\f') {
        indentation.add(c);
        pos++;
      } else if (c == '#') {
        skipComment();
      } else if (c == '\n') {
        pos++;
        lineStart = pos;
        indentation.startLine();
      } else {
        break;
      }
    }
    atLineStart = false;
    if (pos >= text.length()) {
      return null;
    }
    return switch (indentation.endMargin()) {
      case SAME -> null;
      case DEEPER -> token(TokenKind.INDENT, "", pos);
      case OUT -> {
        pendingDedents = indentation.closed();
        yield null;
      }
      case OUT_TO_NOWHERE -> {
        problems.error(
            lineStart,
            pos,
            "this line is indented less than the block above it but fits none of the blocks around"
                + " it",
            "give it the indentation of the line that it should follow");
        pendingDedents = indentation.closed();
        yield null;
      }
      case MIXED -> {
        problems.error(
            lineStart,
            pos,
            "tabs and spaces are mixed in the indentation",
            "indent every line of a block in the same way, best with spaces only");
        pendingDedents = indentation.closed();
        yield indentation.opened() ? token(TokenKind.INDENT, "", pos) : null;
      }
    };
  }

  private void skipComment() {
    int end = text.indexOf('\n', pos);
    pos = end < 0 ? text.length() : end;
  }

  /**
   * Skips what means nothing between two tokens. True if an open bracket was given up because a
   * statement starts on the line reached.
   */
  private boolean skipSpace() {
    while (pos < text.length()) {
      char c = text.charAt(pos);
      if (c == ' ' || c == '\t' || c == '\f') {
        pos++;
      } else if (c == '#') {
        skipComment();
      } else if (c == '\\' && isLineEnd(pos + 1)) {
        pos = Math.min(pos + 2, text.length());
        if (pos >= text.length()) {
          problems.error(
              pos - 1, pos, "the file ends in a line that a backslash continues", "drop the '\\'");
        }
      } else if (c == '\n' && !brackets.isEmpty()) {
        pos++;
        if (statementStarts()) {
          giveUpBrackets();
          return true;
        }
      } else {
        return false;
      }
    }
    return false;
  }

  private boolean isLineEnd(int offset) {
    return offset >= text.length() || text.charAt(offset) == '\n';
  }

  /** True if the line at the position starts with a word that no expression can hold. */
  private boolean statementStarts() {
    int start = pos;
    while (start < text.length() && (text.charAt(start) == ' ' || text.charAt(start) == '\t')) {
      start++;
    }
    int end = start;
    while (end < text.length() && text.charAt(end) >= 'a' && text.charAt(end) <= 'z') {
      end++;
    }
    if (!Operators.STATEMENT_KEYWORDS.contains(text.substring(start, end))) {
      return false;
    }
    if (end < text.length() && Character.isUnicodeIdentifierPart(text.charAt(end))) {
      return false;
    }
    while (end < text.length() && text.charAt(end) == ' ') {
      end++;
    }
    return end >= text.length() || "=),.]}".indexOf(text.charAt(end)) < 0;
  }

  private void giveUpBrackets() {
    Token open = brackets.element();
    problems.error(
        open.start(),
        open.end(),
        "'" + open.text() + "' was never closed",
        "the statement on line " + positions.line(pos) + " starts while it is open");
    brackets.clear();
    formatted.clear();
  }

  private Token number() {
    NumberScanner.Scanned number = numbers.scan(pos);
    return token(number.kind(), number.text(), number.end());
  }

  private @Nullable Token word() {
    int end = pos;
    boolean ascii = true;
    while (end < text.length()) {
      int codePoint = text.codePointAt(end);
      if (!Character.isUnicodeIdentifierPart(codePoint)
          || Character.isIdentifierIgnorable(codePoint)) {
        break;
      }
      ascii &= codePoint < 128;
      end += Character.charCount(codePoint);
    }
    String word = text.substring(pos, end);
    if (end < text.length() && (text.charAt(end) == '"' || text.charAt(end) == '\'')) {
      String prefix = word.toLowerCase(Locale.ROOT);
      if (STRING_PREFIXES.contains(prefix)) {
        return string(end, prefix);
      }
    }
    if (Operators.KEYWORDS.contains(word)) {
      return token(TokenKind.KEYWORD, word.intern(), end);
    }
    return token(
        TokenKind.NAME, ascii ? word : Normalizer.normalize(word, Normalizer.Form.NFKC), end);
  }

  private @Nullable Token sign(int codePoint) {
    if (codePoint == '!' && atFieldTop() && !text.startsWith("!=", pos)) {
      return token(TokenKind.OPERATOR, "!", pos + 1);
    }
    if (codePoint == ':' && atFieldTop()) {
      formatted.element().inText = true;
      return token(TokenKind.FIELD_SPEC, ":", pos + 1);
    }
    String sign = Operators.signAt(text, pos).orElse("");
    return switch (sign) {
      case "" -> unreadable(codePoint);
      case "(", "[", "{" -> {
        Token open = token(TokenKind.OPERATOR, sign, pos + 1);
        brackets.push(open);
        yield open;
      }
      case ")", "]", "}" -> closing(sign);
      case "<" -> {
        if (text.startsWith("<>", pos)) {
          problems.error(pos, pos + 2, "'<>' is not an operator", "use '!='");
          yield token(TokenKind.OPERATOR, "!=", pos + 2);
        }
        yield token(TokenKind.OPERATOR, sign, pos + 1);
      }
      default -> token(TokenKind.OPERATOR, sign, pos + sign.length());
    };
  }

  private @Nullable Token closing(String sign) {
    int start = pos;
    if (brackets.isEmpty()) {
      pos++;
      problems.error(start, pos, "'" + sign + "' closes nothing", "no bracket is open here");
      return null;
    }
    Token open = brackets.element();
    if (!matches(open, sign)) {
      problems.error(
          start,
          start + 1,
          "'" + sign + "' does not match '" + open.text() + "'",
          "'" + open.text() + "' was opened at " + positions.place(open.start()));
      if (!closesOuter(sign)) {
        pos++;
        return null;
      }
      while (!matches(brackets.element(), sign)) {
        brackets.pop();
      }
    }
    if (brackets.element().kind() == TokenKind.FIELD_OPEN) {
      closeField(formatted.element());
      return token(TokenKind.FIELD_CLOSE, sign, pos + 1);
    }
    brackets.pop();
    return token(TokenKind.OPERATOR, sign, pos + 1);
  }

  /** True if a bracket further out, but not outside the innermost f-string, fits. */
  private boolean closesOuter(String sign) {
    for (Token bracket : brackets) {
      if (matches(bracket, sign)) {
        return true;
      }
      if (bracket.kind() == TokenKind.FIELD_OPEN) {
        return false;
      }
    }
    return false;
  }

  private static boolean matches(Token open, String sign) {
    return switch (open.text()) {
      case "(" -> sign.equals(")");
      case "[" -> sign.equals("]");
      default -> sign.equals("}");
    };
  }

  private @Nullable Token unreadable(int codePoint) {
    int start = pos;
    pos += Character.charCount(codePoint);
    switch (codePoint) {
      case '!' -> problems.error(start, pos, "'!' is not an operator", "use 'not'");
      case 0 ->
          problems.error(
              start, pos, "the source holds a null byte", "is this a text file at all?");
      case '\\' ->
          problems.error(
              start,
              pos,
              "a backslash must be the last character of its line",
              "nothing may follow it, not even a space");
      case '$', '?', '`' ->
          problems.error(start, pos, "'" + text.charAt(start) + "' has no meaning here", "");
      default -> foreign(start, codePoint);
    }
    return null;
  }

  /** A character that isn't part of the language, often pasted from a formatted text. */
  private void foreign(int start, int codePoint) {
    String ascii = LookAlikes.ascii(codePoint);
    String hint = "";
    if (!ascii.isEmpty()) {
      hint = "use " + ascii;
    } else if (LookAlikes.isInvisible(codePoint)) {
      hint = "it is invisible or looks like a space; delete it or type a space";
    }
    problems.error(
        start, pos, "the character " + LookAlikes.describe(codePoint) + " has no meaning here",
        hint);
    int closing = LookAlikes.closingQuote(codePoint);
    if (closing != 0) {
      int close = text.indexOf(closing, pos);
      int lineEnd = text.indexOf('\n', pos);
      if (close >= 0 && (lineEnd < 0 || close < lineEnd)) {
        pos = close + 1;
      }
    }
  }

  /** A string whose prefix starts at the position and whose quote stands at {@code quoteAt}. */
  private @Nullable Token string(int quoteAt, String prefix) {
    char quote = text.charAt(quoteAt);
    boolean triple = text.startsWith(String.valueOf(quote).repeat(3), quoteAt);
    int from = quoteAt + (triple ? 3 : 1);
    boolean raw = prefix.contains("r");
    if (prefix.contains("f")) {
      Token start = token(TokenKind.FSTRING_START, "", from);
      formatted.push(new OpenString(start.start(), quote, triple, raw));
      return start;
    }
    boolean bytes = prefix.contains("b");
    int close = strings.closing(from, quote, triple);
    if (close < 0) {
      return unterminated(quoteAt, quote, triple);
    }
    String value = strings.decode(from, close, raw, bytes);
    return token(
        bytes ? TokenKind.BYTES : TokenKind.STRING, value, close + (triple ? 3 : 1));
  }

  private @Nullable Token unterminated(int quoteAt, char quote, boolean triple) {
    OpenString around = formatted.peek();
    if (around != null && around.quote == quote && !around.triple && !triple) {
      return unclosedField(around, quoteAt + 1);
    }
    int lineEnd = text.indexOf('\n', quoteAt);
    int end = triple || lineEnd < 0 ? text.length() : lineEnd;
    reportUnterminated(pos, quoteAt + (triple ? 3 : 1), triple, "string");
    return token(TokenKind.STRING, "", end);
  }

  private void reportUnterminated(int start, int end, boolean triple, String what) {
    String quotes = text.substring(end - (triple ? 3 : 1), end);
    problems.error(
        start,
        end,
        "this " + what + " is never closed",
        triple
            ? "it runs to the end of the file; close it with " + quotes
            : "close it with " + quotes + " on the same line, or use triple quotes for a text of"
                + " several lines");
  }

  /** The text of an f-string up to a replacement field or its end. */
  private @Nullable Token formattedText(OpenString string) {
    int start = pos;
    int i = pos;
    boolean inSpec = string.fields > 0;
    var value = new StringBuilder();
    while (true) {
      if (i >= text.length() || text.charAt(i) == '\n' && !string.triple && !inSpec) {
        return unterminatedFormatted(string, i);
      }
      char c = text.charAt(i);
      if (c == string.quote && closes(string, i)) {
        break;
      }
      if (c == '\\') {
        // A backslash before a brace doesn't escape it, and \N{...} isn't a field.
        boolean named = !string.raw && text.startsWith("N{", i + 1);
        boolean brace = i + 1 < text.length() && "{}".indexOf(text.charAt(i + 1)) >= 0;
        int end = named ? endOfName(i) : Math.min(brace ? i + 1 : i + 2, text.length());
        i = end;
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
      return token(TokenKind.FSTRING_TEXT, value.toString(), i);
    }
    return switch (text.charAt(i)) {
      case '{' -> openField(string);
      case '}' -> endSpec(string);
      default -> inSpec ? unclosedField(string, closeEnd(string)) : closeString(closeEnd(string));
    };
  }

  private int endOfName(int at) {
    int close = text.indexOf('}', at);
    int lineEnd = text.indexOf('\n', at);
    return close < 0 || lineEnd >= 0 && lineEnd < close ? at + 2 : close + 1;
  }

  private boolean closes(OpenString string, int i) {
    return !string.triple || text.startsWith(String.valueOf(string.quote).repeat(3), i);
  }

  private int closeEnd(OpenString string) {
    return pos + (string.triple ? 3 : 1);
  }

  private Token closeString(int end) {
    formatted.pop();
    return token(TokenKind.FSTRING_END, "", end);
  }

  private Token openField(OpenString string) {
    if (string.fields == MAX_FIELD_NESTING) {
      problems.error(
          pos,
          pos + 1,
          "fields of an f-string are nested more than " + MAX_FIELD_NESTING + " deep",
          "compute the inner value before");
    }
    Token open = token(TokenKind.FIELD_OPEN, "{", pos + 1);
    brackets.push(open);
    string.fields++;
    string.inText = false;
    return open;
  }

  private @Nullable Token endSpec(OpenString string) {
    if (string.fields == 0) {
      problems.error(
          pos, pos + 1, "a single '}' in an f-string", "write '}}' to mean the character itself");
      pos++;
      return null;
    }
    closeField(string);
    return token(TokenKind.FIELD_CLOSE, "}", pos + 1);
  }

  private void closeField(OpenString string) {
    brackets.pop();
    string.fields--;
    string.inText = true;
  }

  private Token unclosedField(OpenString string, int end) {
    Token field = brackets.stream()
        .filter(bracket -> bracket.kind() == TokenKind.FIELD_OPEN)
        .findFirst()
        .orElseThrow();
    problems.error(
        field.start(), field.end(), "'{' in this f-string was never closed", "close it with '}'");
    dropFields(string);
    return closeString(end);
  }

  private Token unterminatedFormatted(OpenString string, int end) {
    int open = string.start;
    int quoteEnd = open;
    while (text.charAt(quoteEnd) != string.quote) {
      quoteEnd++;
    }
    reportUnterminated(open, quoteEnd + (string.triple ? 3 : 1), string.triple, "f-string");
    dropFields(string);
    return closeString(end);
  }

  private void dropFields(OpenString string) {
    while (string.fields > 0) {
      if (brackets.pop().kind() == TokenKind.FIELD_OPEN) {
        string.fields--;
      }
    }
  }

  private boolean atFieldTop() {
    Token open = brackets.peek();
    return open != null && open.kind() == TokenKind.FIELD_OPEN;
  }

  private boolean isDigitAt(int offset) {
    return offset < text.length() && text.charAt(offset) >= '0' && text.charAt(offset) <= '9';
  }

  private Token token(TokenKind kind, String value, int end) {
    Token token = new Token(kind, value, pos, end, brackets.peek());
    pos = end;
    return token;
  }
}
