package io.ringmaster.worker.script.check;

import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;

/** What came out of one expression, time after time, and what of it changed in other readings. */
final class Outcomes {

  private final BitSet held = new BitSet();
  private final BitSet changed = new BitSet();
  private int count;

  /** Which elements differed, comparison by comparison, in this reading and in others. */
  private final Map<Integer, BitSet> differing = new HashMap<>();

  /** How far each other reading came. */
  private int[] reached = new int[0];

  /** Adds one and says which it is. */
  int add(boolean holds, BitSet elements) {
    held.set(count, holds);
    if (!elements.isEmpty()) {
      differing.put(count, elements);
    }
    return count++;
  }

  int count() {
    return count;
  }

  boolean held(int place) {
    return held.get(place);
  }

  /** Notes which came out otherwise in another reading. */
  void compare(Outcomes other) {
    int both = Math.min(count, other.count);
    reached = Arrays.copyOf(reached, reached.length + 1);
    reached[reached.length - 1] = both;
    for (int i = 0; i < both; i++) {
      if (held.get(i) != other.held.get(i)) {
        changed.set(i);
      }
    }
    other.differing.forEach(
        (place, elements) -> {
          if (place < both) {
            differing.computeIfAbsent(place, made -> new BitSet()).or(elements);
          }
        });
  }

  /** Elements that differed in some reading. */
  long differing(int place) {
    return differing.containsKey(place) ? differing.get(place).cardinality() : 0;
  }

  /** True when it came out otherwise in some other reading. */
  boolean changed(int place) {
    return changed.get(place);
  }

  /** The number of other readings in which it was made. */
  long reached(int place) {
    return Arrays.stream(reached).filter(end -> place < end).count();
  }
}
