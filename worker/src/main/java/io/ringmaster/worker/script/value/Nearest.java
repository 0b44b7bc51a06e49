package io.ringmaster.worker.script.value;

import java.util.Collection;
import java.util.List;
import java.util.Locale;

/** Finds the known name that an unknown one most likely stands for. */
public final class Nearest {

  private static final int LISTED = 12;

  /** More names than a readable source has; each is compared letter by letter. */
  private static final int MOST_COMPARED = 2_000;

  private Nearest() {}

  /** A hint with the nearest known name, or with all of them when none is near. */
  public static String hint(String wanted, Collection<String> known) {
    if (known.size() > MOST_COMPARED) {
      return "";
    }
    String near = near(wanted, known);
    if (!near.isEmpty() || known.isEmpty()) {
      return near;
    }
    List<String> sorted = known.stream().sorted().toList();
    return sorted.size() <= LISTED
        ? "known: " + String.join(", ", sorted)
        : "known: " + String.join(", ", sorted.subList(0, LISTED)) + ", ...";
  }

  /** A hint with the nearest known name; empty when none is near. */
  public static String near(String wanted, Collection<String> known) {
    if (known.size() > MOST_COMPARED) {
      return "";
    }
    List<String> sorted = known.stream().sorted().toList();
    String best = "";
    // A short name is near to nearly everything; only longer ones may differ in more letters.
    int least = (wanted.length() < 3 ? wanted.length() - 1 : Math.max(1, wanted.length() / 3)) + 1;
    boolean isConstant = isConstant(wanted);
    for (String name : sorted) {
      int distance = distance(wanted.toLowerCase(Locale.ROOT), name.toLowerCase(Locale.ROOT));
      // OUT doesn't stand for oct, though FLOAT32 does for float32.
      boolean fits = distance == 0 || !isConstant || !isLower(name);
      if (fits && distance < least) {
        least = distance;
        best = name;
      }
    }
    return best.isEmpty() ? "" : "did you mean '" + best + "'?";
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
  private static int distance(String from, String to) {
    if (Math.abs(from.length() - to.length()) > 6 || from.length() > 64) {
      return Integer.MAX_VALUE;
    }
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
