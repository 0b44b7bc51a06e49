package io.ringmaster.worker.job;

/** How whoever runs a job follows it and stops it. Called from the job's thread. */
public interface RunControl {

  /** True once the job should stop; asked often, so it must be cheap. */
  boolean isCancelled();

  /** A run enters a phase: compiling, running, verifying. */
  default void phase(int runIndex, String phase) {}

  /** The script printed {@code text}; it may hold several lines or part of one. */
  default void log(int runIndex, String text) {}

  /** Never cancelled, nobody listens. */
  static RunControl none() {
    return () -> false;
  }
}
