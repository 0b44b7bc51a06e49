package io.ringmaster.worker.observe;

import io.ringmaster.worker.fabric.CollectiveCall;
import io.ringmaster.worker.fabric.DispatchInfo;
import io.ringmaster.worker.fabric.FabricListener;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** How far each rank has come: dispatches, and the collective call it is in. */
final class RankProgress implements FabricListener {

  private final int[] dispatches;
  private final Map<String, int[]> calls = new HashMap<>();
  private final List<Optional<CollectiveCall>> open = new ArrayList<>();
  private final List<Optional<DispatchInfo>> latest = new ArrayList<>();

  RankProgress(int ranks) {
    dispatches = new int[ranks];
    for (int rank = 0; rank < ranks; rank++) {
      open.add(Optional.empty());
      latest.add(Optional.empty());
    }
  }

  @Override
  public void dispatchStarted(DispatchInfo dispatch, long virtualNanos) {
    dispatches[dispatch.rank()]++;
    latest.set(dispatch.rank(), Optional.of(dispatch));
  }

  @Override
  public void collectiveEntered(CollectiveCall call, long virtualNanos) {
    calls.computeIfAbsent(call.window().domain(), _ -> new int[dispatches.length])[call.rank()]++;
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

  /** The dispatch that the rank has begun last. */
  Optional<DispatchInfo> latest(int rank) {
    return latest.get(rank);
  }

  /** Collective calls of a domain that the rank has entered. */
  int calls(int rank, String domain) {
    int[] entered = calls.get(domain);
    return entered == null ? 0 : entered[rank];
  }

  /** Members of the call's domain that haven't come to this call yet. */
  List<Integer> behind(CollectiveCall call) {
    String domain = call.window().domain();
    int reached = calls(call.rank(), domain);
    return call.window().members().stream().filter(rank -> calls(rank, domain) < reached).toList();
  }

  /** The collective call the rank is in. */
  Optional<CollectiveCall> open(int rank) {
    return open.get(rank);
  }
}
