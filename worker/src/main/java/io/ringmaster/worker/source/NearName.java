package io.ringmaster.worker.source;

import java.util.Collection;
import java.util.Comparator;
import java.util.Locale;
import java.util.Optional;

/**
 * Finds the known name that an unknown one was most likely meant to be. The one rule of how near is
 * near enough: for scripts, kernels, requests and options alike.
 */
public final class NearName {

  /** Longer names aren't compared, letter by letter, with all that are known. */
  private static final int LONGEST = 64;

  /** More names than a readable source has; each is compared letter by letter. */
  private static final int MOST_COMPARED = 2_000;

  private NearName() {}

  /**
   * The closest of {@code known} by single-character edits, whatever the case; of several the first
   * in the alphabet. A name may differ in a third of its letters, one of two letters in one, and
   * what has one letter in its case alone: a short name is near to nearly everything.
   */
  public static Optional<String> of(String given, Collection<String> known) {
    if (given.length() > LONGEST || known.size() > MOST_COMPARED) {
      return Optional.empty();
    }
    int most = given.length() < 3 ? given.length() - 1 : given.length() / 3;
    return known.stream()
        .filter(name -> distance(given, name) <= most)
        // OUT doesn't stand for oct, though FLOAT32 does for float32.
        .filter(name -> !isConstant(given) || !isLower(name) || distance(given, name) == 0)
        .min(
            Comparator.comparingInt((String name) -> distance(given, name))
                .thenComparing(Comparator.naturalOrder()));
  }

  private static boolean isConstant(String name) {
    return name.length() > 1
        && name.equals(name.toUpperCase(Locale.ROOT))
        && !name.equals(name.toLowerCase(Locale.ROOT));
  }

  private static boolean isLower(String name) {
    return name.equals(name.toLowerCase(Locale.ROOT));
  }

  /** Edits that turn one text into the other; swapped neighbours count once. */
  private static int distance(String given, String name) {
    if (Math.abs(given.length() - name.length()) > LONGEST / 3) {
      return Integer.MAX_VALUE;
    }
    String from = given.toLowerCase(Locale.ROOT);
    String to = name.toLowerCase(Locale.ROOT);
    int[][] cost = new int[from.length() + 1][to.length() + 1];
    for (int i = 0; i <= from.length(); i++) {
      for (int j = 0; j <= to.length(); j++) {
        if (i == 0 || j == 0) {
          cost[i][j] = i + j;
          continue;
        }
        int change = from.charAt(i - 1) == to.charAt(j - 1) ? 0 : 1;
        cost[i][j] =
            Math.min(cost[i - 1][j - 1] + change, Math.min(cost[i - 1][j], cost[i][j - 1]) + 1);
        if (i > 1
            && j > 1
            && from.charAt(i - 1) == to.charAt(j - 2)
            && from.charAt(i - 2) == to.charAt(j - 1)) {
          cost[i][j] = Math.min(cost[i][j], cost[i - 2][j - 2] + 1);
        }
      }
    }
    return cost[from.length()][to.length()];
  }
}
