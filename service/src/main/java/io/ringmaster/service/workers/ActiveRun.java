package io.ringmaster.service.workers;

import io.ringmaster.service.metrics.Measures;
import io.ringmaster.service.metrics.Measures.GoldenError;
import io.ringmaster.service.placement.Claim;
import io.ringmaster.worker.job.RunControl;
import io.ringmaster.worker.tensor.DType;
import io.ringmaster.worker.tensor.HostTensor;
import io.ringmaster.worker.tensor.NpyWriter;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;

/** A run that a thread of this process executes: what it has said so far, and how to stop it. */
final class ActiveRun implements RunControl {

  /** A script that prints without end must not fill the memory; the report has its own limit. */
  private static final int MOST_LOG = 1 << 20;

  /** Outputs beyond this many bytes together aren't kept; their digest is, in the evidence. */
  private static final long MOST_OUTPUT = 64L << 20;

  /** A script that compares in a loop without end must not, either. */
  private static final int MOST_ERRORS = 10_000;

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
  private final long deadlineNanos;
  private final StringBuilder log = new StringBuilder();
  private final Map<String, byte[]> outputs = new LinkedHashMap<>();
  private final AtomicReference<Stop> stop = new AtomicReference<>(Stop.NONE);
  private final Map<String, Long> passNanos = new LinkedHashMap<>();
  private final List<GoldenError> goldenErrors = new ArrayList<>();
  private long instructions;
  private volatile String phase = "starting";
  private volatile long stoppedAtNanos;
  private volatile boolean abandoned;

  ActiveRun(Claim claim) {
    this.claim = claim;
    this.deadlineNanos = System.nanoTime() + claim.job().limits().wall().toNanos();
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

  boolean isOverLimit() {
    return System.nanoTime() - deadlineNanos > 0;
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

  @Override
  public void phase(int runIndex, String name) {
    phase = name;
  }

  @Override
  public void log(int runIndex, String text) {
    synchronized (log) {
      log.append(text, 0, Math.min(text.length(), MOST_LOG - log.length()));
    }
  }

  @Override
  public void compiled(int runIndex, String pass, long nanos) {
    passNanos.merge(pass, nanos, Long::sum);
  }

  @Override
  public void launched(int runIndex, long executed) {
    instructions += executed;
  }

  @Override
  public void compared(int runIndex, DType type, double maxUlps) {
    if (goldenErrors.size() < MOST_ERRORS) {
      goldenErrors.add(new GoldenError(type, maxUlps));
    }
  }

  /** What it has cost; to be asked when the run is over. */
  Measures measures() {
    return new Measures(passNanos, instructions, goldenErrors);
  }

  /** A later launch's output of the same name takes the place of an earlier one. */
  @Override
  public void output(int runIndex, String name, HostTensor tensor) {
    String file = name + ".npy";
    outputs.remove(file);
    long kept = outputs.values().stream().mapToLong(bytes -> bytes.length).sum();
    if (kept + tensor.elements() * tensor.dtype().bytes() <= MOST_OUTPUT) {
      outputs.put(file, NpyWriter.write(tensor));
    }
  }

  /** What the kernels left, as {@code .npy} files by name; to be asked when the run is over. */
  Map<String, byte[]> outputs() {
    return Collections.unmodifiableMap(outputs);
  }

  String phase() {
    return phase;
  }

  String log() {
    synchronized (log) {
      return log.toString();
    }
  }
}
