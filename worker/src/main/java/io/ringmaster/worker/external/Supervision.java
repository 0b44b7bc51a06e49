package io.ringmaster.worker.external;

import io.ringmaster.worker.process.ProcFiles;
import io.ringmaster.worker.process.ProcessTree;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/** Watches a run's processes until none of them is left. */
final class Supervision {

  private static final Duration LOOK_EVERY = Duration.ofMillis(20);
  private static final Duration LOOK_LATER = Duration.ofMillis(250);
  private static final Duration EARLY = Duration.ofSeconds(2);

  private final Process process;
  private final ProcessTree tree;
  private final ExternalSettings.Limits limits;

  Supervision(Process process, ProcessTree tree, ExternalSettings.Limits limits) {
    this.process = process;
    this.tree = tree;
    this.limits = limits;
  }

  /**
   * How it ended.
   *
   * @param left processes that outlived the first one and were ended
   * @param immortal processes that are still there
   */
  record End(
      ExternalRunner.Ending ending, int exitCode, int left, List<ProcFiles.Entry> immortal) {}

  /**
   * Returns when no process is left, or some can't be ended.
   *
   * @param deadline when the run is over its limit, in nanoseconds of this JVM's clock
   */
  End untilTheEnd(long deadline, BooleanSupplier cancelled) {
    // The interrupt of a thread that has to stop must not keep it from ending what it began.
    boolean interrupted = false;
    var ending = ExternalRunner.Ending.CANCELLED;
    try {
      ending = waitFor(deadline, cancelled);
    } catch (InterruptedException e) {
      interrupted = true;
    }
    while (true) {
      try {
        var end = endAll(ending);
        if (interrupted) {
          Thread.currentThread().interrupt();
        }
        return end;
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
  }

  private ExternalRunner.Ending waitFor(long deadline, BooleanSupplier cancelled)
      throws InterruptedException {
    long start = System.nanoTime();
    while (true) {
      long now = System.nanoTime();
      var pause = now - start < EARLY.toNanos() ? LOOK_EVERY : LOOK_LATER;
      long left = Math.max(0, Math.min(pause.toNanos(), deadline - now));
      if (process.waitFor(left, TimeUnit.NANOSECONDS)) {
        return ExternalRunner.Ending.EXITED;
      }
      if (cancelled.getAsBoolean()) {
        return ExternalRunner.Ending.CANCELLED;
      }
      if (System.nanoTime() - deadline >= 0) {
        return ExternalRunner.Ending.TIMED_OUT;
      }
      var _ = tree.look();
    }
  }

  private End endAll(ExternalRunner.Ending ending) throws InterruptedException {
    int left = 0;
    if (ending == ExternalRunner.Ending.EXITED) {
      tree.leaderHasEnded();
      left = tree.look().size();
    }
    var immortal = tree.end(limits.polite(), limits.kill());
    // The first process has ended with them, unless it can't be ended either.
    boolean over = process.waitFor(limits.kill().toNanos(), TimeUnit.NANOSECONDS);
    return new End(ending, over ? process.exitValue() : -1, left, immortal);
  }
}
