package io.ringmaster.service.placement;

import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * All workers and devices at one moment.
 *
 * @param pools what is held or out of use; a pool that is absent has nothing of it
 * @param privatePlatforms those whose devices are made anew for each run, so that nobody waits for
 *     them
 * @param owners what runs of each owner use; an owner that is absent uses nothing
 */
public record Fleet(
    List<Seat> seats,
    Map<String, Pool> pools,
    Set<String> privatePlatforms,
    Map<String, OwnerUse> owners,
    Instant now) {

  /** With owners that use nothing, or of whom nobody wants to know. */
  public Fleet(
      List<Seat> seats, Map<String, Pool> pools, Set<String> privatePlatforms, Instant now) {
    this(seats, pools, privatePlatforms, Map.of(), now);
  }

  public Fleet {
    seats = List.copyOf(seats);
    pools = Map.copyOf(pools);
    privatePlatforms = Set.copyOf(privatePlatforms);
    owners = Map.copyOf(owners);
  }

  /**
   * What an owner uses.
   *
   * @param jobs those of which a run is executed
   * @param devices of all its runs
   * @param sharedDevices those of runs on platforms that aren't private
   */
  public record OwnerUse(Set<String> jobs, int devices, int sharedDevices) {

    static final OwnerUse NOTHING = new OwnerUse(Set.of(), 0, 0);

    public OwnerUse {
      jobs = Set.copyOf(jobs);
    }

    OwnerUse plus(OwnerUse other) {
      var all = new HashSet<>(jobs);
      all.addAll(other.jobs);
      return new OwnerUse(all, devices + other.devices, sharedDevices + other.sharedDevices);
    }
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
