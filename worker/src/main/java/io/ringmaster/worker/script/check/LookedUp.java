package io.ringmaster.worker.script.check;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.IntStream;

/**
 * What stands where a script looks something up by a kernel's value, as in a dict of rows: what it
 * takes for right may follow that value.
 */
public final class LookedUp {

  /** Entries of a case that are tried. */
  private static final int MOST = 16;

  /** Texts that a case looks something up by, of which it is seen whether they follow outputs. */
  private static final int MOST_TEXTS = 64;

  /**
   * A text that something is looked up by.
   *
   * @param entries what there is, as numbers
   */
  private record ByText(int line, String text, Supplier<List<double[]>> entries) {}

  private final Map<String, List<ByText>> texts = new HashMap<>();

  /** Cases that have made numbers, and so maybe texts, of what kernels wrote. */
  private final Set<String> takenOut = new HashSet<>();

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

  /** A case has taken a kernel's value out of its tensor. */
  void takenOut(String test) {
    takenOut.add(test);
  }

  /** A case is about to look something up by a text. */
  public void text(String test, int line, String text, Supplier<List<double[]>> entries) {
    if (!takenOut.contains(test)) {
      return;
    }
    List<ByText> known = texts.computeIfAbsent(test, made -> new ArrayList<>());
    if (known.size() < MOST_TEXTS) {
      known.add(new ByText(line, text, entries));
    }
  }

  /**
   * Notes what stands where the first texts by which another reading looked something up were
   * others: they follow what was in the outputs.
   *
   * @return the cases that look something up so, and weren't known to
   */
  Set<String> follow(LookedUp other) {
    Set<String> following = new HashSet<>();
    texts.forEach(
        (test, mine) -> {
          List<ByText> theirs = other.texts.getOrDefault(test, List.of());
          for (int i = 0; i < Math.min(mine.size(), theirs.size()); i++) {
            if (mine.get(i).line() != theirs.get(i).line()) {
              break;
            }
            if (!mine.get(i).text().equals(theirs.get(i).text()) && !isNoted(test)) {
              note(test, mine.get(i).entries().get());
              following.add(test);
            }
          }
        });
    return following;
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
