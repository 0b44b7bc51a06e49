package io.ringmaster.worker.job;

import org.jspecify.annotations.Nullable;

/** The time of the case that runs now, kept so that what ends one case never hits the next. */
final class CaseTime {

  private @Nullable Thread thread;
  private long deadlineNanos;
  private boolean over;

  /** A case begins, in this thread. */
  synchronized void begin(long limitNanos) {
    thread = Thread.currentThread();
    deadlineNanos = System.nanoTime() + limitNanos;
    over = false;
  }

  /** Tells the thread of a case that takes too long to stop; asked again and again. */
  synchronized void endInTime() {
    if (thread != null && !over && System.nanoTime() - deadlineNanos > 0) {
      over = true;
      thread.interrupt();
    }
  }

  /**
   * Takes the order to stop back when it came because of the case.
   *
   * @param limitNanos time that what comes after the case has
   * @return false when it didn't
   */
  synchronized boolean takeBack(long limitNanos) {
    if (!over) {
      return false;
    }
    begin(limitNanos);
    Thread.interrupted();
    return true;
  }

  /**
   * The case has ended by itself.
   *
   * @param runGoesOn whether an order to stop can only have been for the case
   */
  synchronized void end(boolean runGoesOn) {
    thread = null;
    if (over && runGoesOn) {
      Thread.interrupted();
    }
    over = false;
  }

  /** What is left of {@code most} nanoseconds when it is {@code now}: no more than the case has. */
  synchronized long left(long now, long most) {
    return thread == null ? most : Math.min(most, deadlineNanos - now);
  }
}
