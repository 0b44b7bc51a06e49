package io.ringmaster.service.placement;

import io.ringmaster.service.placement.Plan.Reservation;
import io.ringmaster.service.placement.Plan.Start;
import io.ringmaster.service.placement.Plan.Wait;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** A pass in progress: {@link Planner} for a queue that is read piece by piece. */
final class PlanningPass {

  private final Fleet fleet;
  private final DeviceUse use;
  private final QuotaUse quotas;
  private final Map<String, Integer> free = new HashMap<>();
  private final Map<String, List<Seat>> byPlatform = new HashMap<>();
  private final Map<String, Wait> blocked = new HashMap<>();
  private final List<Start> starts = new ArrayList<>();
  private final Map<String, Wait> waits = new LinkedHashMap<>();
  private final boolean asked;
  private int left;

  PlanningPass(Fleet fleet, Policy policy) {
    this.fleet = fleet;
    this.use = new DeviceUse(fleet, policy);
    this.quotas = new QuotaUse(fleet, policy);
    for (var seat : fleet.seats()) {
      free.merge(seat.worker(), seat.free(), Integer::sum);
      left += seat.free();
    }
    this.asked = left > 0;
  }

  /** Whether nobody wants a run any more; a pass that nobody asked only explains. */
  boolean isOver() {
    return asked && left == 0;
  }

  /** Whether what was found out about earlier runs holds for this one too. */
  boolean isKnown(QueuedRun run) {
    return blocked.containsKey(run.kind()) || quotas.isKnown(run);
  }

  /** What runs that can't start ask for: others that ask for the same need not be looked at. */
  Set<String> blockedKinds() {
    return blocked.keySet();
  }

  /** Whose runs need not be looked at. */
  QuotaUse.Full fullOwners() {
    return quotas.full();
  }

  /** Looks at the next run of the queue; what was found out about one stays. */
  void consider(QueuedRun run) {
    if (waits.containsKey(run.id())) {
      return;
    }
    var known = blocked.get(run.kind());
    if (known != null) {
      waits.put(run.id(), known);
      return;
    }
    var overQuota = quotas.refusal(run);
    if (overQuota.isPresent()) {
      waits.put(run.id(), new Wait(WaitReason.QUOTA, overQuota.get()));
      return;
    }
    var seats = seats(run);
    var start = best(run, seats);
    if (start.isPresent()) {
      var seat = start.get().seat();
      starts.add(start.get());
      free.merge(seat.worker(), -1, Integer::sum);
      left--;
      use.take(run, seat.pool(), start.get().devices());
      quotas.take(run);
    } else {
      var wait = new WaitDiagnosis(fleet, use, !asked).of(run, seats);
      if (use.reserve(run, seats)) {
        quotas.take(run);
      }
      blocked.put(run.kind(), wait);
      waits.put(run.id(), wait);
    }
  }

  private List<Seat> seats(QueuedRun run) {
    var all =
        byPlatform.computeIfAbsent(
            run.platform(),
            platform ->
                fleet.seats().stream().filter(s -> s.platforms().contains(platform)).toList());
    return run.pool().isEmpty() ? all : all.stream().filter(seat -> seat.offers(run)).toList();
  }

  private Optional<Start> best(QueuedRun run, List<Seat> seats) {
    Start best = null;
    long fewest = Long.MAX_VALUE;
    for (var seat : seats) {
      if (free.getOrDefault(seat.worker(), 0) == 0 || !use.isOpen(seat)) {
        continue;
      }
      var choice = use.choose(run, seat);
      if (choice.isPresent() && choice.get().leftFree() < fewest) {
        fewest = choice.get().leftFree();
        best = new Start(run, seat, choice.get().devices());
      }
    }
    return Optional.ofNullable(best);
  }

  Plan plan() {
    return new Plan(List.copyOf(starts), Map.copyOf(waits), reservations());
  }

  private List<Reservation> reservations() {
    return use.reservations();
  }
}
