package io.ringmaster.worker.source;

/** Decodes the text inside quotes: escapes, line joins, and what bytes may hold. */
final class StringScanner {

  private final String text;
  private final Problems problems;

  StringScanner(String text, Problems problems) {
    this.text = text;
    this.problems = problems;
  }

  /**
   * The offset of the quote that closes a text, or -1 if it isn't closed.
   *
   * @param from the first offset after the opening quote
   */
  int closing(int from, char quote, boolean triple) {
    for (int i = from; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == '\\') {
        i++;
      } else if (c == '\n' && !triple) {
        return -1;
      } else if (c == quote && (!triple || isTriple(i, quote))) {
        return i;
      }
    }
    return -1;
  }

  private boolean isTriple(int i, char quote) {
    return i + 2 < text.length() && text.charAt(i + 1) == quote && text.charAt(i + 2) == quote;
  }

  /** The value of the text between two offsets. */
  String decode(int start, int end, boolean raw, boolean bytes) {
    if (bytes) {
      requireAscii(start, end);
    }
    int escape = text.indexOf('\\', start, end);
    if (raw || escape < 0) {
      return text.substring(start, end);
    }
    var out = new StringBuilder(end - start);
    int i = start;
    while (i < end) {
      char c = text.charAt(i);
      if (c == '\\' && i + 1 < end) {
        i = escape(i, end, bytes, out);
      } else {
        out.append(c);
        i++;
      }
    }
    return out.toString();
  }

  private void requireAscii(int start, int end) {
    for (int i = start; i < end; i++) {
      if (text.charAt(i) > 127) {
        int codePoint = text.codePointAt(i);
        problems.error(
            i,
            i + Character.charCount(codePoint),
            "a bytes literal can hold ASCII characters only, not " + LookAlikes.describe(codePoint),
            "write other bytes as \\xNN");
        return;
      }
    }
  }

  /** Appends what the escape at {@code at} stands for; returns the offset after it. */
  private int escape(int at, int end, boolean bytes, StringBuilder out) {
    char c = text.charAt(at + 1);
    int next = at + 2;
    switch (c) {
      case '\n' -> {}
      case '\\', '\'', '"' -> out.append(c);
      case 'a' -> out.append('\u0007');
      case 'b' -> out.append('\b');
      case 'f' -> out.append('\f');
      case 'n' -> out.append('\n');
      case 'r' -> out.append('\r');
      case 't' -> out.append('\t');
      case 'v' -> out.append('\u000B');
      case '0', '1', '2', '3', '4', '5', '6', '7' -> {
        return octal(at, end, bytes, out);
      }
      case 'x' -> {
        return hex(at, end, 2, out);
      }
      case 'u', 'U', 'N' -> {
        if (bytes) {
          out.append('\\').append(c);
          return next;
        }
        return c == 'N' ? named(at, end) : hex(at, end, c == 'u' ? 4 : 8, out);
      }
      default -> out.append('\\').append(c);
    }
    return next;
  }

  private int octal(int at, int end, boolean bytes, StringBuilder out) {
    int value = 0;
    int i = at + 1;
    while (i < end && i < at + 4 && text.charAt(i) >= '0' && text.charAt(i) <= '7') {
      value = value * 8 + text.charAt(i) - '0';
      i++;
    }
    out.append((char) (bytes ? value & 0xFF : value));
    return i;
  }

  private int hex(int at, int end, int digits, StringBuilder out) {
    int value = 0;
    int i = at + 2;
    while (i < end && i < at + 2 + digits && isHex(text.charAt(i))) {
      value = value * 16 + Character.digit(text.charAt(i), 16);
      i++;
    }
    String letter = text.substring(at, at + 2);
    if (i < at + 2 + digits) {
      problems.error(
          at,
          i,
          "the escape " + letter + " needs " + digits + " hexadecimal digits, not " + (i - at - 2),
          "write a backslash twice to mean the character itself");
    } else if (value < 0 || value > Character.MAX_CODE_POINT) {
      problems.error(
          at,
          i,
          "the escape " + text.substring(at, i) + " is beyond the last character U+10FFFF",
          "");
    } else {
      out.appendCodePoint(value);
    }
    return i;
  }

  private int named(int at, int end) {
    int close = text.indexOf('}', at);
    int after = close < 0 || close >= end ? at + 2 : close + 1;
    problems.error(
        at,
        after,
        "characters by name ("
            + text.substring(at, Math.min(after, at + 40))
            + ") are not supported",
        "write the character itself or its number, \\uXXXX");
    return after;
  }

  private static boolean isHex(char c) {
    return c < 128 && Character.digit(c, 16) >= 0;
  }

  /** Reports a text whose opening quote stands before {@code end} and that nothing closes. */
  void reportUnterminated(int start, int end, boolean triple, String what) {
    String quotes = text.substring(end - (triple ? 3 : 1), end);
    problems.error(
        start,
        end,
        "this " + what + " is never closed",
        triple
            ? "it runs to the end of the file; close it with " + quotes
            : "close it with "
                + quotes
                + " on the same line, or use triple quotes for a text of"
                + " several lines");
  }
}
