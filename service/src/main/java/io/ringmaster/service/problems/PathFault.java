package io.ringmaster.service.problems;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/** Finds what is wrong with a path as it came, before decoding. */
public final class PathFault {

  private static final int HEX = 16;

  private PathFault() {}

  /** The first fault in a sentence or two, with its place; empty for a path that can be read. */
  public static Optional<String> of(String path) {
    var bytes = new ByteArrayOutputStream(path.length());
    int at = 0;
    while (at < path.length()) {
      char c = path.charAt(at);
      if (c == '\\' || c == ';') {
        return fault(path, at, 1, "No path here holds one; an id or a name never needs it.");
      }
      if (c != '%') {
        bytes.write(c);
        at++;
        continue;
      }
      int value = hex(path, at + 1);
      if (value < 0) {
        return fault(path, at, 3, "That is no percent-encoding; write a percent sign as %25.");
      }
      if (value == 0 || value == '/' || value == '\\') {
        return fault(path, at, 3, "No id and no name holds a NUL, a slash or a backslash.");
      }
      if (value == '.') {
        return fault(path, at, 3, "Write a dot as it is; an id or a name needs no encoded one.");
      }
      bytes.write(value);
      at += 3;
    }
    return notUtf8(bytes.toByteArray()).or(() -> aboveRoot(path));
  }

  private static Optional<String> fault(String path, int at, int length, String fix) {
    var piece = path.substring(at, Math.min(path.length(), at + length));
    return Optional.of(
        "The path has %s at character %d. %s".formatted(Quoting.quote(piece), at + 1, fix));
  }

  private static int hex(String path, int at) {
    if (at + 2 > path.length()) {
      return -1;
    }
    int high = Character.digit(path.charAt(at), HEX);
    int low = Character.digit(path.charAt(at + 1), HEX);
    return high < 0 || low < 0 ? -1 : high * HEX + low;
  }

  private static Optional<String> notUtf8(byte[] bytes) {
    try {
      var _ = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes));
      return Optional.empty();
    } catch (CharacterCodingException e) {
      return Optional.of(
          "The path is not UTF-8 once its percent-encoding is undone. Encode it again.");
    }
  }

  private static Optional<String> aboveRoot(String path) {
    int depth = 0;
    for (var step : path.split("/", -1)) {
      depth += step.equals("..") ? -1 : step.isEmpty() || step.equals(".") ? 0 : 1;
      if (depth < 0) {
        return Optional.of(
            "The path leads above the root with \"..\"; name what is meant from there.");
      }
    }
    return Optional.empty();
  }
}
