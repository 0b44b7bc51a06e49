package io.ringmaster.worker.source;

import io.ringmaster.worker.stop.StopOrder;
import java.text.Normalizer;
import java.util.Locale;
import java.util.Objects;
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

  private final String text;
  private final Problems problems;
  private final Positions positions;
  private final ParserLimits limits;
  private final StringScanner strings;
  private final NumberScanner numbers;

  private final Indentation indentation = new Indentation();
  private final OpenBrackets brackets = new OpenBrackets();
  private final FormattedStringLexer formatted;

  private int pos;
  private int tokens;
  private int pendingDedents;
  private int timesGivenUp;
  private boolean atLineStart = true;
  private boolean lineHasTokens;

  Lexer(SourceFile source, Positions positions, ParserLimits limits, Problems problems) {
    this.text = source.text();
    this.positions = positions;
    this.limits = limits;
    this.problems = problems;
    this.strings = new StringScanner(text, problems);
    this.formatted = new FormattedStringLexer(text, problems, strings, brackets);
    this.numbers = new NumberScanner(text, problems, limits);
  }

  /** The next token; {@code END} again and again at the end. */
  Token next() {
    StopOrder.look();
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
    return brackets.holds(bracket);
  }

  /** How often a statement started while a bracket was open, which has been reported. */
  int timesGivenUp() {
    return timesGivenUp;
  }

  boolean hasOpenBrackets() {
    return !brackets.isEmpty();
  }

  String text() {
    return text;
  }

  /** A token, or null if something was left out. */
  private @Nullable Token readOne() {
    if (formatted.inText()) {
      return taken(formatted.next(pos));
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
    if ((c >= '0' && c <= '9') || (c == '.' && isDigitAt(pos + 1))) {
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
        yield null;
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
    timesGivenUp++;
    Token open = Objects.requireNonNull(brackets.innermost());
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
      return token(TokenKind.KEYWORD, word, end);
    }
    return token(
        TokenKind.NAME, ascii ? word : Normalizer.normalize(word, Normalizer.Form.NFKC), end);
  }

  private @Nullable Token sign(int codePoint) {
    if (codePoint == '!' && brackets.atFieldTop() && !text.startsWith("!=", pos)) {
      return token(TokenKind.OPERATOR, "!", pos + 1);
    }
    if (codePoint == ':' && brackets.atFieldTop()) {
      return taken(formatted.startSpec(pos));
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
    Token open = brackets.innermost();
    if (open == null) {
      pos++;
      problems.error(start, pos, "'" + sign + "' closes nothing", "no bracket is open here");
      return null;
    }
    if (!OpenBrackets.matches(open, sign)) {
      problems.error(
          start,
          start + 1,
          "'" + sign + "' does not match '" + open.text() + "'",
          "'" + open.text() + "' was opened at " + positions.place(open.start()));
      if (!brackets.dropUntilMatch(sign)) {
        return wrongClosing(open);
      }
    }
    if (brackets.atFieldTop()) {
      return taken(formatted.closeField(pos));
    }
    brackets.pop();
    return token(TokenKind.OPERATOR, sign, pos + 1);
  }

  /** Takes a closing sign that fits no open bracket for the one that was meant. */
  private @Nullable Token wrongClosing(Token open) {
    if (brackets.atFieldTop()) {
      pos++;
      return null;
    }
    brackets.pop();
    return token(TokenKind.OPERATOR, OpenBrackets.closing(open), pos + 1);
  }

  private @Nullable Token unreadable(int codePoint) {
    int start = pos;
    pos += Character.charCount(codePoint);
    switch (codePoint) {
      case '!' -> problems.error(start, pos, "'!' is not an operator", "use 'not'");
      case 0 ->
          problems.error(start, pos, "the source holds a null byte", "is this a text file at all?");
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
        start,
        pos,
        "the character " + LookAlikes.describe(codePoint) + " has no meaning here",
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
      formatted.start(start, quote, triple, raw);
      return start;
    }
    boolean bytes = prefix.contains("b");
    int close = strings.closing(from, quote, triple);
    if (close < 0) {
      return unterminated(quoteAt, quote, triple);
    }
    String value = strings.decode(from, close, raw, bytes);
    return token(bytes ? TokenKind.BYTES : TokenKind.STRING, value, close + (triple ? 3 : 1));
  }

  private @Nullable Token unterminated(int quoteAt, char quote, boolean triple) {
    if (formatted.wouldEnd(quote, triple)) {
      return taken(formatted.unclosedField(quoteAt, quoteAt + 1));
    }
    int lineEnd = text.indexOf('\n', quoteAt);
    int end = triple || lineEnd < 0 ? text.length() : lineEnd;
    strings.reportUnterminated(pos, quoteAt + (triple ? 3 : 1), triple, "string");
    return token(TokenKind.STRING, "", end);
  }

  private boolean isDigitAt(int offset) {
    return offset < text.length() && text.charAt(offset) >= '0' && text.charAt(offset) <= '9';
  }

  private Token token(TokenKind kind, String value, int end) {
    Token token = new Token(kind, value, pos, end, brackets.innermost());
    pos = end;
    return token;
  }

  /** Goes on after a token made elsewhere. */
  private Token taken(Token token) {
    pos = token.end();
    return token;
  }
}
