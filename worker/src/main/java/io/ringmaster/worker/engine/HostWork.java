package io.ringmaster.worker.engine;

import java.util.List;
import java.util.Set;

/**
 * Functions that run on the host between dispatches, after those that produce their tensors. The
 * engine knows when; what they do is the caller's business.
 */
public interface HostWork {

  /** No such functions. */
  HostWork NONE =
      new HostWork() {
        @Override
        public Set<String> names() {
          return Set.of();
        }

        @Override
        public void run(String function, List<Object> arguments) {
          throw new IllegalStateException("no host work called " + function);
        }
      };

  /** The names of the program's functions that are host work. */
  Set<String> names();

  /**
   * Does the work. What it throws ends the run and comes out with its outcome.
   *
   * @param arguments a {@link io.ringmaster.worker.tensor.HostTensor}, or a number, per parameter
   */
  void run(String function, List<Object> arguments);
}
