package io.ringmaster.service.problems;

import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.regex.Pattern;

/** Puts what a client sent into messages and replies. */
public final class Quoting {

  private static final int MOST = 60;
  private static final int MOST_PATH = 500;
  private static final Pattern CONTROL = Pattern.compile("\\p{C}");
  private static final Pattern HALF_PAIR = Pattern.compile("\\p{Cs}");

  private Quoting() {}

  /** A value in quotes, without control characters, not longer than a line. */
  public static String quote(String value) {
    return "\"" + shortened(CONTROL.matcher(value).replaceAll("\uFFFD")) + "\"";
  }

  /** A text cut to what fits into a line. */
  public static String shortened(String text) {
    return cut(text, MOST);
  }

  private static String cut(String text, int most) {
    if (text.length() <= most) {
      return text;
    }
    // Half a surrogate pair is no text.
    return text.substring(0, Character.isHighSurrogate(text.charAt(most - 1)) ? most - 1 : most)
        + "…";
  }

  /** A text that UTF-8 can hold: half a surrogate pair, which JSON can spell, is replaced. */
  static String encodable(String text) {
    return HALF_PAIR.matcher(text).replaceAll("\uFFFD");
  }

  /** A path as a reference that the standard allows, whatever came. */
  static String uri(String path) {
    var out = new StringBuilder();
    for (byte b : cut(encodable(path), MOST_PATH).getBytes(StandardCharsets.UTF_8)) {
      char c = (char) (b & 0xFF);
      boolean plain =
          (c >= 'a' && c <= 'z')
              || (c >= 'A' && c <= 'Z')
              || (c >= '0' && c <= '9')
              || "%-._~/:@!$&'()*+,;=".indexOf(c) >= 0;
      out.append(
          plain ? Character.toString(c) : "%" + HexFormat.of().withUpperCase().toHexDigits(b));
    }
    return out.toString();
  }
}
