package io.ringmaster.worker.script;

import io.ringmaster.worker.script.OtherValues.Place;
import io.ringmaster.worker.script.check.CheckBook;
import io.ringmaster.worker.script.check.Launch;
import io.ringmaster.worker.script.check.Nans;
import io.ringmaster.worker.script.check.Output;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiPredicate;
import java.util.function.Predicate;
import java.util.stream.IntStream;

/**
 * Sees to it that no case is green with a NaN of a kernel that its checks look at and don't notice,
 * or with an infinity that they leave out. Numbers are put in the place of what is none: a script
 * that turns red then has looked there.
 */
final class NanTrials {

  /** Outputs that are tried one by one; further ones are taken as the first reading shows them. */
  private static final int MOST = 16;

  /** Elements that are made infinite by themselves, from the first to the last. */
  private static final int SINGLE = 4;

  private final KernelTape tape;
  private final List<Launch> launches;
  private final Trials trials;
  private final CheckBook checks;
  private final Nans nans;
  private final Set<String> overlooking = new LinkedHashSet<>();

  NanTrials(KernelTape tape, List<Launch> launches, Trials trials, CheckBook checks) {
    this.tape = tape;
    this.launches = launches;
    this.trials = trials;
    this.checks = checks;
    this.nans = new Nans(checks);
  }

  /**
   * An output with elements that are no numbers.
   *
   * @param kept false where it is too large
   * @param overflown true where the kernel made infinities of numbers
   */
  private record Hole(
      Place place, Output output, BitSet elements, long all, boolean kept, boolean overflown) {

    Hole with(BitSet others) {
      return new Hole(place, output, others, all, kept, overflown);
    }
  }

  /**
   * Takes from the cases that overlook something what their checks would count for.
   *
   * @param mayTry false for a case that can't be read again
   * @return these cases
   */
  Set<String> decide(Predicate<String> mayTry) {
    List<Hole> holes = new ArrayList<>();
    for (Hole hole : holes(/* infinite= */ false)) {
      BitSet left = nans.unaccounted(hole.output(), hole.elements());
      if (!left.isEmpty()) {
        holes.add(hole.with(left));
      }
    }
    overlook(
        holes,
        Mutation.Kind.FAR_AT_NANS,
        "NaN",
        mayTry,
        (test, hole) -> !hole.kept() || !knowsWhereNanIs(test, hole));
    List<Hole> infinite = holes(/* infinite= */ true);
    overlook(
        infinite,
        Mutation.Kind.FAR_AT_INFINITIES,
        "infinite",
        mayTry,
        (test, hole) ->
            (hole.overflown() && nans.isReplaced(test, hole.output(), hole.elements()))
                || !noticesInfinities(test, infinite));
    return overlooking;
  }

  /**
   * True for a case that also notices one more NaN, wherever it is, and the numbers that it holds
   * the output against in the place of those that are: as where {@code torch.isnan} of both sides
   * has to be equal.
   */
  private boolean knowsWhereNanIs(String test, Hole hole) {
    KernelTape.Launch taped = tape.launches().get(hole.place().launch());
    Kept kept = taped.kept().get(hole.place().argument());
    if (kept == null) {
      return false;
    }
    BitSet numbers = hole.output().writtenPlaces();
    numbers.andNot(hole.elements());
    // One among others: what is NaN as a whole because of one of them doesn't tell where.
    if (isBlindTo(test, hole, Double.NaN, some(numbers), kept)
        || isBlindTo(test, hole, 0, some(hole.elements()), kept)) {
      return false;
    }
    for (double[] others : nans.numbers(test, hole.output(), kept.values(), hole.elements())) {
      if (!trials.reads(Map.of(hole.place(), Mutation.to(others))).isRed(test)) {
        return false;
      }
    }
    return !trials.areOver();
  }

  /** Some of the elements, the first and the last among them; none where there are none. */
  private static int[] some(BitSet elements) {
    int[] places = elements.stream().toArray();
    int count = Math.min(SINGLE, places.length);
    return IntStream.range(0, count)
        .map(i -> places[(int) ((long) i * (places.length - 1) / Math.max(1, count - 1))])
        .toArray();
  }

  /** True when a value at one of some places isn't noticed, or there are none. */
  private boolean isBlindTo(String test, Hole hole, double value, int[] places, Kept kept) {
    for (int at : places) {
      double[] values = kept.values();
      values[at] = value;
      if (!trials.reads(Map.of(hole.place(), Mutation.to(values))).isRed(test)) {
        return true;
      }
    }
    return places.length == 0;
  }

