package io.ringmaster.service.placement;

import io.ringmaster.service.jobs.Run;
import java.util.List;
import java.util.Set;
import java.util.function.IntPredicate;

/**
 * What a worker can execute.
 *
 * @param platforms their names
 * @param devices tells which device ids it has
 */
public record Offer(Set<String> platforms, IntPredicate devices) {

  /** A worker with every device of these platforms: simulated ones are made as they are named. */
  public static Offer everyDeviceOf(List<String> platforms) {
    return new Offer(Set.copyOf(platforms), _ -> true);
  }

  /** Whether the run can be executed there. */
  boolean fits(Run run) {
    return platforms.contains(run.platform()) && run.devices().stream().allMatch(devices::test);
  }
}
