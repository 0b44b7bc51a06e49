package io.ringmaster.worker.observe;

import io.ringmaster.worker.fabric.CollectiveCall;
import io.ringmaster.worker.fabric.DispatchInfo;
import io.ringmaster.worker.fabric.FabricListener;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** How far each rank has come: dispatches, and the collective call it is in. */
final class RankProgress implements FabricListener {

  private final int[] dispatches;
  private final int[] calls;
  private final List<Optional<CollectiveCall>> open = new ArrayList<>();

  RankProgress(int ranks) {
    dispatches = new int[ranks];
    calls = new int[ranks];
    for (int rank = 0; rank < ranks; rank++) {
      open.add(Optional.empty());
    }
  }

  @Override
  public void dispatchStarted(DispatchInfo dispatch, long virtualNanos) {
    dispatches[dispatch.rank()]++;
  }

  @Override
  public void collectiveEntered(CollectiveCall call, long virtualNanos) {
    calls[call.rank()]++;
    open.set(call.rank(), Optional.of(call));
  }

  @Override
  public void collectiveLeft(CollectiveCall call, long virtualNanos) {
    open.set(call.rank(), Optional.empty());
  }

  /** Dispatches the rank has begun. */
  int dispatches(int rank) {
    return dispatches[rank];
  }

  /** Collective calls the rank has entered. */
  int calls(int rank) {
    return calls[rank];
  }

  /** The collective call the rank is in. */
  Optional<CollectiveCall> open(int rank) {
    return open.get(rank);
  }
}
