package io.ringmaster.worker.engine;

import io.ringmaster.worker.fabric.HostRegion;
import io.ringmaster.worker.fabric.TensorView;
import io.ringmaster.worker.stop.StopOrder;
import io.ringmaster.worker.tensor.HostBuffer;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;

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

  /**
   * Uses by where they begin, those of a like length together: what overlaps some bytes is found
   * without looking at what lies elsewhere.
   */
  private static final class Uses {
    private final List<TreeMap<Long, List<Use>>> byLength = new ArrayList<>();

    /** Adds the tasks of overlapping uses, in the order in which they were planned. */
    void overlapping(Footprint bytes, Set<Task> after) {
      List<Task> found = new ArrayList<>();
      for (int size = 0; size < byLength.size(); size++) {
        StopOrder.look();
        // Those of this class are shorter than the next power of two.
        long first = bytes.low() - (size >= Long.SIZE - 2 ? bytes.low() : 1L << size);
        if (first >= bytes.high()) {
          continue;
        }
        for (List<Use> uses : byLength.get(size).subMap(first, bytes.high()).values()) {
          for (Use use : uses) {
            if (!after.contains(use.task()) && use.bytes().overlaps(bytes)) {
              found.add(use.task());
            }
          }
        }
      }
      found.sort(Comparator.comparingLong(task -> task.info.id()));
      after.addAll(found);
    }

    void add(Use use) {
      int size = size(use.bytes());
      while (byLength.size() <= size) {
        byLength.add(new TreeMap<>());
      }
      byLength.get(size).computeIfAbsent(use.bytes().low(), _ -> new ArrayList<>()).add(use);
    }

    /** Forgets uses of exactly these bytes. */
    void remove(Footprint bytes, Predicate<Use> superfluous) {
      int size = size(bytes);
      List<Use> same = size < byLength.size() ? byLength.get(size).get(bytes.low()) : null;
      if (same != null) {
        same.removeIf(use -> superfluous.test(use) && use.bytes().sameAs(bytes));
      }
    }

    private static int size(Footprint bytes) {
      return Long.SIZE - Long.numberOfLeadingZeros(Math.max(0, bytes.high() - bytes.low()));
    }
  }

  private static final class Known {
    final Uses reads = new Uses();
    final Uses writes = new Uses();
  }

  private final IdentityHashMap<HostBuffer, Known> uses = new IdentityHashMap<>();

  /** Adds the tasks that must finish before these bytes may be touched. */
  void before(List<Touch> touches, Set<Task> after) {
    for (Touch touch : touches) {
      Known known = uses.get(touch.buffer());
      if (known == null || touch.bytes().isEmpty()) {
        continue;
      }
      known.writes.overlapping(touch.bytes(), after);
      if (touch.writes()) {
        known.reads.overlapping(touch.bytes(), after);
      }
    }
  }

  void add(List<Touch> touches, Task task) {
    for (Touch touch : touches) {
      if (touch.bytes().isEmpty()) {
        continue;
      }
      Known known = uses.computeIfAbsent(touch.buffer(), _ -> new Known());
      Use use = new Use(task, touch.bytes());
      if (touch.writes()) {
        // Whoever has to wait for an earlier user of the same bytes waits for this task, which
        // waits for that one; so the earlier one needs no mention any more.
        known.reads.remove(touch.bytes(), _ -> true);
        known.writes.remove(touch.bytes(), _ -> true);
        known.writes.add(use);
      } else {
        // A rank's dispatches run in order, so its last reader speaks for those before.
        known.reads.remove(
            touch.bytes(), earlier -> earlier.task().info.rank() == task.info.rank());
        known.reads.add(use);
      }
    }
  }
}
