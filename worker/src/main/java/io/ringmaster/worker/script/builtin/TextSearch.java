package io.ringmaster.worker.script.builtin;

import io.ringmaster.worker.stop.StopOrder;

/**
 * Looks for a text in another in time that grows with their lengths, not with the product of them,
 * whatever the texts are: by the method of Knuth, Morris and Pratt.
 */
final class TextSearch {

  /** Plain search of parts up to this length compares few characters at each place. */
  private static final int SHORT = 16;

  private final String text;
  private final int from;
  private final int end;
  private final String part;
  private final boolean backwards;

  private TextSearch(String text, int from, int end, String part, boolean backwards) {
    this.text = text;
    this.from = from;
    this.end = end;
    this.part = part;
    this.backwards = backwards;
  }

  static boolean contains(String text, String part) {
    return first(text, part, 0) >= 0;
  }

  /** Where {@code part} first stands at or after {@code from}; -1 when it doesn't. */
  static int first(String text, String part, int from) {
    if (part.length() <= SHORT) {
      return text.indexOf(part, from);
    }
    int at = new TextSearch(text, from, text.length(), part, false).find();
    return at < 0 ? -1 : from + at;
  }

  /** Where {@code part} last stands before {@code end}; -1 when it doesn't. */
  static int last(String text, String part, int end) {
    if (part.length() <= SHORT) {
      return text.lastIndexOf(part, end - part.length());
    }
    int at = new TextSearch(text, 0, end, part, true).find();
    return at < 0 ? -1 : end - at - part.length();
  }

  private char inText(int index) {
    return text.charAt(backwards ? end - 1 - index : from + index);
  }

  private char inPart(int index) {
    return part.charAt(backwards ? part.length() - 1 - index : index);
  }

  private int find() {
    if (part.length() > end - from) {
      return -1;
    }
    int[] borders = borders();
    int matched = 0;
    for (int at = 0; at < end - from; at++) {
      StopOrder.look(at);
      while (matched > 0 && inText(at) != inPart(matched)) {
        matched = borders[matched - 1];
      }
      if (inText(at) == inPart(matched) && ++matched == part.length()) {
        return at + 1 - matched;
      }
    }
    return -1;
  }

  /** For each beginning of the part, how much of its end is a beginning again. */
  private int[] borders() {
    int[] borders = new int[part.length()];
    int matched = 0;
    for (int at = 1; at < part.length(); at++) {
      StopOrder.look(at);
      while (matched > 0 && inPart(at) != inPart(matched)) {
        matched = borders[matched - 1];
      }
      if (inPart(at) == inPart(matched)) {
        matched++;
      }
      borders[at] = matched;
    }
    return borders;
  }
}
