package io.ringmaster.worker.source;

import java.util.Map;

/** Characters that word processors and web pages put in place of those that Python reads. */
final class LookAlikes {

  private static final Map<Integer, String> ASCII =
      Map.ofEntries(
          Map.entry(0x201C, "\""),
          Map.entry(0x201D, "\""),
          Map.entry(0x201E, "\""),
          Map.entry(0x201F, "\""),
          Map.entry(0x2033, "\""),
          Map.entry(0x00AB, "\""),
          Map.entry(0x00BB, "\""),
          Map.entry(0x2018, "'"),
          Map.entry(0x2019, "'"),
          Map.entry(0x201A, "'"),
          Map.entry(0x201B, "'"),
          Map.entry(0x2032, "'"),
          Map.entry(0x00B4, "'"),
          Map.entry(0x2010, "-"),
          Map.entry(0x2011, "-"),
          Map.entry(0x2012, "-"),
          Map.entry(0x2013, "-"),
          Map.entry(0x2014, "-"),
          Map.entry(0x2212, "-"),
          Map.entry(0x00D7, "*"),
          Map.entry(0x2217, "*"),
          Map.entry(0x00F7, "/"),
          Map.entry(0x2215, "/"),
          Map.entry(0x2264, "<="),
          Map.entry(0x2265, ">="),
          Map.entry(0x2260, "!="),
          Map.entry(0x2026, "..."),
          Map.entry(0x2192, "->"),
          Map.entry(0x3001, ","),
          Map.entry(0x3002, "."),
          Map.entry(0x3010, "["),
          Map.entry(0x3011, "]"));

  private LookAlikes() {}

  /** The ASCII spelling that was most likely meant; empty if none comes to mind. */
  static String ascii(int codePoint) {
    if (codePoint >= 0xFF01 && codePoint <= 0xFF5E) {
      return Character.toString(codePoint - 0xFF01 + '!');
    }
    return ASCII.getOrDefault(codePoint, "");
  }

  /** The character that closes a text opened by this typographic quote; 0 for other characters. */
  static int closingQuote(int codePoint) {
    return switch (codePoint) {
      case 0x201C, 0x201E, 0x201F, 0x201D -> 0x201D;
      case 0x2018, 0x201A, 0x201B, 0x2019 -> 0x2019;
      case 0x00AB -> 0x00BB;
      default -> 0;
    };
  }

  /** {@code '×' (U+00D7 MULTIPLICATION SIGN)}. */
  static String describe(int codePoint) {
    String name = Character.getName(codePoint);
    String number = String.format("U+%04X", codePoint);
    String shown = isPrintable(codePoint) ? "'" + Character.toString(codePoint) + "' (" : "(";
    return shown + number + (name == null ? "" : " " + name) + ")";
  }

  private static boolean isPrintable(int codePoint) {
    return switch (Character.getType(codePoint)) {
      case Character.CONTROL,
          Character.FORMAT,
          Character.SURROGATE,
          Character.UNASSIGNED,
          Character.PRIVATE_USE,
          Character.SPACE_SEPARATOR,
          Character.LINE_SEPARATOR,
          Character.PARAGRAPH_SEPARATOR ->
          false;
      default -> true;
    };
  }

  static boolean isInvisible(int codePoint) {
    return !isPrintable(codePoint);
  }
}
