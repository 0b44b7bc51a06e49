package io.ringmaster.worker.trial;

import io.ringmaster.worker.engine.Limits;
import io.ringmaster.worker.engine.RunOutcome;
import io.ringmaster.worker.fabric.FabricListener;
import io.ringmaster.worker.observe.Observation;
import io.ringmaster.worker.observe.TrafficMatrix;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;

/** Measures what a trial costs on this machine: the same run again and again, and its median. */
public final class Bench {

  private static final Limits LIMITS =
      new Limits(Long.MAX_VALUE / 2, Duration.ofHours(1), 64L << 30);

  /** What listens to a run. */
  public enum Watch {
    /** Nobody: only operations are counted. */
    NOTHING,
    /** Bytes between ranks. */
    BYTES,
    /** Everything that a job checks: order, credits, layouts, collectives, barriers, bytes. */
    CHECKS
  }

  /**
   * What was measured.
   *
   * @param medianNanos wall time of the median run, planning included, compilation not
   * @param cpuNanos processor time of the median run: what wall time would be on a quiet machine
   * @param events notifies sent, notifies arrived, waits, and transfers of one run
   * @param wireBytes bytes between ranks of one run; 0 when nobody counted them
   * @param usedBytes memory in use after the last run that a collection wouldn't free at once
   * @param right whether the sample of the result is right
   */
  public record Result(
      int runs,
      long medianNanos,
      long bestNanos,
      long worstNanos,
      long cpuNanos,
      long virtualNanos,
      long events,
      long instructions,
      long wireBytes,
      long usedBytes,
      boolean right) {

    public double eventsPerSecond() {
      return events / (medianNanos / 1e9);
    }
  }

  private Bench() {}

  /**
   * Runs a trial until {@code runs} runs or {@code budget} are used up, the warm-up before that not
   * counted; at least once.
   *
   * @throws IllegalStateException when a run doesn't finish
   */
  public static Result measure(Trial trial, Watch watch, int warmUps, int runs, Duration budget) {
    long deadline = System.nanoTime() + budget.toNanos();
    for (int i = 0; i < warmUps && System.nanoTime() < deadline; i++) {
      once(trial, watch);
    }
    long[] nanos = new long[runs];
    long[] cpu = new long[runs];
    var threads = ManagementFactory.getThreadMXBean();
    int count = 0;
    long wire = 0;
    RunOutcome outcome;
    do {
      var traffic = new TrafficMatrix(watch == Watch.NOTHING ? 0 : trial.ranks());
      List<FabricListener> listeners = listeners(watch, traffic, trial.ranks());
      long startCpu = threads.getCurrentThreadCpuTime();
      long start = System.nanoTime();
      outcome = trial.run(listeners, LIMITS, List.of());
      nanos[count] = System.nanoTime() - start;
      cpu[count++] = threads.getCurrentThreadCpuTime() - startCpu;
      require(outcome);
      wire = traffic.totalWireBytes();
    } while (count < runs && System.nanoTime() < deadline);
    long[] sorted = sorted(nanos, count);
    RunOutcome.Operations ops = outcome.operations();
    long transfers = ops.puts() + ops.gets() + ops.remoteLoads() + ops.remoteStores();
    return new Result(
        count,
        sorted[count / 2],
        sorted[0],
        sorted[count - 1],
        sorted(cpu, count)[count / 2],
        outcome.virtualNanos(),
        2 * ops.notifies() + ops.waits() + transfers,
        outcome.instructions(),
        wire,
        Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory(),
        trial.isRight());
  }

  private static long[] sorted(long[] values, int count) {
    long[] sorted = Arrays.copyOf(values, count);
    Arrays.sort(sorted);
    return sorted;
  }

  private static void once(Trial trial, Watch watch) {
    var traffic = new TrafficMatrix(watch == Watch.NOTHING ? 0 : trial.ranks());
    require(trial.run(listeners(watch, traffic, trial.ranks()), LIMITS, List.of()));
  }

  private static List<FabricListener> listeners(Watch watch, TrafficMatrix traffic, int ranks) {
    return switch (watch) {
      case NOTHING -> List.of();
      case BYTES -> List.of(traffic);
      case CHECKS -> List.of(traffic, new Observation(ranks));
    };
  }

  private static void require(RunOutcome outcome) {
    if (!outcome.isFinished()) {
      throw new IllegalStateException(outcome.status() + ": " + outcome.sentence());
    }
  }
}
