package io.ringmaster.worker.script.value;

import io.ringmaster.worker.source.NearName;
import java.util.Collection;
import java.util.List;

/** Says which known name an unknown one most likely stands for. */
public final class Nearest {

  private static final int LISTED = 12;

  /** More names than anybody wants to see, or to have sorted. */
  private static final int MOST_SORTED = 2_000;

  private Nearest() {}

  /** A hint with the nearest known name, or with all of them when none is near. */
  public static String hint(String wanted, Collection<String> known) {
    String near = near(wanted, known);
    if (!near.isEmpty() || known.isEmpty() || known.size() > MOST_SORTED) {
      return near;
    }
    List<String> sorted = known.stream().sorted().toList();
    return sorted.size() <= LISTED
        ? "known: " + String.join(", ", sorted)
        : "known: " + String.join(", ", sorted.subList(0, LISTED)) + ", ...";
  }

  /** A hint with the nearest known name; empty when none is near. */
  public static String near(String wanted, Collection<String> known) {
    return NearName.of(wanted, known).map(name -> "did you mean '" + name + "'?").orElse("");
  }
}
