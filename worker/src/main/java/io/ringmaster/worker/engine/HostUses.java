package io.ringmaster.worker.engine;

import io.ringmaster.worker.fabric.HostRegion;
import io.ringmaster.worker.fabric.TensorView;
import io.ringmaster.worker.stop.StopOrder;
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
  record Touch(HostRegion region, Footprint bytes, boolean writes) {

    static Touch of(TensorView view, HostRegion region, boolean writes) {
      return new Touch(region, Footprint.of(view), writes);
    }

    HostBuffer buffer() {
      return region.buffer();
    }
  }

  private record Use(Task task, Footprint bytes) {}

  private static final class Uses {
    final List<Use> reads = new ArrayList<>();
    final List<Use> writes = new ArrayList<>();
  }

  private final IdentityHashMap<HostBuffer, Uses> uses = new IdentityHashMap<>();

  /** Adds the tasks that must finish before these bytes may be touched. */
  void before(List<Touch> touches, Set<Task> after) {
    for (Touch touch : touches) {
      Uses known = uses.get(touch.buffer());
      if (known == null) {
        continue;
      }
      overlapping(known.writes, touch.bytes(), after);
      if (touch.writes()) {
        overlapping(known.reads, touch.bytes(), after);
      }
    }
  }

  private static void overlapping(List<Use> earlier, Footprint bytes, Set<Task> after) {
    StopOrder.look();
    for (Use use : earlier) {
      if (!after.contains(use.task()) && use.bytes().overlaps(bytes)) {
        after.add(use.task());
      }
    }
  }

  void add(List<Touch> touches, Task task) {
    for (Touch touch : touches) {
      Uses known = uses.computeIfAbsent(touch.buffer(), key -> new Uses());
      if (touch.writes()) {
        // Whoever has to wait for an earlier user of the same bytes waits for this task, which
        // waits for that one; so the earlier one needs no mention any more.
        known.reads.removeIf(use -> use.bytes().sameAs(touch.bytes()));
        known.writes.removeIf(use -> use.bytes().sameAs(touch.bytes()));
        known.writes.add(new Use(task, touch.bytes()));
      } else {
        known.reads.add(new Use(task, touch.bytes()));
      }
    }
  }
}
