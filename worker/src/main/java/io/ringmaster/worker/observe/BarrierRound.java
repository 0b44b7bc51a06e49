package io.ringmaster.worker.observe;

import io.ringmaster.worker.source.Span;
import java.util.List;

/**
 * One round of a barrier: every member told every other that it has arrived, and heard from all.
 *
 * <p>Lists have one entry for each member, in the order of {@code members}. A rank arrives when it
 * has sent its notifies and begins to wait; it is released when its last wait is over.
 *
 * @param window name of the signal window
 * @param round counts the barriers on this window, from 1
 * @param members global ranks, ascending
 * @param lastArriver global rank that arrived last; the smallest of several
 * @param skewVirtualNanos last arrival minus first arrival
 * @param releaseVirtualNanos last release minus last arrival: what the barrier itself costs
 * @param waitVirtualNanos release minus arrival, for each member
 * @param waitWallNanos the same on the machine's clock; differs from run to run
 */
public record BarrierRound(
    Span span,
    String window,
    int round,
    List<Integer> members,
    int lastArriver,
    long skewVirtualNanos,
    long releaseVirtualNanos,
    List<Long> waitVirtualNanos,
    List<Long> waitWallNanos) {

  public BarrierRound {
    members = List.copyOf(members);
    waitVirtualNanos = List.copyOf(waitVirtualNanos);
    waitWallNanos = List.copyOf(waitWallNanos);
  }

  /** Number of ranks that take part. */
  public int ranks() {
    return members.size();
  }
}
