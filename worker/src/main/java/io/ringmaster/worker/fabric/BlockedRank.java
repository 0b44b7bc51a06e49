package io.ringmaster.worker.fabric;

import java.util.Optional;

/**
 * A rank that hasn't finished when nothing can run any more.
 *
 * @param awaited what it waits for; empty when it waits for another rank's dispatch to finish
 * @param seen the cell's value
 * @param held the dispatch that can't begin, when another rank's has to finish first
 */
public record BlockedRank(
    int rank, Optional<SignalWait> awaited, int seen, String reason, Optional<Held> held) {

  /**
   * Two dispatches that use the same bytes of a host tensor, so that one runs after the other.
   *
   * @param bytes which bytes: {@code row 2 of `y`}
   * @param bothWrite false when one of them only reads
   */
  public record Held(DispatchInfo later, DispatchInfo earlier, String bytes, boolean bothWrite) {}

  /** A rank that waits for a signal. */
  public static BlockedRank waiting(int rank, SignalWait wait, int seen, String reason) {
    return new BlockedRank(rank, Optional.of(wait), seen, reason, Optional.empty());
  }
}
