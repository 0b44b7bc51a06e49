package io.ringmaster.worker.observe;

import java.util.List;

/**
 * What each rank knows of every other rank's progress. Counts releases, see {@link Stamp}.
 *
 * <p>The array of a rank is copied only when it changes after a stamp was handed out, so a rank
 * that notifies all its peers in a row makes one array and not one for each peer.
 */
final class VectorClocks {

  private final int[] releases;
  private final int[][] heard;
  private final boolean[] handedOut;
  private final Stamp[] current;

  VectorClocks(int ranks) {
    releases = new int[ranks];
    heard = new int[ranks][ranks];
    handedOut = new boolean[ranks];
    current = new Stamp[ranks];
    for (int rank = 0; rank < ranks; rank++) {
      current[rank] = new Stamp(rank, 1, heard[rank]);
    }
  }

  /** The point at which {@code rank} is, for an access or a wait. */
  Stamp now(int rank) {
    if (!handedOut[rank] || current[rank].epoch() != releases[rank] + 1) {
      handedOut[rank] = true;
      current[rank] = new Stamp(rank, releases[rank] + 1, heard[rank]);
    }
    return current[rank];
  }

  /** {@code rank} publishes everything it did so far to whoever will {@link #join} the stamp. */
  Stamp release(int rank) {
    releases[rank]++;
    handedOut[rank] = true;
    return new Stamp(rank, releases[rank], heard[rank]);
  }

  /** True when the point comes before everything {@code rank} does from now on. */
  boolean precedes(Stamp point, int rank) {
    return point.rank() == rank || heard[rank][point.rank()] >= point.epoch();
  }

  /** Everything up to {@code point} comes before what {@code rank} does from now on. */
  void join(int rank, Stamp point) {
    raise(rank, point.rank(), point.epoch());
    for (int other = 0; other < releases.length; other++) {
      raise(rank, other, point.heardOf(other));
    }
  }

  /** The same for releases of each rank. */
  void join(int rank, List<Integer> releases) {
    for (int other = 0; other < releases.size(); other++) {
      raise(rank, other, releases.get(other));
    }
  }

  private void raise(int rank, int other, int epoch) {
    if (other == rank || heard[rank][other] >= epoch) {
      return;
    }
    if (handedOut[rank]) {
      heard[rank] = heard[rank].clone();
      handedOut[rank] = false;
    }
    heard[rank][other] = epoch;
  }

  /** A point that comes after both; used where a history has to be shortened. */
  static Stamp merge(Stamp earlier, Stamp later, int ranks) {
    int[] both = new int[ranks];
    for (int other = 0; other < ranks; other++) {
      both[other] = Math.max(earlier.heardOf(other), later.heardOf(other));
    }
    both[earlier.rank()] = Math.max(both[earlier.rank()], earlier.epoch());
    return new Stamp(later.rank(), later.epoch(), both);
  }

  int ranks() {
    return releases.length;
  }
}
