package io.ringmaster.service.fleet;

import io.ringmaster.service.placement.Seat;
import java.time.Instant;
import java.util.List;

/**
 * A worker process elsewhere, as it registered.
 *
 * @param devices ranges of device ids, with both ends
 * @param groups those with links between them, one range for each group
 * @param slots how many runs it executes at once
 * @param draining whether it is to get nothing new
 * @param seenAt its last sign of life
 */
record RemoteWorker(
    String id,
    String name,
    String pool,
    List<String> platforms,
    List<List<Integer>> devices,
    List<List<Integer>> groups,
    int slots,
    boolean draining,
    String version,
    Instant registeredAt,
    Instant seenAt) {

  Seat seat() {
    return Seat.registered(id, name, pool, platforms, devices, groups, draining);
  }
}
