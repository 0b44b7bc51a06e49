package io.ringmaster.service.placement;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * A worker as placement sees it.
 *
 * @param worker the process's id
 * @param name for people
 * @param pool where its devices belong: a device is known by its pool and its id
 * @param platforms what it executes
 * @param devices the ids that it has
 * @param groups devices with links between them; empty when all of its devices are linked
 * @param draining whether it is to get nothing new
 * @param free how many runs it wants now
 */
public record Seat(
    String worker,
    String name,
    String pool,
    Set<String> platforms,
    DeviceRanges devices,
    List<DeviceRanges.Range> groups,
    boolean draining,
    int free) {

  public Seat {
    platforms = Set.copyOf(platforms);
    groups = List.copyOf(groups);
  }

  /** A worker elsewhere, with devices and groups as pairs of first and last id. */
  public static Seat registered(
      String worker,
      String name,
      String pool,
      List<String> platforms,
      List<List<Integer>> devices,
      List<List<Integer>> groups,
      boolean draining) {
    return new Seat(
        worker,
        name,
        pool,
        Set.copyOf(platforms),
        DeviceRanges.of(devices),
        DeviceRanges.each(groups),
        draining,
        0);
  }

  /** The same worker, wanting so many runs. */
  public Seat wanting(int runs) {
    return new Seat(worker, name, pool, platforms, devices, groups, draining, runs);
  }

  boolean offers(QueuedRun run) {
    return platforms.contains(run.platform()) && run.pool().filter(p -> !p.equals(pool)).isEmpty();
  }

  /**
   * Where a run without ids of its own may go: the link groups, and for a single rank also each
   * device that is in none.
   */
  List<DeviceRanges> groupsFor(int ranks) {
    if (groups.isEmpty()) {
      return List.of(devices);
    }
    var all = new ArrayList<DeviceRanges>();
    if (ranks == 1) {
      var alone = outsideOfGroups();
      if (!alone.ranges().isEmpty()) {
        all.add(alone);
      }
    }
    groups.forEach(group -> all.add(new DeviceRanges(List.of(group))));
    return all;
  }

  private DeviceRanges outsideOfGroups() {
    var rest = new ArrayList<DeviceRanges.Range>();
    var linked = new DeviceRanges(groups).ranges();
    for (var range : devices.ranges()) {
      int from = range.first();
      boolean covered = false;
      for (var group : linked) {
        if (group.last() < from || group.first() > range.last()) {
          continue;
        }
        if (group.first() > from) {
          rest.add(new DeviceRanges.Range(from, group.first() - 1));
        }
        if (group.last() >= range.last()) {
          covered = true;
          break;
        }
        from = group.last() + 1;
      }
      if (!covered) {
        rest.add(new DeviceRanges.Range(from, range.last()));
      }
    }
    return new DeviceRanges(rest);
  }
}
