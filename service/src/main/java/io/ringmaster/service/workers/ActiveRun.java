package io.ringmaster.service.workers;

import io.ringmaster.service.placement.Claim;
import io.ringmaster.worker.job.RunRecorder;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;

/** A run that a thread of this process executes: how to stop it. */
final class ActiveRun extends RunRecorder {

  /** Why a run has to stop. */
  enum Stop {
    /** It goes on. */
    NONE,
    USER,
    LIMIT,
    SHUTDOWN
  }

  private final Claim claim;
  private final Thread thread = Thread.currentThread();
  private volatile long startNanos = System.nanoTime();
  private volatile long deadlineNanos;
  private final AtomicReference<Stop> stop = new AtomicReference<>(Stop.NONE);
  private volatile long stoppedAtNanos;
  private volatile boolean abandoned;
  private volatile boolean computed;

  ActiveRun(Claim claim) {
    this.claim = claim;
    begins();
  }

  /** Its time begins. */
  void begins() {
    startNanos = System.nanoTime();
    deadlineNanos = startNanos + claim.job().limits().wall().toNanos();
  }

  Claim claim() {
    return claim;
  }

  /** The thread that executes it: the one that made this. */
  Thread thread() {
    return thread;
  }

  /** The first reason stays. */
  void stop(Stop reason) {
    if (stop.compareAndSet(Stop.NONE, reason)) {
      stoppedAtNanos = System.nanoTime();
    }
  }

  Stop stopReason() {
    return stop.get();
  }

  @Override
  public void mayTake(int runIndex, Duration all) {
    deadlineNanos = startNanos + all.toNanos();
  }

  /** It has its result; what comes now doesn't count as its time. */
  void computed() {
    computed = true;
  }

  /** By how much it is over its limit; 0 for one that isn't. */
  long nanosOverLimit() {
    return computed ? 0 : Math.max(0, System.nanoTime() - deadlineNanos);
  }

  /** How long ago it was told to stop. */
  long nanosSinceStop() {
    return stop.get() == Stop.NONE ? 0 : System.nanoTime() - stoppedAtNanos;
  }

  /** Nobody waits for its end any more. */
  void abandon() {
    abandoned = true;
  }

  boolean isAbandoned() {
    return abandoned;
  }

  @Override
  public boolean isCancelled() {
    return stop.get() != Stop.NONE;
  }
}
