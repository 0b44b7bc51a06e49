package io.ringmaster.worker.script.check;

import java.util.ArrayDeque;
import java.util.Optional;

/**
 * Comparisons of what a kernel wrote that no check was made of yet. They may be all that there is
 * to say of a failure: {@code assert not bad} comes after them, with a list that they went into.
 */
final class Differences {

  private static final int MOST = 64;

  private final ArrayDeque<Claim> noticed = new ArrayDeque<>();

  void notice(Claim claim) {
    if (noticed.size() == MOST) {
      noticed.removeFirst();
    }
    noticed.addLast(claim);
  }

  /** A check was made. */
  void forget() {
    noticed.clear();
  }

  /** The first comparison that found a difference, in a sentence. */
  Optional<String> first() {
    return noticed.stream()
        .filter(claim -> claim.facts().mismatches() > 0 && !claim.facts().explanation().isEmpty())
        .findFirst()
        .map(
            claim ->
                "line %d: %s: %s"
                    .formatted(claim.line(), claim.name(), claim.facts().explanation()));
  }
}
