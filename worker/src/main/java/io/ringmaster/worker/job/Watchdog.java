package io.ringmaster.worker.job;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/** Interrupts the thread that made it once a condition holds, until it is closed. */
final class Watchdog implements AutoCloseable {

  private static final long LOOK_EVERY_MILLIS = 20;

  private final CountDownLatch closing = new CountDownLatch(1);
  private final Thread watched = Thread.currentThread();
  private final Runnable before;
  private boolean closed;

  Watchdog(BooleanSupplier condition) {
    this(condition, () -> {});
  }

  /**
   * Watches.
   *
   * @param before done when the condition holds, just before it interrupts; never after it is
   *     closed
   */
  Watchdog(BooleanSupplier condition, Runnable before) {
    this.before = before;
    Thread.ofVirtual().name("job-watchdog").start(() -> watch(condition));
  }

  private void watch(BooleanSupplier condition) {
    try {
      while (!closing.await(LOOK_EVERY_MILLIS, TimeUnit.MILLISECONDS)) {
        if (condition.getAsBoolean()) {
          interrupt();
          return;
        }
      }
    } catch (InterruptedException e) {
      // Nobody knows this thread, so this is the end of the process.
      Thread.currentThread().interrupt();
    }
  }

  private synchronized void interrupt() {
    if (!closed) {
      before.run();
      watched.interrupt();
    }
  }

  /** Stops watching; no interrupt of its own is pending on the caller afterwards. */
  @Override
  public synchronized void close() {
    closed = true;
    closing.countDown();
    Thread.interrupted();
  }
}
