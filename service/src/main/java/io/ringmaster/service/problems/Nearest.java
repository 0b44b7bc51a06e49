package io.ringmaster.service.problems;

import java.util.Collection;
import java.util.Comparator;
import java.util.Optional;

/** Finds the name that somebody probably meant. */
public final class Nearest {

  private Nearest() {}

  /** The closest of {@code names}, unless even that one is nothing like {@code given}. */
  public static Optional<String> to(String given, Collection<String> names) {
    int most = Math.max(1, Math.min(given.length(), 12) / 3 + 1);
    return names.stream()
        .filter(name -> distance(given, name) <= most)
        .min(
            Comparator.comparingInt((String name) -> distance(given, name))
                .thenComparing(name -> name));
  }

  /** A sentence for a message: a suggestion if there is a likely one, else all names. */
  public static String hint(String given, Collection<String> names) {
    return to(given, names)
        .map(name -> "Did you mean " + name + "?")
        .orElseGet(
            () ->
                names.isEmpty()
                    ? "None are known here."
                    : "Known: " + String.join(", ", names) + ".");
  }

  /** Number of single-character edits, regardless of case; cut short for very unlike lengths. */
  private static int distance(String left, String right) {
    if (Math.abs(left.length() - right.length()) > 6) {
      return Integer.MAX_VALUE;
    }
    int[] row = new int[right.length() + 1];
    for (int j = 0; j < row.length; j++) {
      row[j] = j;
    }
    for (int i = 1; i <= left.length(); i++) {
      int diagonal = row[0];
      row[0] = i;
      for (int j = 1; j < row.length; j++) {
        int above = row[j];
        boolean same =
            Character.toLowerCase(left.charAt(i - 1)) == Character.toLowerCase(right.charAt(j - 1));
        row[j] = Math.min(Math.min(above, row[j - 1]) + 1, diagonal + (same ? 0 : 1));
        diagonal = above;
      }
    }
    return row[right.length()];
  }
}
