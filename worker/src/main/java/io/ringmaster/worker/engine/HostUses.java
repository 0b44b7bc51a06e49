package io.ringmaster.worker.engine;

import io.ringmaster.worker.fabric.HostRegion;
import io.ringmaster.worker.fabric.TensorView;
import io.ringmaster.worker.tensor.HostBuffer;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;

/**
 * Which tasks read and write which bytes of host tensors. Two tasks that touch a common byte, at
 * least one writing it, run in program order; disjoint bytes order nobody.
 */
final class HostUses {

  /** Bytes of a host buffer that a task touches. */
  record Touch(HostBuffer buffer, Footprint bytes, boolean writes) {

    static Touch of(TensorView view, HostRegion region, boolean writes) {
      return new Touch(region.buffer(), Footprint.of(view), writes);
    }
  }

  private record Use(Task task, Touch touch) {}

  private final IdentityHashMap<HostBuffer, List<Use>> uses = new IdentityHashMap<>();

  /** Adds the tasks that must finish before these bytes may be touched. */
  void before(List<Touch> touches, Set<Task> after) {
    for (Touch touch : touches) {
      for (Use use : uses.getOrDefault(touch.buffer(), List.of())) {
        if ((touch.writes() || use.touch().writes())
            && !after.contains(use.task())
            && use.touch().bytes().overlaps(touch.bytes())) {
          after.add(use.task());
        }
      }
    }
  }

  void add(List<Touch> touches, Task task) {
    for (Touch touch : touches) {
      uses.computeIfAbsent(touch.buffer(), key -> new ArrayList<>()).add(new Use(task, touch));
    }
  }
}
