package io.ringmaster.worker.ir;

import java.util.Set;

/**
 * A program of which parts were refused, as far as it could be read. It is never run.
 *
 * @param program its functions, with gaps where something was refused
 * @param withGaps names of the functions with a gap
 * @param sound names of the functions that use no result of a function with a gap
 */
public record Draft(Program program, Set<String> withGaps, Set<String> sound) {

  public Draft {
    withGaps = Set.copyOf(withGaps);
    sound = Set.copyOf(sound);
  }

  /** True when everything is known about a function that a rule about the whole of it needs. */
  public boolean isWhole(Function function) {
    return !withGaps.contains(function.name()) && sound.contains(function.name());
  }
}
