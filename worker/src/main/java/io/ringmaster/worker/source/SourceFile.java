package io.ringmaster.worker.source;

import java.util.List;

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
    List<String> lines = text.lines().toList();
    return number >= 1 && number <= lines.size() ? lines.get(number - 1) : "";
  }
}
