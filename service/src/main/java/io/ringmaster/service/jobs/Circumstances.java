package io.ringmaster.service.jobs;

import io.ringmaster.worker.job.Exploration;
import java.util.List;
import java.util.Optional;

/**
 * What the simulated machine is like, and which orders of events are run on it.
 *
 * @param conditions how it differs from the calibrated one, such as {@code straggler=2:5us}
 * @param schedules further orders of events that each run is made in
 * @param scheduleSeed the order of events, where it isn't that of the seed
 * @param cacheLines whether memory is written by lines of 64 bytes
 */
public record Circumstances(
    List<String> conditions, int schedules, Optional<Long> scheduleSeed, boolean cacheLines) {

  /** The calibrated machine, in one order. */
  public static final Circumstances NONE = new Circumstances(List.of(), 0, Optional.empty(), false);

  public Circumstances {
    conditions = List.copyOf(conditions);
  }

  /** The orders for a job of this seed. */
  public Exploration exploration(long seed) {
    return new Exploration(scheduleSeed.orElse(seed), schedules, cacheLines);
  }
}
