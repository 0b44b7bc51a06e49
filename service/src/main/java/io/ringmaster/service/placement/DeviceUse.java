package io.ringmaster.service.placement;

import io.ringmaster.service.jobs.DeviceRequest;
import io.ringmaster.service.placement.Plan.Reservation;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** The devices during a pass: what was held before it, what it gives out, and what it keeps. */
final class DeviceUse {

  private final Fleet fleet;
  private final Policy policy;
  private final Map<String, Map<Integer, Instant>> busy = new HashMap<>();
  private final Map<String, Map<Integer, Reservation>> kept = new HashMap<>();
  private final Map<String, Integer> keptFor = new HashMap<>();
  private final List<Reservation> reservations = new ArrayList<>();

  DeviceUse(Fleet fleet, Policy policy) {
    this.fleet = fleet;
    this.policy = policy;
    fleet.pools().forEach((name, pool) -> busy.put(name, new HashMap<>(pool.held())));
  }

  /**
   * Devices for a run.
   *
   * @param leftFree how many devices of their group stay free: few is good
   */
  record Choice(List<Integer> devices, long leftFree) {}

  List<Reservation> reservations() {
    return List.copyOf(reservations);
  }

  /** Whether a worker may get anything at all. */
  boolean isOpen(Seat seat) {
    return !seat.draining() && !fleet.pool(seat.pool()).maintenance();
  }

  boolean isPrivate(QueuedRun run) {
    return fleet.privatePlatforms().contains(run.platform());
  }

  boolean isOff(String pool, int device) {
    return fleet.pool(pool).off().contains(device);
  }

  /** Whether no run has the device; it may be kept for one. */
  boolean isFree(String pool, int device) {
    return !busy(pool).containsKey(device);
  }

  private Map<Integer, Instant> busy(String pool) {
    return busy.getOrDefault(pool, Map.of());
  }

  /** The run that the device is kept for, unless this one is done by then. */
  Optional<Reservation> keptFrom(QueuedRun run, String pool, int device) {
    var reservation = kept.getOrDefault(pool, Map.of()).get(device);
    return reservation == null || !ends(run).isAfter(reservation.from())
        ? Optional.empty()
        : Optional.of(reservation);
  }

  private Instant ends(QueuedRun run) {
    return fleet.now().plus(run.wall()).plus(policy.grace());
  }

  private boolean mayHave(QueuedRun run, String pool, int device) {
    return !isOff(pool, device)
        && (isPrivate(run) || (isFree(pool, device) && keptFrom(run, pool, device).isEmpty()));
  }

  /** All devices of a run on one worker, if it can have them now. */
  Optional<Choice> choose(QueuedRun run, Seat seat) {
    var pool = seat.pool();
    return switch (run.devices()) {
      case DeviceRequest.Ids(List<Integer> ids) -> {
        for (int device : ids) {
          if (!mayHave(run, pool, device)) {
            yield Optional.empty();
          }
        }
        yield seat.devices().containsAll(ids) ? Optional.of(new Choice(ids, 0)) : Optional.empty();
      }
      case DeviceRequest.Count(int ranks) -> {
        Choice best = null;
        for (var group : seat.groupsFor(ranks)) {
          if (group.size() < ranks) {
            continue;
          }
          var devices = group.first(ranks, device -> mayHave(run, pool, device));
          if (devices.size() == ranks) {
            var choice = new Choice(devices, free(pool, group) - ranks);
            best = best == null || choice.leftFree() < best.leftFree() ? choice : best;
          }
        }
        yield Optional.ofNullable(best);
      }
    };
  }

  /** How many devices of a group no run has. */
  private long free(String pool, DeviceRanges group) {
    var off = fleet.pool(pool).off();
    long gone = off.stream().filter(group::contains).count();
    for (int device : busy(pool).keySet()) {
      if (group.contains(device) && !off.contains(device)) {
        gone++;
      }
    }
    return group.size() - gone;
  }

