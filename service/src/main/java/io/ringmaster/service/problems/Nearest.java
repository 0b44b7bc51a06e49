package io.ringmaster.service.problems;

import io.ringmaster.worker.source.NearName;
import java.util.Collection;
import java.util.Optional;

/** Says which name somebody probably meant. */
public final class Nearest {

  private Nearest() {}

  /** The closest of {@code names}, unless even that one is nothing like {@code given}. */
  public static Optional<String> to(String given, Collection<String> names) {
    return NearName.of(given, names);
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
}
