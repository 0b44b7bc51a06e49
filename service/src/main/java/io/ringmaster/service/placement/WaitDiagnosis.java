package io.ringmaster.service.placement;

import io.ringmaster.service.jobs.DeviceRequest;
import io.ringmaster.service.placement.Plan.Wait;
import java.util.Comparator;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/** Finds out why a run can't start: the first cause that would have to go. */
final class WaitDiagnosis {

  private static final int MOST_IDS = 8;

  /** The nearer to its start a run is, the earlier. */
  private static final List<WaitReason> FROM_THE_END =
      List.of(
          WaitReason.NO_WORKER,
          WaitReason.BEHIND_RESERVATION,
          WaitReason.NO_FREE_DEVICE,
          WaitReason.NO_FREE_GROUP,
          WaitReason.POOL_DRAINING,
          WaitReason.QUOTA);

  private final Fleet fleet;
  private final DeviceUse use;
  private final boolean inWords;

  /**
   * Makes a diagnosis for a pass.
   *
   * @param inWords whether somebody reads the details; making a hundred thousand of them takes time
   */
  WaitDiagnosis(Fleet fleet, DeviceUse use, boolean inWords) {
    this.fleet = fleet;
    this.use = use;
    this.inWords = inWords;
  }

  private Wait wait(WaitReason reason, Supplier<String> words) {
    return new Wait(reason, inWords ? words.get() : "");
  }

  /**
   * The cause.
   *
   * @param offering the workers that offer the run's platform, in the pool it asks for
   */
  Wait of(QueuedRun run, List<Seat> offering) {
    if (offering.isEmpty()) {
      return wait(
          WaitReason.NO_WORKER,
          () ->
              "No worker that lives offers %s%s."
                  .formatted(
                      run.platform(), run.pool().map(name -> " in pool " + name).orElse("")));
    }
    var able = offering.stream().filter(seat -> Capacity.holds(seat, run.devices())).toList();
    if (able.isEmpty()) {
      return wait(
          WaitReason.NO_WORKER,
          () -> "No worker that lives has %s.".formatted(asked(run.devices())));
    }
    var open = able.stream().filter(use::isOpen).toList();
    if (open.isEmpty()) {
      return wait(WaitReason.POOL_DRAINING, () -> closed(able.getFirst()));
    }
    return switch (run.devices()) {
      case DeviceRequest.Ids(List<Integer> ids) -> ofIds(run, ids, open);
      case DeviceRequest.Count(int ranks) -> ofCount(run, ranks, open);
    };
  }

  private String closed(Seat seat) {
    return fleet.pool(seat.pool()).maintenance()
        ? "Pool %s is in maintenance.".formatted(seat.pool())
        : "Worker %s is draining.".formatted(seat.name());
  }

  /** Where several pools could take it, the one where least is in its way. */
  private Wait ofIds(QueuedRun run, List<Integer> ids, List<Seat> open) {
    return open.stream()
        .map(Seat::pool)
        .distinct()
        .map(pool -> ofIds(run, ids, pool, open))
        .min(Comparator.comparingInt(wait -> FROM_THE_END.indexOf(wait.reason())))
        .orElseThrow();
  }

  private Wait ofIds(QueuedRun run, List<Integer> ids, String pool, List<Seat> open) {
    var off = use.off(pool, ids);
    if (!off.isEmpty()) {
      return wait(
          WaitReason.POOL_DRAINING,
          () -> "%s of pool %s %s out of use.".formatted(named(off), pool, are(off)));
    }
    if (use.isPrivate(run)) {
      return busy(open);
    }
    var held = use.held(pool, ids);
    if (!held.isEmpty()) {
      return wait(
          WaitReason.NO_FREE_DEVICE,
          () -> "Another run holds %s of pool %s.".formatted(lower(named(held)), pool));
    }
    var kept = use.keptFor(run, pool, ids);
    if (!kept.isEmpty()) {
      return wait(
          WaitReason.BEHIND_RESERVATION,
          () ->
              "%s of pool %s %s kept for %s, which waits for more."
                  .formatted(
                      named(List.copyOf(kept.keySet())),
                      pool,
                      are(kept.keySet()),
                      kept.values().iterator().next()));
    }
    return busy(open);
  }

  private Wait ofCount(QueuedRun run, int ranks, List<Seat> open) {
    boolean anyUsable = false;
    boolean anyFree = false;
    for (var seat : open) {
      var pool = seat.pool();
      for (var group : seat.groupsFor(ranks)) {
        anyUsable |= has(group, ranks, device -> !use.isOff(pool, device));
        anyFree |=
            has(group, ranks, device -> !use.isOff(pool, device) && use.isFree(pool, device));
      }
    }
    if (!anyUsable) {
      return wait(
          WaitReason.POOL_DRAINING,
          () ->
              "Of every group that is large enough, devices are out of use: fewer than %d are left."
                  .formatted(ranks));
    }
    if (use.isPrivate(run)) {
      return busy(open);
    }
    if (!anyFree) {
      boolean grouped = open.stream().anyMatch(seat -> !seat.groups().isEmpty());
      return wait(
          grouped ? WaitReason.NO_FREE_GROUP : WaitReason.NO_FREE_DEVICE,
          () ->
              "No %s has %d free %s now."
                  .formatted(
                      grouped ? "link group" : "worker", ranks, ranks == 1 ? "device" : "devices"));
    }
    boolean startable = open.stream().anyMatch(seat -> use.choose(run, seat).isPresent());
    return startable
        ? busy(open)
        : wait(
            WaitReason.BEHIND_RESERVATION,
            () -> "Free devices are kept for a run before this one, which waits for more.");
  }

  private static boolean has(DeviceRanges group, int ranks, java.util.function.IntPredicate rule) {
    return group.size() >= ranks && group.first(ranks, rule).size() == ranks;
  }

  private Wait busy(List<Seat> open) {
    return wait(
        WaitReason.NO_WORKER,
        () ->
            open.size() == 1
                ? "The worker that could execute it is busy."
                : "All %d workers that could execute it are busy.".formatted(open.size()));
  }

  private static String asked(DeviceRequest request) {
    return switch (request) {
      case DeviceRequest.Ids(List<Integer> ids) -> lower(named(ids));
      case DeviceRequest.Count(int ranks) -> ranks + " linked devices";
    };
  }

  private static String named(List<Integer> devices) {
    var ids =
        devices.stream().limit(MOST_IDS).map(String::valueOf).collect(Collectors.joining(", "));
    var more = devices.size() > MOST_IDS ? ", ..." : "";
    return (devices.size() == 1 ? "Device [" : "Devices [") + ids + more + "]";
  }

  private static String lower(String sentence) {
    return Character.toLowerCase(sentence.charAt(0)) + sentence.substring(1);
  }

  private static String are(java.util.Collection<Integer> devices) {
    return devices.size() == 1 ? "is" : "are";
  }
}
