package io.ringmaster.worker.script.check;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * What the comparisons of a reading were held against, and what trials have shown that they are
 * held against when an output is another one.
 */
final class Goldens {

  /** Comparisons of which goldens are told apart. */
  static final int MOST = 1024;

  /** Other goldens of a comparison that are tried. */
  private static final int EACH = 6;

  /** Comparisons of a case, whatever becomes of them, of which the goldens are kept. */
  private static final int MOST_BESIDE = 32;

  /** What an output has to be off, in parts of its largest value, to be something else. */
  private static final double ELSE = 1.0 / 16;

  /** And in tolerances of the checks that count. */
  private static final double TOLERANCES = 4;

  private static final int[] NONE = {};

  /** In a trial, by the comparison's key. */
  private final Map<String, double[]> noted = new HashMap<>();

  private final IdentityHashMap<Claim, List<double[]>> others = new IdentityHashMap<>();
  private final Map<String, List<Beside>> beside = new HashMap<>();

  /** What an output was held against, perhaps to choose the golden that it is checked with. */
  @SuppressWarnings("ArrayRecordComponent") // Compared by hand.
  private record Beside(Reads reads, double[] values) {}

  /** A comparison was made, whatever becomes of it. */
  void beside(Claim claim, String test) {
    List<Beside> known = beside.computeIfAbsent(test, _ -> new ArrayList<>());
    if (known.size() < MOST_BESIDE) {
      claim
          .goldenValues()
          .ifPresent(values -> known.add(new Beside(claim.origin().reads(), values)));
    }
  }

  /** In a trial: keeps what a comparison is held against. */
  void note(String key, Claim claim) {
    claim.goldenValues().ifPresent(values -> noted.put(key, values));
  }

  /**
   * Takes the goldens that a trial has noted in the place of this reading's.
   *
   * @param mine this reading's comparisons by their keys
   * @param theirs the trial's
   */
  void take(Map<String, Claim> mine, Map<String, Claim> theirs, Goldens trial) {
    mine.forEach(
        (key, claim) -> {
          Claim there = theirs.get(key);
          double[] values = trial.noted.get(key);
          List<double[]> known = others.computeIfAbsent(claim, made -> new ArrayList<>());
          if (there != null
              && values != null
              && claim.hasOtherGolden(there)
              && known.size() < EACH
              && known.stream().noneMatch(one -> Arrays.equals(one, values))) {
            known.add(values);
          }
        });
  }

  /**
   * What an output would hold if it held, where one of the comparisons looks at it, the golden that
   * the script takes when something else is in it.
   *
   * @param values what it holds
   */
  List<double[]> in(Output output, double[] values, Stream<Claim> claims) {
    List<double[]> all = new ArrayList<>();
    claims.forEach(
        claim -> {
          List<double[]> known = others.getOrDefault(claim, List.of());
          int[] places = known.isEmpty() ? NONE : output.numbers(claim.origin().reads());
          for (double[] golden : known) {
            if (golden.length == places.length && all.size() < EACH) {
              all.add(with(values, places, golden));
            }
          }
        });
    return all;
  }

  /**
   * What an output would hold if it held what a case has held it against somewhere, perhaps to
   * choose its golden; without what any tolerance takes for the same.
   *
   * @param values what it holds
   * @param claims the checks of the case that count
   */
  List<double[]> beside(String test, Output output, double[] values, List<Claim> claims) {
    List<double[]> all = new ArrayList<>();
    List<Beside> known = beside.getOrDefault(test, List.of());
    BitSet looked = new BitSet();
    for (Claim claim : claims) {
      Arrays.stream(output.numbers(claim.origin().reads())).forEach(looked::set);
    }
    List<double[]> held =
        known.size() < 2
            ? List.of()
            : claims.stream().map(Claim::goldenValues).flatMap(Optional::stream).toList();
    for (Beside other : known.size() < 2 ? List.<Beside>of() : known) {
      if (held.stream().anyMatch(golden -> Arrays.equals(golden, other.values()))) {
        continue; // That the script is content with its golden says nothing.
      }
      double[] changed = with(values, output.numbers(other.reads()), other.values());
      for (int at = looked.nextClearBit(0); at < values.length; at = looked.nextClearBit(at + 1)) {
        changed[at] = values[at]; // What no check looks at is told elsewhere.
      }
      if (all.size() < EACH
          && isElse(changed, values, claims)
          && all.stream().noneMatch(one -> Arrays.equals(one, changed))) {
        all.add(changed);
      }
    }
    return all;
  }

  /** An output with other values in some places; as it is where they aren't as many. */
  private static double[] with(double[] values, int[] places, double[] others) {
    double[] changed = values.clone();
    for (int i = 0; i < places.length && others.length == places.length; i++) {
      changed[places[i]] = others[i];
    }
    return changed;
  }

  /** Whether an output would hold something that no tolerance takes for the same. */
  private static boolean isElse(double[] changed, double[] values, List<Claim> claims) {
    double largest = 0;
    double apart = 0;
    for (int i = 0; i < values.length; i++) {
      largest = Math.max(largest, Math.abs(values[i]));
      apart = Math.max(apart, Math.abs(changed[i] - values[i]));
    }
    double rtol = ELSE;
    double atol = 0;
    for (Claim claim : claims) {
      rtol = Math.max(rtol, TOLERANCES * claim.allowed().rtol());
      atol = Math.max(atol, TOLERANCES * claim.allowed().atol());
    }
    return apart > rtol * largest + atol;
  }
}
