package io.ringmaster.worker.script.check;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** What came out of one expression, time after time, and what of it changed in other readings. */
final class Outcomes {

  private final BitSet held = new BitSet();
  private final BitSet changed = new BitSet();
  private final BitSet higher = new BitSet();
  private final BitSet lower = new BitSet();
  private final List<Long> sizes = new ArrayList<>();

  /** What the sides looked like in a reading, comparison by comparison. */
  private final Map<Integer, Print> prints = new HashMap<>();

  /** Which elements of the sides changed from one reading to another. */
  private final Map<Integer, Print.Moves> moves = new HashMap<>();

  /** How far each other reading came. */
  private int[] reached = new int[0];

  /** Adds one and says which it is. */
  int add(boolean holds, long size, Optional<Print> print) {
    int place = sizes.size();
    held.set(place, holds);
    sizes.add(size);
    print.ifPresent(sides -> prints.put(place, sides));
    return place;
  }

  int count() {
    return sizes.size();
  }

  boolean held(int place) {
    return held.get(place);
  }

  /** Notes which came out otherwise in another reading. */
  void compare(Outcomes other, CheckBook.Reading reading) {
    int both = Math.min(count(), other.count());
    reached = Arrays.copyOf(reached, reached.length + 1);
    reached[reached.length - 1] = both;
    for (int i = 0; i < both; i++) {
      if (held.get(i) != other.held.get(i)) {
        changed.set(i);
      } else if (sizes.get(i).equals(other.sizes.get(i))) {
        switch (reading) {
          case HIGHER -> higher.set(i);
          case LOWER -> lower.set(i);
          case OTHER -> {}
        }
      }
    }
    other.prints.forEach(
        (place, print) -> {
          Print before = prints.putIfAbsent(place, print);
          if (before != null) {
            moves.computeIfAbsent(place, made -> new Print.Moves(before)).add(before, print);
          }
        });
  }

  /** Which elements of its sides changed; empty when that wasn't seen. */
  Optional<Print.Moves> moves(int place) {
    return Optional.ofNullable(moves.get(place));
  }

  /** True when it came out otherwise in some other reading. */
  boolean changed(int place) {
    return changed.get(place);
  }

  /** True when it came out the same although all outputs were higher than they are. */
  boolean standsHigher(int place) {
    return higher.get(place);
  }

  /** True when it came out the same although all outputs were lower than they are. */
  boolean standsLower(int place) {
    return lower.get(place);
  }

  /** The number of other readings in which it was made. */
  long reached(int place) {
    return Arrays.stream(reached).filter(end -> place < end).count();
  }
}
