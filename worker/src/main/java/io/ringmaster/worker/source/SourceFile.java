package io.ringmaster.worker.source;

/**
 * A named piece of source text. The text has no byte-order mark and only {@code \n} line ends, so
 * that line numbers agree with what any editor shows.
 */
public record SourceFile(String name, String text) {

  /** Normalises a byte-order mark and CRLF / CR line ends away. */
  public static SourceFile of(String name, String text) {
    String body = text.startsWith("\uFEFF") ? text.substring(1) : text;
    return new SourceFile(name, body.replace("\r\n", "\n").replace('\r', '\n'));
  }

  /** The text of a line, counted from 1; empty beyond the end. */
  public String line(int number) {
    int start = 0;
    for (int line = 1; line < number; line++) {
      start = text.indexOf('\n', start) + 1;
      if (start == 0) {
        return "";
      }
    }
    int end = text.indexOf('\n', start);
    return number < 1 ? "" : text.substring(start, end < 0 ? text.length() : end);
  }
}
