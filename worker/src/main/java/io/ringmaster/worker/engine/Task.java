package io.ringmaster.worker.engine;

import io.ringmaster.worker.codegen.CompiledFunction;
import io.ringmaster.worker.fabric.BlockedRank;
import io.ringmaster.worker.fabric.DispatchInfo;
import io.ringmaster.worker.fabric.HostRegion;
import io.ringmaster.worker.fabric.LastWriters;
import io.ringmaster.worker.fabric.TensorView;
import io.ringmaster.worker.ir.Function;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A planned dispatch: what runs, on what, and after what. */
final class Task {

  final DispatchInfo info;
  final CompiledFunction function;
  final @Nullable Object[] arguments;
  final Map<String, Long> dims;

  /** Host tensors that receive the function's results. */
  final List<TensorView> results;

  /** Tasks of other ranks that wait for this one. */
  final List<Task> dependents = new ArrayList<>();

  /** Tasks of other ranks this one still waits for. */
  final List<Task> open = new ArrayList<>();

  /** Who wrote last to the tensors that it writes, where other ranks write there as well. */
  final List<LastWriters> watched = new ArrayList<>();

  /** When the last of them finished. */
  long readyAt;

  Task(
      DispatchInfo info,
      CompiledFunction function,
      @Nullable Object[] arguments,
      Map<String, Long> dims,
      List<TensorView> results) {
    this.info = info;
    this.function = function;
    this.arguments = arguments;
    this.dims = dims;
    this.results = results;
  }

  /** What makes this one wait for an earlier one. */
  BlockedRank.Held heldBy(Task earlier) {
    String bytes = "a host tensor";
    for (HostUses.Touch mine : touches()) {
      for (HostUses.Touch theirs : earlier.touches()) {
        if (mine.region() == theirs.region()
            && (mine.writes() || theirs.writes())
            && mine.bytes().overlaps(theirs.bytes())) {
          return new BlockedRank.Held(
              info,
              earlier.info,
              mine.region()
                  .place(
                      mine.bytes().firstCommon(theirs.bytes()),
                      mine.bytes().endOfCommon(theirs.bytes())),
              mine.writes() && theirs.writes());
        }
      }
    }
    return new BlockedRank.Held(info, earlier.info, bytes, false);
  }

  /** It writes from now on. */
  void goesOn() {
    for (LastWriters writers : watched) {
      writers.running(info);
    }
  }

  /** True when it is declared to read what a touch covers. */
  boolean reads(HostUses.Touch touch) {
    for (int i = 0; i < arguments.length; i++) {
      if (arguments[i] instanceof TensorView view
          && view.region() == touch.region()
          && function.source().params().get(i).direction() != Function.Direction.OUT
          && Footprint.of(view).sameAs(touch.bytes())) {
        return true;
      }
    }
    return false;
  }

  /** The bytes of host tensors that it uses. */
  List<HostUses.Touch> touches() {
    List<HostUses.Touch> touches = new ArrayList<>();
    for (int i = 0; i < arguments.length; i++) {
      if (arguments[i] instanceof TensorView view && view.region() instanceof HostRegion host) {
        boolean writes = function.source().params().get(i).direction().isWritten();
        touches.add(HostUses.Touch.of(view, host, writes));
      }
    }
    for (TensorView result : results) {
      if (result.region() instanceof HostRegion host) {
        touches.add(HostUses.Touch.of(result, host, true));
      }
    }
    return touches;
  }
}
