package io.ringmaster.worker.script.builtin;

import io.ringmaster.worker.script.value.Arguments;
import io.ringmaster.worker.script.value.Interp;
import io.ringmaster.worker.script.value.Value;
import io.ringmaster.worker.source.Span;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/** Python's stable sort. What it takes meanwhile isn't counted: only what lasts is. */
final class Sorting {

  private Sorting() {}

  private record Keyed(Value key, Value item) {}

  static List<Value> sorted(
      List<Value> items, Optional<Value> key, boolean reverse, Interp interp, Span at) {
    List<Keyed> keyed = new ArrayList<>();
    // A copy, because the key function may change the list.
    for (Value item : new ArrayList<>(items)) {
      boolean plain = key.isEmpty() || key.get() instanceof Value.None;
      keyed.add(new Keyed(plain ? item : interp.call(key.get(), Arguments.of(item), at), item));
    }
    Comparator<Keyed> order = (a, b) -> order(a.key(), b.key(), interp);
    try {
      keyed.sort(reverse ? order.reversed() : order);
    } catch (IllegalArgumentException e) {
      // The keys have no total order (NaN); Python leaves the result open, and so do we.
      keyed.sort(Comparator.comparing(k -> interp.repr(k.key())));
    }
    List<Value> sorted = new ArrayList<>();
    keyed.forEach(pair -> sorted.add(pair.item()));
    return sorted;
  }

  static int order(Value a, Value b, Interp interp) {
    interp.session().budget().step();
    if (Comparisons.isLess(a, b, interp)) {
      return -1;
    }
    return Comparisons.isLess(b, a, interp) ? 1 : 0;
  }
}
