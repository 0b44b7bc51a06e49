package io.ringmaster.service.metrics;

import java.util.Map;

/**
 * What a run has cost beside what its report says.
 *
 * @param passNanos wall time in each pass of the compiler, by the pass's name
 * @param instructions kernel instructions over all ranks and launches
 */
public record Measures(Map<String, Long> passNanos, long instructions) {

  public Measures {
    passNanos = Map.copyOf(passNanos);
  }
}
