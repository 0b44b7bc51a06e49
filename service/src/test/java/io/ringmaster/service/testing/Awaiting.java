package io.ringmaster.service.testing;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Waits for something that becomes true by itself. */
public final class Awaiting {

  private static final Duration MOST = Duration.ofSeconds(60);
  private static final long PAUSE_NANOS = 5_000_000;

  private Awaiting() {}

  public static void until(String what, BooleanSupplier condition) {
    long deadline = System.nanoTime() + MOST.toNanos();
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() > deadline) {
        throw new AssertionError("Not within " + MOST.toSeconds() + " s: " + what);
      }
      LockSupport.parkNanos(PAUSE_NANOS);
    }
  }
}
