package io.ringmaster.worker.engine;

import io.ringmaster.worker.fabric.Finding;
import io.ringmaster.worker.fabric.HostRegion;
import io.ringmaster.worker.fabric.LastWriters;
import java.util.IdentityHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * Host tensors that dispatches of several ranks write to the same bytes of. They run in program
 * order here; what one of them leaves and the next overwrites is lost all the same, and where
 * nothing makes ranks wait for each other, either may come last. Host work doesn't count: it waits
 * for whoever made its tensors, and may read all of them.
 */
final class Crowding {

  private final IdentityHashMap<HostRegion, LastWriters> watched = new IdentityHashMap<>();
  private final Set<String> hostWork;

  /** {@code hostWork} are the functions that no rank runs. */
  Crowding(Set<String> hostWork) {
    this.hostWork = hostWork;
  }

  /**
   * Looks whether a dispatch that waits for other ranks may write where earlier ones of other ranks
   * have something.
   */
  void dispatched(List<HostUses.Touch> touches, Task task, HostUses uses) {
    if (isHostWork(task)) {
      return;
    }
    for (HostUses.Touch touch : touches) {
      if (!touch.writes() || watched.containsKey(touch.region())) {
        continue;
      }
      Set<Task> earlier = new LinkedHashSet<>();
      uses.before(List.of(touch), earlier);
      if (earlier.stream().anyMatch(other -> other.info.rank() != task.info.rank())) {
        watched.put(touch.region(), new LastWriters());
      }
    }
  }

  /** Makes the tensors tell who writes; all dispatches are known now. */
  void watch(List<List<Task>> tasks) {
    if (watched.isEmpty()) {
      return;
    }
    watched.forEach(HostRegion::watch);
    for (Task task : tasks.stream().flatMap(List::stream).toList()) {
      for (HostUses.Touch touch : task.touches()) {
        LastWriters writers = watched.get(touch.region());
        if (writers == null || touch.bytes().isEmpty()) {
          continue;
        }
        boolean host = isHostWork(task);
        if (!touch.writes() || host || task.reads(touch)) {
          writers.reads(task.info, touch.bytes().low(), touch.bytes().high());
        }
        if (touch.writes() && !host && !task.watched.contains(writers)) {
          task.watched.add(writers);
        }
      }
    }
  }

  private boolean isHostWork(Task task) {
    return hostWork.contains(task.info.function());
  }

  /** One finding for each pair of ranks and place. */
  void overwritten(Findings findings) {
    watched.forEach(
        (region, writers) -> writers.found().forEach(lost -> findings.add(finding(region, lost))));
  }

  private static Finding finding(HostRegion region, LastWriters.Overwritten lost) {
    int earlier = lost.earlier().rank();
    int later = lost.later().rank();
    return Finding.of(
        Finding.Kind.OUTPUT_OVERWRITTEN,
        "rank "
            + later
            + " ("
            + lost.later().function()
            + ") writes "
            + region.place(lost.from(), lost.to())
            + " over what rank "
            + earlier
            + " ("
            + lost.earlier().function()
            + ") had written there and nobody has read",
        "give each rank its own part of the tensor; nothing makes one rank wait for the other",
        List.of(Math.min(earlier, later), Math.max(earlier, later)),
        List.of(
            new Finding.Place(earlier, lost.earlier().span(), "written here"),
            new Finding.Place(later, lost.later().span(), "overwritten here")));
  }
}