  /** Where the checks leave infinities out, they also hold when there is nothing else. */
  private boolean noticesInfinities(String test, List<Hole> holes) {
    Map<Place, Mutation> moved = new LinkedHashMap<>();
    holes.forEach(hole -> moved.put(hole.place(), Mutation.all(Mutation.Kind.INFINITE)));
    return trials.reads(moved).isRed(test)
        && holes.stream().filter(Hole::kept).anyMatch(hole -> noticesOne(test, hole));
  }

  /** Among numbers, too: of nothing but infinities something may still be said. */
  private boolean noticesOne(String test, Hole hole) {
    BitSet finite = hole.output().writtenPlaces();
    finite.andNot(hole.elements());
    int[] places = finite.stream().toArray();
    if (places.length == 0) {
      return true;
    }
    for (int i = 0; i < SINGLE; i++) {
      int at = places[(int) ((long) i * (places.length - 1) / (SINGLE - 1))];
      Mutation one = new Mutation(Mutation.Kind.INFINITE, at, at + 1L, null);
      if (trials.reads(Map.of(hole.place(), one)).isRed(test)) {
        return true;
      }
    }
    return false;
  }

  private List<Hole> holes(boolean infinite) {
    List<Hole> holes = new ArrayList<>();
    for (int i = 0; i < Math.min(launches.size(), tape.launches().size()); i++) {
      KernelTape.Launch taped = tape.launches().get(i);
      int number = 0;
      for (int argument = 0; argument < taped.kept().size(); argument++) {
        if (taped.outputs().get(argument) == null || number >= launches.get(i).outputs().size()) {
          continue;
        }
        Output output = launches.get(i).outputs().get(number++);
        Kept kept = taped.kept().get(argument);
        BitSet found =
            kept == null
                ? infinite ? new BitSet() : taped.nans().get(argument)
                : kept.places(infinite ? Double::isInfinite : Double::isNaN);
        BitSet written = output.writtenPlaces();
        found = (BitSet) found.clone();
        found.and(written);
        if (!found.isEmpty()) {
          holes.add(
              new Hole(
                  new Place(i, argument),
                  output,
                  found,
                  written.cardinality(),
                  kept != null,
                  taped.overflown()));
        }
      }
    }
    return holes;
  }

  private void overlook(
      List<Hole> holes,
      Mutation.Kind kind,
      String what,
      Predicate<String> mayTry,
      BiPredicate<String, Hole> blind) {
    List<String> holding = trials.green(checks);
    List<Hole> kept = holding.stream().anyMatch(mayTry) ? kept(holes) : List.of();
    if (!kept.isEmpty()) {
      Map<Place, Mutation> moved = new LinkedHashMap<>();
      kept.forEach(hole -> moved.put(hole.place(), Mutation.all(kind)));
      Trials.Reread together = trials.reads(moved);
      List<String> looking = holding.stream().filter(mayTry).filter(together::isRed).toList();
      for (int i = 0; i < kept.size() && !looking.isEmpty(); i++) {
        Hole hole = kept.get(i);
        Trials.Reread alone =
            kept.size() == 1 || i >= MOST
                ? together
                : trials.reads(Map.of(hole.place(), Mutation.all(kind)));
        looking.stream()
            .filter(alone::isRed)
            .filter(test -> isTold(test, hole, kept))
            .filter(test -> blind.test(test, hole))
            .forEach(test -> overlooked(test, hole, what));
      }
    }
    for (Hole hole : holes) {
      holding.stream()
          .filter(test -> !(hole.kept() && mayTry.test(test)))
          .filter(test -> kind == Mutation.Kind.FAR_AT_NANS || mayTry.test(test))
          .filter(test -> nans.isLookedAt(test, hole.output(), hole.elements()))
          .forEach(test -> overlooked(test, hole, what));
    }
  }

  private static List<Hole> kept(List<Hole> holes) {
    return holes.stream().filter(Hole::kept).toList();
  }

  /** Of further outputs only those count that the case is known to look at. */
  private boolean isTold(String test, Hole hole, List<Hole> kept) {
    return kept.indexOf(hole) < MOST || nans.isLookedAt(test, hole.output(), hole.elements());
  }

  private void overlooked(String test, Hole hole, String what) {
    nans.overlooked(test, hole.output(), hole.elements(), hole.all(), what);
    overlooking.add(test);
  }
}
