package io.ringmaster.worker.fabric;

import io.ringmaster.worker.source.Span;

/**
 * A notify: {@code rank} changes one cell of {@code owner}'s slice of a signal window.
 *
 * @param id unique in the run, in sending order
 * @param cell index of the INT32 cell counted from the start of the buffer (byte offset / 4)
 * @param coordinates the offsets as the kernel gave them
 * @param set true for Set, false for AtomicAdd
 */
public record Notification(
    long id,
    int rank,
    int owner,
    WindowInfo window,
    long cell,
    java.util.List<Long> coordinates,
    int value,
    boolean set,
    Span span,
    long sentNanos) {

  public boolean isSelf() {
    return rank == owner;
  }
}
