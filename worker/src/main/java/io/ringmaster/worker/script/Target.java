package io.ringmaster.worker.script;

import io.ringmaster.worker.script.check.Output;
import java.util.BitSet;
import org.jspecify.annotations.Nullable;

/**
 * An output with what the kernel wrote into it.
 *
 * @param only elements of which nothing is sure yet; null for all
 * @param mayBeUnseen true when the case needn't look at it: a later launch reads it, or another
 *     case has launched it
 */
record Target(
    OtherValues.Place place, Output output, Kept kept, @Nullable BitSet only, boolean mayBeUnseen) {

  /** Rows of an output that are tried one by one; of more, several together. */
  private static final int MOST_ROWS = 64;

  /**
   * Which rows are whose is what a program of several ranks is about, in whatever order they come.
   */
  boolean hasARowForEachRank() {
    int ranks = output.launch().ranks();
    long[] shape = kept.content().shape();
    return ranks > 1 && shape.length > 1 && shape[0] == ranks;
  }

  /** Elements of a row, or of as many as make {@link #MOST_ROWS} of all. */
  int rowsTogether() {
    int row = Math.max(1, kept.columns());
    while (kept.elements() / row > MOST_ROWS) {
      row *= 2;
    }
    return row;
  }

  /** Those of a range of elements of which nothing is sure yet. */
  BitSet only(int from, int to) {
    BitSet within = new BitSet();
    within.set(from, (int) Math.min(to, kept.elements()));
    if (only != null) {
      within.and(only);
    }
    return within;
  }

  boolean hasNone() {
    return only != null && only.isEmpty();
  }

  Mutation all(Mutation.Kind kind) {
    return part(kind, 0, Long.MAX_VALUE);
  }

  Mutation far(long element) {
    return part(Mutation.Kind.FAR_UP, element, element + 1);
  }

  Mutation part(Mutation.Kind kind, long from, long to) {
    return new Mutation(kind, from, to, only);
  }
}
