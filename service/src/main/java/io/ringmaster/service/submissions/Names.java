package io.ringmaster.service.submissions;

import io.ringmaster.service.problems.Quoting;
import java.util.Optional;

/** What names, labels and other texts may be made of. */
final class Names {

  private Names() {}

  /**
   * What is wrong with a text that people will see in one line; empty when it is fine. Control
   * characters, line breaks and marks that turn the writing direction would let a name pretend to
   * be something else.
   */
  static Optional<String> fault(String text, int most) {
    int length = text.codePointCount(0, text.length());
    if (length > most) {
      return Optional.of("may have at most %d characters, it has %,d.".formatted(most, length));
    }
    int at = 0;
    while (at < text.length()) {
      int c = text.codePointAt(at);
      if (isForbidden(c)) {
        return Optional.of(
            "must not hold the control character U+%04X (at character %d)."
                .formatted(c, text.codePointCount(0, at) + 1));
      }
      at += Character.charCount(c);
    }
    return Optional.empty();
  }

  /** What is wrong with a file's name; folders would say something about the client's machine. */
  static Optional<String> fileFault(String name, int most) {
    if (name.isBlank()) {
      return Optional.of("must not be empty; leave it out instead.");
    }
    if (name.indexOf('/') >= 0 || name.indexOf('\\') >= 0 || name.matches("\\.\\.?")) {
      return Optional.of(
          "must be a file's name without folders, such as kernel.py, got %s."
              .formatted(Quoting.quote(name)));
    }
    return fault(name, most);
  }

  /** Where a text has something that no database column keeps: a NUL, or half a character. */
  static Optional<String> storageFault(String text) {
    for (int at = 0; at < text.length(); at++) {
      char c = text.charAt(at);
      if (Character.isHighSurrogate(c)
          && at + 1 < text.length()
          && Character.isLowSurrogate(text.charAt(at + 1))) {
        at++;
      } else if (c == 0 || Character.isSurrogate(c)) {
        return Optional.of(
            "must not hold %s (at character %d)."
                .formatted(c == 0 ? "a NUL" : "half a surrogate pair", at + 1));
      }
    }
    return Optional.empty();
  }

  private static boolean isForbidden(int c) {
    boolean turnsDirection =
        c == 0x061C
            || c == 0x200E
            || c == 0x200F
            || (c >= 0x202A && c <= 0x202E)
            || (c >= 0x2066 && c <= 0x2069);
    return turnsDirection
        || switch (Character.getType(c)) {
          case Character.CONTROL,
              Character.LINE_SEPARATOR,
              Character.PARAGRAPH_SEPARATOR,
              Character.SURROGATE ->
              true;
          default -> false;
        };
  }
}
