package io.ringmaster.worker.engine;

import io.ringmaster.worker.codegen.Machine;
import java.util.function.BooleanSupplier;

/** Counts what a run uses and ends it at its limits. */
final class Meter {

  /** Instructions a machine gets at a time; limits are looked at that often. */
  private static final int GRANT = 4096;

  /** Scheduling steps between two looks at clock and cancellation. */
  private static final int STEPS = 512;

  private final Limits limits;
  private final BooleanSupplier cancelled;
  private final long started = System.nanoTime();
  private long granted;
  private int steps;

  Meter(Limits limits, BooleanSupplier cancelled) {
    this.limits = limits;
    this.cancelled = cancelled;
  }

  /** Instructions for a machine that has none left. */
  int grant(Machine machine) {
    look();
    long left = limits.instructions() - granted;
    if (left <= 0) {
      throw new RunStop(
          RunOutcome.Status.RESOURCE,
          "the limit of "
              + limits.instructions()
              + " kernel instructions over all ranks is used up: "
              + machine.whereabouts()
              + "; look for a loop that doesn't end, or raise the limit");
    }
    int share = (int) Math.min(GRANT, left);
    granted += share;
    return share;
  }

  /** Notes a scheduling step. */
  void step() {
    if (++steps >= STEPS) {
      steps = 0;
      look();
    }
  }

  /** Instructions executed, given the machines that still hold part of a grant. */
  long executed(Iterable<Machine> machines) {
    long total = granted;
    for (Machine machine : machines) {
      total -= machine.fuel();
    }
    return total;
  }

  /**
   * Why the order to stop came. What is over its time is told so by several, of whom some only know
   * to cancel it: so the clock is asked first.
   */
  RunStop ordered() {
    return !isOver() && cancelled.getAsBoolean() ? cancelled() : timedOut();
  }

  private static RunStop cancelled() {
    return new RunStop(RunOutcome.Status.CANCELLED, "cancelled");
  }

  private RunStop timedOut() {
    return new RunStop(
        RunOutcome.Status.TIMED_OUT,
        "the run took longer than its limit of " + limits.wall().toMillis() + " ms");
  }

  long wallNanos() {
    return System.nanoTime() - started;
  }

  private boolean isOver() {
    return wallNanos() > limits.wall().toNanos();
  }

  private void look() {
    if (isOver()) {
      throw timedOut();
    }
    if (cancelled.getAsBoolean()) {
      throw cancelled();
    }
  }
}
