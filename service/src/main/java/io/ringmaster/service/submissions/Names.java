package io.ringmaster.service.submissions;

import io.ringmaster.service.web.Parameter;
import java.util.Optional;

/** What names and labels may be made of. */
final class Names {

  private Names() {}

  static String quote(String text) {
    return Parameter.quote(text);
  }

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
