package io.ringmaster.worker.observe;

/**
 * A point in one rank's program order, with what the rank had heard of the others by then.
 *
 * <p>Time on a rank is counted in releases: the notifies it sent and the dispatches it finished. A
 * release carries its own number; anything else carries the number of the rank's next release,
 * since only that one can tell others about it.
 */
final class Stamp {

  private final int rank;
  private final int epoch;
  // Shared with other stamps of the rank; never written after a stamp holds it.
  private final int[] heard;

  Stamp(int rank, int epoch, int[] heard) {
    this.rank = rank;
    this.epoch = epoch;
    this.heard = heard;
  }

  int rank() {
    return rank;
  }

  int epoch() {
    return epoch;
  }

  /** Number of the last release of {@code other} that this point comes after; 0 for none. */
  int heardOf(int other) {
    return heard[other];
  }

  /** As {@link #heardOf}, with what the rank itself has released. */
  int knownOf(int any) {
    return any == rank ? epoch : heard[any];
  }

  int ranks() {
    return heard.length;
  }

  /** True when this point comes before {@code later} in every schedule. */
  boolean precedes(Stamp later) {
    return rank == later.rank ? epoch <= later.epoch : later.heard[rank] >= epoch;
  }
}
