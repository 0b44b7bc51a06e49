package io.ringmaster.worker.source;

import java.util.Arrays;

/** Turns offsets of a source into lines and columns. */
final class Positions {

  private final String file;
  private final int length;
  private final int[] lineStarts;
  private final int[] lowSurrogates;
  private int lastLine = 1;

  Positions(SourceFile source) {
    String text = source.text();
    int lines = 1;
    int surrogates = 0;
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == '\n') {
        lines++;
      } else if (isSecondHalf(text, i)) {
        surrogates++;
      }
    }
    this.file = source.name();
    this.length = text.length();
    this.lineStarts = new int[lines];
    this.lowSurrogates = new int[surrogates];
    int line = 1;
    int surrogate = 0;
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == '\n') {
        lineStarts[line++] = i + 1;
      } else if (isSecondHalf(text, i)) {
        lowSurrogates[surrogate++] = i;
      }
    }
  }

  private static boolean isSecondHalf(String text, int i) {
    return Character.isLowSurrogate(text.charAt(i))
        && i > 0
        && Character.isHighSurrogate(text.charAt(i - 1));
  }

  /** How many lines the source has; a line end at the end of the file begins none. */
  int lines() {
    return lineStarts[lineStarts.length - 1] == length ? lineStarts.length - 1 : lineStarts.length;
  }

  int line(int offset) {
    // Most places asked for are on the line of the one before.
    int line = lastLine;
    if (lineStarts[line - 1] > offset || (line < lineStarts.length && lineStarts[line] <= offset)) {
      int found = Arrays.binarySearch(lineStarts, offset);
      line = found >= 0 ? found + 1 : -found - 1;
      lastLine = line;
    }
    return line;
  }

  int lineStart(int offset) {
    return lineStarts[line(offset) - 1];
  }

  /** The offset at which the line after that of {@code offset} starts, or {@code end}. */
  int nextLineStart(int offset, int end) {
    int line = line(offset);
    return line < lineStarts.length ? lineStarts[line] : end;
  }

  Span span(int start, int end) {
    int line = line(start);
    int endLine = line(end);
    return new Span(file, line, column(line, start), endLine, column(endLine, end));
  }

  Span span(Token token) {
    return span(token.start(), token.end());
  }

  /** "line 3, column 7". */
  String place(int offset) {
    int line = line(offset);
    return "line " + line + ", column " + column(line, offset);
  }

  private int column(int line, int offset) {
    int start = lineStarts[line - 1];
    return offset - start + 1 - (surrogatesBefore(offset) - surrogatesBefore(start));
  }

  private int surrogatesBefore(int offset) {
    if (lowSurrogates.length == 0) {
      return 0;
    }
    int found = Arrays.binarySearch(lowSurrogates, offset);
    return found >= 0 ? found : -found - 1;
  }
}
