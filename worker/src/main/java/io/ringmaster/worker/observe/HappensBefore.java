package io.ringmaster.worker.observe;

import io.ringmaster.worker.fabric.DispatchInfo;
import io.ringmaster.worker.fabric.FabricListener;
import io.ringmaster.worker.fabric.Notification;
import io.ringmaster.worker.fabric.SignalWait;
import io.ringmaster.worker.observe.Doubts.Doubt;
import io.ringmaster.worker.observe.Doubts.Gap;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

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
  private final Doubts known;

  /** Those of {@code known} whose waits are over. */
  private final List<Doubt> met = new ArrayList<>();

  /** {@code ranks} is the world size; events name ranks 0 to {@code ranks - 1}. */
  HappensBefore(int ranks) {
    this(ranks, Doubts.NONE);
  }

  /** The same; waits that are known to be in doubt order no more than what is sure. */
  HappensBefore(int ranks, Doubts known) {
    this.known = known;
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
        .applied(notification, before, after, sent, clocks);
  }

  @Override
  public void waitSatisfied(SignalWait wait, int seen, long virtualNanos) {
    CellHistory cell = cells.get(CellKey.of(wait));
    if (cell != null) {
      Optional<Doubt> doubt = known.about(wait);
      doubt.ifPresent(met::add);
      cell.passed(wait, seen, doubt, clocks);
    }
  }

  /** What is in doubt when what was known to be is taken into account. */
  Doubts doubts() {
    return new Doubts(
        cells.values().stream()
            .flatMap(cell -> cell.doubts().stream())
            .sorted(Comparator.comparingLong(doubt -> doubt.passed().id()))
            .toList());
  }

  /** Waits that passed, and in another schedule would never have ended. */
  List<Passage.Stall> stalls() {
    return cells.values().stream()
        .flatMap(cell -> cell.stalls().stream())
        .sorted(Comparator.comparingLong(stall -> stall.passed().id()))
        .toList();
  }

  /**
   * The wait of a rank that would have ordered it after the point, had its credit been sure.
   *
   * @param by which notifies this depends on
   */
  record Doubted(SignalWait passed, Gap by) {}

  /** See {@link Doubted}; of several, the last. */
  Optional<Doubted> doubted(Stamp point, int rank) {
    Optional<Doubted> found = Optional.empty();
    for (Doubt doubt : met) {
      if (doubt.passed().rank() == rank) {
        for (Gap gap : doubt.gaps()) {
          if (gap.has(point)) {
            found = Optional.of(new Doubted(doubt.passed(), gap));
          }
        }
      }
    }
    return found;
  }
}
