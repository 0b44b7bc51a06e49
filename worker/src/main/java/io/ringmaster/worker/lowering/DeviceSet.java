package io.ringmaster.worker.lowering;

import java.util.List;
import java.util.OptionalInt;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.IntStream;

/**
 * Ranks that share a window: every rank there is, or some named ones.
 *
 * @param all true for every rank; {@code ranks} is empty then
 */
record DeviceSet(boolean all, List<Integer> ranks) {

  static final DeviceSet NONE = new DeviceSet(false, List.of());
  static final DeviceSet ALL = new DeviceSet(true, List.of());

  DeviceSet {
    ranks = List.copyOf(ranks);
  }

  static DeviceSet range(long from, long to) {
    return new DeviceSet(
        false, IntStream.range(Math.toIntExact(from), Math.toIntExact(to)).boxed().toList());
  }

  boolean isEmpty() {
    return !all && ranks.isEmpty();
  }

  DeviceSet union(DeviceSet other) {
    if (all || other.all) {
      return ALL;
    }
    SortedSet<Integer> merged = new TreeSet<>(ranks);
    merged.addAll(other.ranks);
    return new DeviceSet(false, List.copyOf(merged));
  }

  /** The same set said in one way: naming every rank of a known world means all of them. */
  DeviceSet canonical(OptionalInt worldSize) {
    return worldSize.isPresent() && equals(range(0, worldSize.getAsInt())) ? ALL : this;
  }

  /** How many ranks, as far as it is known. */
  OptionalInt size(OptionalInt worldSize) {
    return all ? worldSize : OptionalInt.of(ranks.size());
  }

  @Override
  public String toString() {
    if (all) {
      return "all ranks";
    }
    boolean contiguous = ranks.size() > 1 && ranks.getLast() - ranks.getFirst() == ranks.size() - 1;
    return contiguous
        ? "ranks " + ranks.getFirst() + ".." + ranks.getLast()
        : (ranks.size() == 1 ? "rank " + ranks.getFirst() : "ranks " + ranks);
  }
}
