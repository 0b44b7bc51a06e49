package io.ringmaster.worker.fabric;

import java.util.List;

/**
 * Hears everything that happens between ranks, in the order in which the simulation executes it
 * (virtual time, then rank, then program order). Called on the engine's thread; must not block.
 */
public interface FabricListener {

  /** A window begins with what an earlier run left in it. */
  default void kept(WindowInfo window) {}

  /**
   * Whether events have to come in the order of virtual time. Without such a listener ranks may run
   * ahead where that changes nothing else.
   */
  default boolean needsOrder() {
    return true;
  }

  /** A rank begins a dispatch. */
  default void dispatchStarted(DispatchInfo dispatch, long virtualNanos) {}

  default void dispatchFinished(DispatchInfo dispatch, long virtualNanos) {}

  /** Window memory was read or written. Signal cells touched by notify and wait aren't accesses. */
  default void accessed(Access access) {}

  /** Data moved by put, get, remote load or remote store, to oneself included. */
  default void transferred(Transfer transfer) {}

  /** A notify left its rank. */
  default void notified(Notification notification) {}

  /** A notify changed its cell, which held {@code before} and now holds {@code after}. */
  default void applied(Notification notification, int before, int after, long virtualNanos) {}

  /** A rank reached a wait; {@code seen} is the cell's value then. */
  default void waitStarted(SignalWait wait, int seen) {}

  /** The wait is over: the cell held {@code seen}. Follows waitStarted, at once or later. */
  default void waitSatisfied(SignalWait wait, int seen, long virtualNanos) {}

  default void collectiveEntered(CollectiveCall call, long virtualNanos) {}

  default void collectiveLeft(CollectiveCall call, long virtualNanos) {}

  /** A branch on {@code span}'s line was decided, in a kernel function. */
  default void branched(int rank, io.ringmaster.worker.source.Span span, boolean taken) {}

  /**
   * Comes before {@link #deadlocked}, where it could be found out: what the ranks would notify if
   * no wait held them up, each sender, cell and owner once.
   */
  default void foreseen(List<Notification> notifies) {}

  /** Nothing can run and these ranks aren't done. The run ends. */
  default void deadlocked(List<BlockedRank> blocked, long virtualNanos) {}

  /** Every dispatch finished. */
  default void finished(long virtualNanos) {}
}
