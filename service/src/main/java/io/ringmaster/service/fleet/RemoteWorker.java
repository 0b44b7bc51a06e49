package io.ringmaster.service.fleet;

import io.ringmaster.service.placement.Offer;
import java.time.Instant;
import java.util.List;
import java.util.Set;

/**
 * A worker process elsewhere, as it registered.
 *
 * @param devices ranges of device ids, with both ends
 * @param seenAt its last sign of life
 */
record RemoteWorker(
    String id,
    String name,
    String pool,
    List<String> platforms,
    List<List<Integer>> devices,
    String version,
    Instant registeredAt,
    Instant seenAt) {

  Offer offer() {
    return new Offer(
        Set.copyOf(platforms),
        device ->
            devices.stream()
                .anyMatch(range -> device >= range.getFirst() && device <= range.getLast()));
  }
}
