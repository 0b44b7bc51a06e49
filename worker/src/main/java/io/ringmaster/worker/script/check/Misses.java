package io.ringmaster.worker.script.check;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
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
  static final int MOST = 64;

  /** Differences that are looked at when the script puts them in order. */
  private static final int MOST_SEEN = 1024;

  /**
   * A comparison that missed.
   *
   * @param reads bytes of outputs that it looked at, also when it was made again for the same rank
   * @param apart which of the elements that it looked at are far from the golden, where it holds
   *     all the same; empty where it doesn't
   */
  public record Miss(Claim claim, Reads reads, BitSet apart) {

    Miss(Claim claim, Reads reads) {
      this(claim, reads, new BitSet());
    }

    /** Of one that holds; empty when nothing is far from the golden, and where nobody knows. */
    static Optional<Miss> ofHolding(Claim claim) {
      return claim
          .farApart()
          .filter(apart -> !apart.isEmpty())
          .map(apart -> new Miss(claim, claim.origin().reads(), apart));
    }

    /** The comparison and what it found. */
    public String words() {
      if (!apart.isEmpty()) {
        return far();
      }
      String found = claim.facts().explanation();
      return claim.name()
          + " (line "
          + claim.line()
          + ") found a difference"
          + (found.isEmpty() ? "" : " (" + found + ")");
    }

    private String far() {
      int count = apart.cardinality();
      return count
          + " of "
          + claim.size()
          + " elements "
          + (count == 1 ? "is" : "are")
          + " far from the golden, first element "
          + apart.nextSetBit(0);
    }

    public int line() {
      return claim.line();
    }

    /** What tells it from others, also in another reading. */
    public List<Object> place() {
      return List.of(claim.name(), claim.line());
    }

    /** The values that it was held against, as many as it looked at; empty where nobody knows. */
    public Optional<double[]> golden() {
      return claim.goldenValues();
    }
  }

  private record Key(String name, int line, List<Object> place) {}

  /** By case and line. */
  private final Map<String, Map<Integer, List<Claim>>> distances = new LinkedHashMap<>();

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

  /** A difference that was summed up, with the others that the same line has summed up. */
  void distance(Claim claim, String test) {
    List<Claim> line =
        distances
            .computeIfAbsent(test, made -> new LinkedHashMap<>())
            .computeIfAbsent(claim.line(), made -> new ArrayList<>());
    if (line.size() < MOST) {
      line.add(claim);
    }
  }

  /**
   * Differences that are far off, of lines that have also summed up what a check looks at: as of an
   * error that the next rank's takes the name of.
   */
  private List<Miss> far(String test, Reads looked) {
    List<Miss> far = new ArrayList<>();
    for (List<Claim> line : distances.getOrDefault(test, Map.of()).values()) {
      boolean used = line.stream().anyMatch(one -> !one.origin().reads().within(looked).isEmpty());
      line.stream()
          .filter(claim -> used && !claim.holds() && line.size() > 1)
          .map(claim -> new Miss(claim, claim.origin().reads()))
          .forEach(far::add);
    }
    return far;
  }

  /**
   * Those of a case that the script didn't ask for, as it does by {@code assert not equal}.
   *
   * @param looked what the checks look at that count
   */
  List<Miss> of(String test, Reads looked) {
    List<Miss> unwanted = new ArrayList<>();
    for (Miss miss : cases.getOrDefault(test, Map.of()).values()) {
      if (!miss.claim().isWantedMiss() && !miss.reads().isEmpty()) {
        unwanted.add(miss);
      }
    }
    far(test, looked).stream().filter(miss -> !miss.reads().isEmpty()).forEach(unwanted::add);
    return unwanted;
  }
}