  /** A run has started. */
  void take(QueuedRun run, String pool, List<Integer> devices) {
    if (!isPrivate(run)) {
      var held = busy.computeIfAbsent(pool, _ -> new HashMap<>());
      devices.forEach(device -> held.put(device, ends(run)));
    }
  }

  /**
   * Keeps devices for a run that can't start: those that it can have first.
   *
   * @return whether there are any that could be kept
   */
  boolean reserve(QueuedRun run, List<Seat> seats) {
    if (isPrivate(run)) {
      return false;
    }
    var first =
        seats.stream()
            .filter(this::isOpen)
            .filter(seat -> keptFor.getOrDefault(seat.pool(), 0) < policy.reservations())
            .flatMap(seat -> earliest(run, seat).stream())
            .min(Comparator.comparing(Reservation::from));
    first.ifPresent(this::keep);
    return first.isPresent();
  }

  private void keep(Reservation reservation) {
    reservations.add(reservation);
    keptFor.merge(reservation.pool(), 1, Integer::sum);
    var devices = kept.computeIfAbsent(reservation.pool(), _ -> new HashMap<>());
    reservation.devices().forEach(device -> devices.put(device, reservation));
  }

  private Optional<Reservation> earliest(QueuedRun run, Seat seat) {
    var pool = seat.pool();
    return switch (run.devices()) {
      case DeviceRequest.Ids(List<Integer> ids) ->
          seat.devices().containsAll(ids)
                  && ids.stream().allMatch(device -> mayBeKept(pool, device))
              ? Optional.of(reservation(run, pool, ids))
              : Optional.empty();
      case DeviceRequest.Count(int ranks) ->
          seat.groupsFor(ranks).stream()
              .filter(group -> group.size() >= ranks)
              .map(group -> soonest(pool, group, ranks))
              .filter(devices -> devices.size() == ranks)
              .map(devices -> reservation(run, pool, devices))
              .min(Comparator.comparing(Reservation::from));
    };
  }

  private boolean mayBeKept(String pool, int device) {
    return !isOff(pool, device) && !kept.getOrDefault(pool, Map.of()).containsKey(device);
  }

  /** The devices of a group that are free, and then those whose runs end first. */
  private List<Integer> soonest(String pool, DeviceRanges group, int ranks) {
    var soonest =
        new ArrayList<>(
            group.first(ranks, device -> isFree(pool, device) && mayBeKept(pool, device)));
    if (soonest.size() < ranks) {
      busy(pool).entrySet().stream()
          .filter(entry -> group.contains(entry.getKey()) && mayBeKept(pool, entry.getKey()))
          .sorted(Map.Entry.<Integer, Instant>comparingByValue().thenComparing(Map.Entry::getKey))
          .limit(ranks - soonest.size())
          .forEach(entry -> soonest.add(entry.getKey()));
    }
    return soonest;
  }

  private Reservation reservation(QueuedRun run, String pool, List<Integer> devices) {
    var held = busy(pool);
    var from = fleet.now();
    for (int device : devices) {
      var until = held.get(device);
      if (until != null && until.isAfter(from)) {
        from = until;
      }
    }
    return new Reservation(run.id(), pool, Set.copyOf(new HashSet<>(devices)), from);
  }

  /** The devices of a list that other runs have, with their order. */
  List<Integer> held(String pool, List<Integer> devices) {
    return devices.stream().filter(device -> !isFree(pool, device)).toList();
  }

  /** Of a list, those that are to get nothing new. */
  List<Integer> off(String pool, List<Integer> devices) {
    return devices.stream().filter(device -> isOff(pool, device)).toList();
  }

  /** Of a list, those that are kept for runs before this one, with the run. */
  Map<Integer, String> keptFor(QueuedRun run, String pool, List<Integer> devices) {
    var found = new LinkedHashMap<Integer, String>();
    devices.forEach(
        device -> keptFrom(run, pool, device).ifPresent(some -> found.put(device, some.runId())));
    return found;
  }
}
