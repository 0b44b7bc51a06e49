package io.ringmaster.worker.script.check;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Comparisons that found what a kernel wrote to be something else than a golden, whatever the
 * script made of that.
 */
public final class Misses {

  /** Misses that are told apart in a case; of further ones nothing is known. */
  private static final int MOST = 64;

  /** Differences that are looked at when the script puts them in order. */
  private static final int MOST_SEEN = 1024;

  /**
   * A comparison that missed.
   *
   * @param reads bytes of outputs that it looked at, also when it was made again for the same rank
   */
  public record Miss(Claim claim, Reads reads) {

    /** The comparison and what it found. */
    public String words() {
      String found = claim.facts().explanation();
      return claim.name()
          + " (line "
          + claim.line()
          + ") found a difference"
          + (found.isEmpty() ? "" : " (" + found + ")");
    }

    public int line() {
      return claim.line();
    }

    /** The values that it was held against, as many as it looked at; empty where nobody knows. */
    public Optional<double[]> golden() {
      return claim.goldenValues();
    }
  }

  private record Key(String name, int line, List<Object> place) {}

  private final IdentityHashMap<TensorPair, Boolean> seen = new IdentityHashMap<>();

  private final Map<String, Map<Key, Miss>> cases = new LinkedHashMap<>();

  /** True the first time that a difference is asked for, and only so many times. */
  boolean isNew(TensorPair difference) {
    return seen.size() < MOST_SEEN && seen.put(difference, true) == null;
  }

  void notice(Claim claim, String test) {
    Map<Key, Miss> misses = cases.get(test);
    if ((misses == null || misses.size() < MOST) && claim.isMiss()) {
      Reads reads = claim.origin().reads();
      cases
          .computeIfAbsent(test, made -> new LinkedHashMap<>())
          .merge(
              new Key(claim.name(), claim.line(), place(reads, claim.isOfNumbers())),
              new Miss(claim, reads),
              (one, other) -> new Miss(one.claim(), one.reads().and(other.reads())));
    }
  }

  /** What tells one place from another; of single numbers, the index along the first axis. */
  private static List<Object> place(Reads reads, boolean numbers) {
    if (reads.isEmpty()) {
      return List.of();
    }
    Output output = reads.outputs().getFirst();
    long[] elements = output.elements(reads);
    Object at = numbers ? elements[0] / output.row() : Arrays.hashCode(elements);
    return List.of(System.identityHashCode(output), at);
  }

  /** Those of a case that the script didn't ask for, as it does by {@code assert not equal}. */
  List<Miss> of(String test) {
    List<Miss> unwanted = new ArrayList<>();
    for (Miss miss : cases.getOrDefault(test, Map.of()).values()) {
      if (!miss.claim().isWantedMiss() && !miss.reads().isEmpty()) {
        unwanted.add(miss);
      }
    }
    return unwanted;
  }
}
