package io.ringmaster.worker.source;

import java.util.List;

/** Finds the end of a number and says what is wrong with it. */
final class NumberScanner {

  private static final List<String> WORDS_ALLOWED_AFTER =
      List.of("and", "else", "for", "if", "in", "is", "not", "or");

  private final String text;
  private final Problems problems;
  private final ParserLimits limits;
  private int pos;

  NumberScanner(String text, Problems problems, ParserLimits limits) {
    this.text = text;
    this.problems = problems;
    this.limits = limits;
  }

  /** What a number turned out to be; a broken one is reported and reads as zero. */
  record Scanned(TokenKind kind, String text, int end) {}

  Scanned scan(int start) {
    pos = start;
    int before = problems.reports();
    TokenKind kind = charAt(pos) == '0' && radixOf(charAt(pos + 1)) > 0 ? radix() : decimal(start);
    if (problems.reports() == before) {
      checkEnd(start);
    }
    if (kind == TokenKind.INT && problems.reports() == before) {
      checkDigits(start);
    }
    if (problems.reports() != before) {
      return new Scanned(kind, "0", pos);
    }
    return new Scanned(kind, text.substring(start, pos).replace("_", ""), pos);
  }

  private TokenKind radix() {
    int start = pos;
    int radix = radixOf(charAt(pos + 1));
    String name = radix == 16 ? "hexadecimal" : radix == 8 ? "octal" : "binary";
    pos += 2;
    int digits = 0;
    while (true) {
      int from = charAt(pos) == '_' ? pos + 1 : pos;
      int to = from;
      while (Character.digit(ascii(charAt(to)), radix) >= 0) {
        to++;
      }
      if (to == from) {
        break;
      }
      digits += to - from;
      pos = to;
    }
    if (Character.isDigit(ascii(charAt(pos)))) {
      problems.error(
          pos, pos + 1, "'" + charAt(pos) + "' is not a digit of a " + name + " number", "");
      skipWord();
    } else if (digits == 0) {
      skipWord();
      problems.error(
          start, pos, "'" + text.substring(start, pos) + "' is not a " + name + " number", "");
    }
    return TokenKind.INT;
  }

  private TokenKind decimal(int start) {
    boolean isFloat = false;
    digits();
    if (charAt(pos) == '.') {
      isFloat = true;
      pos++;
      digits();
    }
    char exponent = charAt(pos);
    if (exponent == 'e' || exponent == 'E') {
      char sign = charAt(pos + 1);
      int digit = sign == '+' || sign == '-' ? pos + 2 : pos + 1;
      if (isDigit(charAt(digit))) {
        isFloat = true;
        pos = digit;
        digits();
      }
    }
    if (charAt(pos) == 'j' || charAt(pos) == 'J') {
      pos++;
      problems.error(
          start,
          pos,
          "'"
              + text.substring(start, pos)
              + "' is an imaginary number; complex numbers are not"
              + " supported",
          "keep real and imaginary parts in two values");
      return TokenKind.FLOAT;
    }
    if (!isFloat) {
      checkLeadingZeros(start);
    }
    return isFloat ? TokenKind.FLOAT : TokenKind.INT;
  }

  /** Digits with single underscores between them. */
  private void digits() {
    while (isDigit(charAt(pos)) || (charAt(pos) == '_' && isBetweenDigits(pos))) {
      pos++;
    }
  }

  private boolean isBetweenDigits(int offset) {
    return offset > 0 && isDigit(charAt(offset - 1)) && isDigit(charAt(offset + 1));
  }

  private void checkLeadingZeros(int start) {
    if (charAt(start) != '0') {
      return;
    }
    for (int i = start; i < pos; i++) {
      if (charAt(i) != '0' && charAt(i) != '_') {
        problems.error(
            start,
            pos,
            "'" + text.substring(start, pos) + "' is a number with leading zeros",
            "drop the zeros; an octal number starts with 0o");
        return;
      }
    }
  }

  /** Only a few words may follow a number without a space. */
  private void checkEnd(int start) {
    if (!isWordPart(charAt(pos)) || startsAllowedWord()) {
      return;
    }
    skipWord();
    problems.error(
        start,
        pos,
        "'" + shortened(text.substring(start, pos)) + "' is neither a number nor a name",
        "names start with a letter or an underscore");
  }

  private boolean startsAllowedWord() {
    int end = pos;
    while (isWordPart(charAt(end))) {
      end++;
    }
    String word = text.substring(pos, end);
    return WORDS_ALLOWED_AFTER.stream().anyMatch(word::equals);
  }

  private void checkDigits(int start) {
    if (pos - start > limits.integerDigits()) {
      problems.error(
          start,
          pos,
          "this integer has " + (pos - start) + " digits; the limit is " + limits.integerDigits(),
          "");
    }
  }

  private void skipWord() {
    while (isWordPart(charAt(pos))) {
      pos++;
    }
  }

  private static boolean isWordPart(char c) {
    return c == '_' || Character.isLetterOrDigit(c);
  }

  private static boolean isDigit(char c) {
    return c >= '0' && c <= '9';
  }

  /** Keeps the digits of other scripts from counting as digits. */
  private static char ascii(char c) {
    return c < 128 ? c : ' ';
  }

  private static int radixOf(char letter) {
    return switch (letter) {
      case 'x', 'X' -> 16;
      case 'o', 'O' -> 8;
      case 'b', 'B' -> 2;
      default -> 0;
    };
  }

  private char charAt(int index) {
    return index < text.length() ? text.charAt(index) : '\0';
  }

  private static String shortened(String word) {
    return word.length() <= 40 ? word : word.substring(0, 37) + "...";
  }
}
