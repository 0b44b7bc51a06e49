package io.ringmaster.worker.script.check;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * What stands where a script looks something up by a kernel's value, as in a dict of rows: what it
 * takes for right may follow that value.
 */
public final class LookedUp {

  /** Entries of a case that are tried. */
  private static final int MOST = 16;

  /** By case. */
  private final Map<String, List<double[]>> entries = new HashMap<>();

  /** True when no more entries are wanted. */
  public boolean isFull(String test) {
    return entries.getOrDefault(test, List.of()).size() >= MOST;
  }

  /** Notes what a case finds beside what it looks up, as numbers. */
  public void note(String test, List<double[]> found) {
    List<double[]> known = entries.computeIfAbsent(test, made -> new ArrayList<>());
    for (double[] entry : found) {
      if (known.size() < MOST && known.stream().noneMatch(one -> Arrays.equals(one, entry))) {
        known.add(entry);
      }
    }
  }

  boolean isNoted(String test) {
    return entries.containsKey(test);
  }

  /** What an output of so many elements would hold if it held an entry, repeated. */
  public List<double[]> repeated(String test, int elements) {
    return entries.getOrDefault(test, List.of()).stream()
        .filter(entry -> elements % entry.length == 0)
        .map(
            entry ->
                IntStream.range(0, elements).mapToDouble(i -> entry[i % entry.length]).toArray())
        .toList();
  }
}
