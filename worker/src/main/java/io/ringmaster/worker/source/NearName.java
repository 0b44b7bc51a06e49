package io.ringmaster.worker.source;

import java.util.Arrays;
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

  /** Names of so few letters that another letter makes another word: svd and std. */
  private static final int SHORT = 3;

  private NearName() {}

  /**
   * The closest of {@code known} by single-character edits, whatever the case; of several the first
   * in the alphabet. A name may differ in a third of its letters, one of two letters in one, and
   * what has one letter in its case alone: a short name is near to nearly everything. So none of
   * three letters or less has another letter in the place of one. Each part of a path, as in {@code
   * torch.linalg.norm}, has to be near by itself: a long module doesn't bring two functions nearer.
   */
  public static Optional<String> of(String given, Collection<String> known) {
    if (given.length() > LONGEST || known.size() > MOST_COMPARED) {
      return Optional.empty();
    }
    return known.stream()
        .filter(name -> isNear(given, name))
        // OUT doesn't stand for oct, though FLOAT32 does for float32.
        .filter(name -> !isConstant(given) || !isLower(name) || distance(given, name) == 0)
        .min(
            Comparator.comparingInt((String name) -> distance(given, name))
                .thenComparing(Comparator.naturalOrder()));
  }

  private static boolean isNear(String given, String name) {
    String[] parts = given.split("\\.", -1);
    String[] others = name.split("\\.", -1);
    if (parts.length != others.length) {
      return false;
    }
    for (int i = 0; i < parts.length; i++) {
      if (!isPartNear(parts[i], others[i])) {
        return false;
      }
    }
    return true;
  }

  private static boolean isPartNear(String given, String name) {
    int length = given.length();
    if (length <= SHORT && length == name.length() && !isSwapped(given, name)) {
      return given.equalsIgnoreCase(name);
    }
    return distance(given, name) <= (length < SHORT ? length - 1 : length / 3);
  }

  /** True for the same letters in another order. */
  private static boolean isSwapped(String given, String name) {
    return Arrays.equals(
        given.toLowerCase(Locale.ROOT).chars().sorted().toArray(),
        name.toLowerCase(Locale.ROOT).chars().sorted().toArray());
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
