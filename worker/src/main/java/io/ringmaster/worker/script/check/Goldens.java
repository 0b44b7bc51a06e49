package io.ringmaster.worker.script.check;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
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

  private static final int[] NONE = {};

  /** In a trial, by the comparison's key. */
  private final Map<String, double[]> noted = new HashMap<>();

  private final IdentityHashMap<Claim, List<double[]>> others = new IdentityHashMap<>();

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
              double[] changed = values.clone();
              for (int i = 0; i < places.length; i++) {
                changed[places[i]] = golden[i];
              }
              all.add(changed);
            }
          }
        });
    return all;
  }
}
