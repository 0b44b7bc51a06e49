package io.ringmaster.worker.frontend;

import java.util.List;

/**
 * A compiled free function.
 *
 * @param results the parameters, by their number in the HOST function, that a call returns
 */
public record Jitted(Built built, List<Integer> results) {
  public Jitted {
    results = List.copyOf(results);
  }
}
