package io.ringmaster.worker.frontend;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Objects;

/**
 * A program with a hole: what stands before the lines under test, their indent, and what follows.
 */
record Frame(String before, String indent, String after) {

  private static final String HOLE = "<body>\n";

  /** Reads {@code frames/NAME.py.txt}. */
  static Frame named(String name) {
    String text = resource("frames/" + name + ".py.txt");
    int hole = text.indexOf(HOLE);
    int line = text.lastIndexOf('\n', hole) + 1;
    return new Frame(
        text.substring(0, line), text.substring(line, hole), text.substring(hole + HOLE.length()));
  }

  /** The program with {@code body} in its hole. */
  String with(String body) {
    StringBuilder text = new StringBuilder(before);
    body.lines().forEach(line -> text.append(indent).append(line).append('\n'));
    return text.append(after).toString();
  }

  /** A text of {@code src/test/resources/frontend}. */
  static String resource(String path) {
    return text("/frontend/" + path);
  }

  /** A text of {@code src/test/resources}. */
  static String text(String path) {
    try (InputStream in = Objects.requireNonNull(Frame.class.getResourceAsStream(path), path)) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
