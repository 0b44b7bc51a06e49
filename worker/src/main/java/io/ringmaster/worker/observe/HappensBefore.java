package io.ringmaster.worker.observe;

import io.ringmaster.worker.fabric.DispatchInfo;
import io.ringmaster.worker.fabric.FabricListener;
import io.ringmaster.worker.fabric.Notification;
import io.ringmaster.worker.fabric.SignalWait;
import java.util.HashMap;
import java.util.Map;

/**
 * Keeps the order that holds in every schedule of a run: program order of each rank (over all its
 * dispatches), a dispatch after those it depends on, and a wait after the notifies that let it
 * through. Has to hear an event before the listeners that ask about it.
 *
 * <p>Source: the memory model of the language (program order, notify to matching wait, completion
 * of a dispatch to the next); which notifies match is decided in {@link CellHistory}.
 */
final class HappensBefore implements FabricListener {

  private final VectorClocks clocks;
  private final Map<Long, Stamp> inFlight = new HashMap<>();
  private final Map<Long, Stamp> finishedDispatches = new HashMap<>();
  private final Map<CellKey, CellHistory> cells = new HashMap<>();
  private final Stamp[] lastSent;

  /** {@code ranks} is the world size; events name ranks 0 to {@code ranks - 1}. */
  HappensBefore(int ranks) {
    clocks = new VectorClocks(ranks);
    lastSent = new Stamp[ranks];
    for (int rank = 0; rank < ranks; rank++) {
      lastSent[rank] = clocks.now(rank);
    }
  }

  /** The point at which {@code rank} is now. */
  Stamp now(int rank) {
    return clocks.now(rank);
  }

  /** The last notify that {@code rank} sent. */
  Stamp lastSent(int rank) {
    return lastSent[rank];
  }

  /** True when the point comes before everything {@code rank} does from now on. */
  boolean precedes(Stamp point, int rank) {
    return clocks.precedes(point, rank);
  }

  @Override
  public void dispatchStarted(DispatchInfo dispatch, long virtualNanos) {
    for (long earlier : dispatch.after()) {
      Stamp finished = finishedDispatches.get(earlier);
      if (finished != null && finished.rank() != dispatch.rank()) {
        clocks.join(dispatch.rank(), finished);
      }
    }
  }

  @Override
  public void dispatchFinished(DispatchInfo dispatch, long virtualNanos) {
    finishedDispatches.put(dispatch.id(), clocks.release(dispatch.rank()));
  }

  @Override
  public void notified(Notification notification) {
    Stamp sent = clocks.release(notification.rank());
    lastSent[notification.rank()] = sent;
    inFlight.put(notification.id(), sent);
  }

  @Override
  public void applied(Notification notification, int before, int after, long virtualNanos) {
    Stamp sent = inFlight.remove(notification.id());
    if (sent == null) {
      throw new IllegalStateException("notify " + notification.id() + " was applied but not sent");
    }
    cells
        .computeIfAbsent(CellKey.of(notification), _ -> new CellHistory(before))
        .applied(notification.value(), notification.set(), sent, clocks);
  }

  @Override
  public void waitSatisfied(SignalWait wait, int seen, long virtualNanos) {
    CellHistory cell = cells.get(CellKey.of(wait));
    if (cell != null) {
      cell.passed(wait, clocks);
    }
  }
}
