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
        return fault(path, at, 3, "That is no percent-encoding, and no name holds a percent sign.");
      }
      if (value == '/' || value == '\\' || value == '%' || value < ' ' || value == 0x7f) {
        return fault(
            path,
            at,
            3,
            "No id and no name holds a slash, a backslash, a percent sign or a control character.");
      }
      if (value == '.') {
        return fault(path, at, 3, "Write a dot as it is; an id or a name needs no encoded one.");
      }
      bytes.write(value);
      at += 3;
    }
    return decoded(bytes.toByteArray()).or(() -> aboveRoot(path)).or(() -> detour(path));
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

  private static Optional<String> decoded(byte[] bytes) {
    try {
      var text = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes));
      return text.chars()
          .filter(
              c ->
                  Character.getType(c) == Character.LINE_SEPARATOR
                      || Character.getType(c) == Character.PARAGRAPH_SEPARATOR)
          .mapToObj(
              c ->
                  "The path holds U+%04X once its percent-encoding is undone; no name breaks lines."
                      .formatted(c))
          .findFirst();
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

  /** A step that leads nowhere: two addresses for one thing could deceive rules about paths. */
  private static Optional<String> detour(String path) {
    int at = 0;
    for (var step : path.split("/", -1)) {
      boolean isInside = at > 0 && at < path.length();
      if (step.equals(".") || step.equals("..")) {
        return fault(path, at, step.length(), "Name what is meant without steps of dots.");
      }
      if (step.isEmpty() && isInside) {
        return fault(path, at - 1, 2, "One slash stands between two steps of a path.");
      }
      at += step.length() + 1;
    }
    return Optional.empty();
  }
}
