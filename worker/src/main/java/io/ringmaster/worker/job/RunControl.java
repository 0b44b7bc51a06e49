package io.ringmaster.worker.job;

import io.ringmaster.worker.tensor.DType;
import io.ringmaster.worker.tensor.HostTensor;
import java.time.Duration;
import java.util.List;

/** How whoever runs a job follows it and stops it. Called from the job's thread. */
public interface RunControl {

  /** True once the job should stop; asked often, so it must be cheap. */
  boolean isCancelled();

  /** The run turned out to be a file of tests: from its start it may take so long in all. */
  default void mayTake(int runIndex, Duration all) {}

  /**
   * A run is told to stop now. It says itself where it stopped; this is for one that doesn't hear.
   * Called from another thread than the others, and never after the run's end.
   *
   * @param where what it is doing, to go behind a semicolon
   */
  default void stopping(int runIndex, String where) {}

  /** A run enters a phase: compiling, running, verifying. */
  default void phase(int runIndex, String phase) {}

  /** The script printed {@code text}; it may hold several lines or part of one. */
  default void log(int runIndex, String text) {}

  /**
   * A launch left this output; a later launch may leave it again. {@code name} is the parameter's.
   * The tensor is the script's own: whoever wants to keep it copies it before returning.
   */
  default void output(int runIndex, String name, HostTensor tensor) {}

  /**
   * Outputs of more bytes than this are of no use to whoever listens. Where a job runs in another
   * process, they don't come over: {@link #outputLeftOut} is called for them instead.
   */
  default long mostOutputBytes() {
    return Long.MAX_VALUE;
  }

  /**
   * A launch left an output that is larger than {@link #mostOutputBytes} says.
   *
   * @param digest of its bytes
   */
  default void outputLeftOut(int runIndex, String name, DType dtype, String digest) {}

  /** A pass of the compiler, one of {@link JobRunner#passes()}, took so long for one program. */
  default void compiled(int runIndex, String pass, long nanos) {}

  /** A launch has ended after so many kernel instructions over all ranks. */
  default void launched(int runIndex, long instructions) {}

  /**
   * The script has compared a kernel's output, of this type.
   *
   * @param maxUlps largest difference, in steps of the type
   */
  default void compared(int runIndex, DType type, double maxUlps) {}

  /** How many events of the run's timeline to keep; 0 for no timeline. */
  default int timelineEvents() {
    return 0;
  }

  /** The run's timeline as Chrome trace JSON; only when one was asked for, and ranks ran. */
  default void timeline(int runIndex, String json) {}

  /** Devices that a run has used aren't free, or not to be trusted, although it is over. */
  default void devicesBroken(List<Integer> devices, String why) {}

  /** Never cancelled, nobody listens. */
  static RunControl none() {
    return new Quiet(() -> false);
  }
}
