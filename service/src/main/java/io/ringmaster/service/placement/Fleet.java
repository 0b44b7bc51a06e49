package io.ringmaster.service.placement;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * All workers and devices at one moment.
 *
 * @param pools what is held or out of use; a pool that is absent has nothing of it
 * @param privatePlatforms those whose devices are made anew for each run, so that nobody waits for
 *     them
 */
public record Fleet(
    List<Seat> seats, Map<String, Pool> pools, Set<String> privatePlatforms, Instant now) {

  public Fleet {
    seats = List.copyOf(seats);
    pools = Map.copyOf(pools);
    privatePlatforms = Set.copyOf(privatePlatforms);
  }

  /**
   * What happens in a pool.
   *
   * @param held devices that runs have, with the time at which their limits end
   * @param off devices that are to get nothing new
   * @param maintenance whether all of it is to get nothing new
   */
  public record Pool(Map<Integer, Instant> held, Set<Integer> off, boolean maintenance) {

    static final Pool QUIET = new Pool(Map.of(), Set.of(), false);

    public Pool {
      held = Map.copyOf(held);
      off = Set.copyOf(off);
    }
  }

  Pool pool(String name) {
    return pools.getOrDefault(name, Pool.QUIET);
  }
}
