package io.ringmaster.worker.fabric;

import io.ringmaster.worker.source.Span;

/**
 * A wait of {@code rank} on one of its own cells.
 *
 * @param id unique in the run
 * @param cell index of the INT32 cell counted from the start of the buffer (byte offset / 4)
 * @param exact true for Eq, false for Ge; signed compare
 * @param deferred whether the device's scheduler waits instead of the core: it compares cells as
 *     unsigned numbers
 */
public record SignalWait(
    long id,
    int rank,
    WindowInfo window,
    long cell,
    java.util.List<Long> coordinates,
    int expected,
    boolean exact,
    boolean deferred,
    Span span,
    long startNanos) {

  public boolean holds(int value) {
    return holds(value, expected, exact, deferred);
  }

  /** The comparison of a wait of which nobody was told. */
  public static boolean holds(int value, int expected, boolean exact, boolean deferred) {
    if (deferred) {
      return Integer.compareUnsigned(value, expected) >= 0;
    }
    return exact ? value == expected : value >= expected;
  }
}
