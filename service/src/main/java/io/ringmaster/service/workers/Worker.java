package io.ringmaster.service.workers;

import io.ringmaster.service.config.BackgroundThreads;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;

/**
 * One worker: a thread that executes runs, and what it is doing. The thread is a background one: a
 * simulation may take every cycle it gets, but requests come first.
 */
final class Worker {

  /** What a worker does; the names are labels of a metric. */
  enum State {
    /** Looks for a run. */
    IDLE,
    /** Executes one. */
    BUSY,
    /** Executes one that was given up, because it ignored the order to stop; claims no more. */
    ABANDONED
  }

  private final String name;
  private final Thread thread;
  private final AtomicReference<State> state = new AtomicReference<>(State.IDLE);
  private volatile Optional<ActiveRun> abandoned = Optional.empty();

  Worker(String name, Consumer<Worker> loop) {
    this.name = name;
    this.thread = BackgroundThreads.factory(name).newThread(() -> loop.accept(this));
  }

  String name() {
    return name;
  }

  Thread thread() {
    return thread;
  }

  State state() {
    return state.get();
  }

  boolean isAbandoned() {
    return state.get() == State.ABANDONED;
  }

  void busy() {
    state.compareAndSet(State.IDLE, State.BUSY);
  }

  void idle() {
    state.compareAndSet(State.BUSY, State.IDLE);
  }

  /** Nobody waits for it any more; it ends with the run that it executes. */
  void abandon(ActiveRun run) {
    abandoned = Optional.of(run);
    state.set(State.ABANDONED);
  }

  /** The run that it was given up with. */
  Optional<ActiveRun> abandoned() {
    return abandoned;
  }
}
