package io.ringmaster.worker.script.value;

import io.ringmaster.worker.source.NearName;
import java.util.Collection;

/** Says which known name an unknown one most likely stands for. */
public final class Nearest {

  private static final int LISTED = 12;

  private Nearest() {}

  /**
   * A hint with the nearest known name, or with all of them when none is near and they are few: the
   * first of many, in the alphabet, help nobody.
   */
  public static String hint(String wanted, Collection<String> known) {
    String near = near(wanted, known);
    return near.isEmpty() && !known.isEmpty() && known.size() <= LISTED
        ? "known: " + String.join(", ", known.stream().sorted().toList())
        : near;
  }

  /** A hint with the nearest known name; empty when none is near. */
  public static String near(String wanted, Collection<String> known) {
    return NearName.of(wanted, known).map(name -> "did you mean '" + name + "'?").orElse("");
  }
}
