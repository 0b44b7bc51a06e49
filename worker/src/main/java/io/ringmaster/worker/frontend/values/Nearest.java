package io.ringmaster.worker.frontend.values;

import java.util.Collection;
import java.util.Optional;

/** Finds the known name that a misspelt one was probably meant to be. */
public final class Nearest {

  /** Longer names aren't compared, letter by letter, with all that are known. */
  private static final int LONGEST = 64;

  private Nearest() {}

  /** The closest of {@code known} by edit distance, if it is close enough to be a guess. */
  public static Optional<String> to(String wanted, Collection<String> known) {
    if (wanted.length() > LONGEST) {
      return Optional.empty();
    }
    int limit = Math.max(1, wanted.length() / 3);
    String best = "";
    int bestDistance = limit + 1;
    for (String candidate : known) {
      int distance = distance(wanted, candidate, bestDistance);
      if (distance < bestDistance) {
        best = candidate;
        bestDistance = distance;
      }
    }
    return best.isEmpty() ? Optional.empty() : Optional.of(best);
  }

  /** {@code did you mean 'x'?}, or {@code otherwise} when nothing is close. */
  public static String hint(String wanted, Collection<String> known, String otherwise) {
    return to(wanted, known).map(name -> "did you mean '" + name + "'?").orElse(otherwise);
  }

  private static int distance(String a, String b, int limit) {
    if (Math.abs(a.length() - b.length()) >= limit) {
      return limit;
    }
    int[] previous = new int[b.length() + 1];
    for (int j = 0; j <= b.length(); j++) {
      previous[j] = j;
    }
    for (int i = 1; i <= a.length(); i++) {
      int[] current = new int[b.length() + 1];
      current[0] = i;
      for (int j = 1; j <= b.length(); j++) {
        int cost = same(a.charAt(i - 1), b.charAt(j - 1)) ? 0 : 1;
        current[j] = Math.min(Math.min(current[j - 1], previous[j]) + 1, previous[j - 1] + cost);
      }
      previous = current;
    }
    return previous[b.length()];
  }

  private static boolean same(char a, char b) {
    return Character.toLowerCase(a) == Character.toLowerCase(b);
  }
}
