package io.ringmaster.service.placement;

import io.ringmaster.service.jobs.DeviceRequest;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;

/** Says what a fleet could never execute, however long one waits. */
final class Capacity {

  private Capacity() {}

  /** Whether a worker has the devices at all, free or not. */
  static boolean holds(Seat seat, DeviceRequest request) {
    return switch (request) {
      case DeviceRequest.Ids(List<Integer> ids) -> seat.devices().containsAll(ids);
      case DeviceRequest.Count(int ranks) ->
          seat.groupsFor(ranks).stream().anyMatch(group -> group.size() >= ranks);
    };
  }

  /**
   * Why none of these workers could ever execute a request; empty when one could.
   *
   * @param offering all workers that offer the platform; none says nothing, since simulated ones
   *     are started when there is work
   */
  static Optional<String> refusal(
      Collection<Seat> offering, String platform, Optional<String> pool, DeviceRequest request) {
    var inPool =
        offering.stream()
            .filter(seat -> pool.filter(p -> !p.equals(seat.pool())).isEmpty())
            .toList();
    if (inPool.isEmpty()) {
      var known = new TreeSet<>(offering.stream().map(Seat::pool).toList());
      return pool.isPresent() && !known.isEmpty()
          ? Optional.of(
              "No worker of pool %s offers %s. Pools that do: %s."
                  .formatted(pool.get(), platform, String.join(", ", known)))
          : Optional.empty();
    }
    if (inPool.stream().anyMatch(seat -> holds(seat, request))) {
      return Optional.empty();
    }
    return Optional.of(
        switch (request) {
          case DeviceRequest.Ids(List<Integer> ids) ->
              "No worker has all of the %,d devices that are asked for. There are: %s."
                  .formatted(ids.size(), described(inPool));
          case DeviceRequest.Count(int ranks) ->
              "%,d devices with links between them are asked for; the largest group has %,d."
                  .formatted(ranks, largest(inPool));
        });
  }

  private static long largest(List<Seat> seats) {
    return seats.stream()
        .flatMap(seat -> seat.groupsFor(2).stream())
        .mapToLong(DeviceRanges::size)
        .max()
        .orElse(1);
  }

  private static String described(List<Seat> seats) {
    var all = new TreeSet<String>();
    seats.forEach(seat -> all.add("%s of pool %s".formatted(seat.devices(), seat.pool())));
    return String.join("; ", all.stream().limit(5).toList()) + (all.size() > 5 ? "; ..." : "");
  }
}
