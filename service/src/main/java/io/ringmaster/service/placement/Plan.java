package io.ringmaster.service.placement;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What one pass has decided.
 *
 * @param starts in the order of the queue
 * @param waits of the runs that were looked at and stay in the queue, by run id
 * @param reservations devices that are kept for runs that wait
 */
public record Plan(List<Start> starts, Map<String, Wait> waits, List<Reservation> reservations) {

  /** A run starts now. */
  public record Start(QueuedRun run, Seat seat, List<Integer> devices) {}

  /**
   * A run stays in the queue.
   *
   * @param detail in words; empty in a pass that a worker asked for, where nobody reads it
   */
  public record Wait(WaitReason reason, String detail) {}

  /**
   * Devices that a waiting run will get; others may have them only if they are done by then.
   *
   * @param from when the last of them is free at the latest
   */
  public record Reservation(String runId, String pool, Set<Integer> devices, Instant from) {}
}
