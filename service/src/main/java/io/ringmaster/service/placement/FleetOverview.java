package io.ringmaster.service.placement;

import io.ringmaster.service.jobs.Columns;
import io.ringmaster.service.jobs.Requester;
import io.ringmaster.service.placement.DeviceStatuses.State;
import io.ringmaster.service.placement.DeviceStatuses.Status;
import io.ringmaster.service.problems.ProblemException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Service;
import org.springframework.transaction.support.TransactionTemplate;

/** The fleet for people: what there is, what is held, and what they take out of use. */
@Service
public class FleetOverview {

  private final JdbcClient jdbc;
  private final FleetReader reader;
  private final DeviceStatuses statuses;
  private final Requester requester;
  private final TransactionTemplate transaction;

  FleetOverview(
      JdbcClient jdbc,
      FleetReader reader,
      DeviceStatuses statuses,
      Requester requester,
      TransactionTemplate transaction) {
    this.jdbc = jdbc;
    this.reader = reader;
    this.statuses = statuses;
    this.requester = requester;
    this.transaction = transaction;
  }

  /**
   * A pool.
   *
   * @param isPrivate whether its devices are made anew for each run
   * @param slots runs at once
   * @param held devices that runs have
   */
  public record PoolView(
      String name,
      Set<String> platforms,
      DeviceRanges devices,
      List<DeviceRanges.Range> groups,
      boolean isPrivate,
      long workers,
      long slots,
      long held,
      long draining,
      long quarantined,
      boolean maintenance) {}

  /** A device of which there is something to say. */
  public record DeviceView(
      String pool, int device, Optional<Instant> heldUntil, Optional<Status> status) {}

  /** The pools that have a worker, by name. */
  public List<PoolView> pools() {
    var fleet = reader.read();
    var slots = reader.slots();
    var devices = devices();
    var byPool = new TreeMap<String, List<Seat>>();
    fleet.seats().forEach(s -> byPool.computeIfAbsent(s.pool(), _ -> new ArrayList<>()).add(s));
    var privateOnes = fleet.privatePlatforms();
    return byPool.entrySet().stream()
        .map(
            entry -> {
              var name = entry.getKey();
              var seats = entry.getValue();
              var platforms = new TreeSet<String>();
              seats.forEach(seat -> platforms.addAll(seat.platforms()));
              return new PoolView(
                  name,
                  platforms,
                  new DeviceRanges(
                      seats.stream().flatMap(s -> s.devices().ranges().stream()).toList()),
                  seats.stream().flatMap(seat -> seat.groups().stream()).distinct().toList(),
                  privateOnes.containsAll(platforms),
                  seats.size(),
                  seats.stream().mapToLong(seat -> slots.getOrDefault(seat.worker(), 1)).sum(),
                  count(devices, name, device -> device.heldUntil().isPresent()),
                  count(devices, name, device -> is(device, State.DRAINING)),
                  count(devices, name, device -> is(device, State.QUARANTINED)),
                  fleet.pool(name).maintenance());
            })
        .toList();
  }

  private static boolean is(DeviceView device, State state) {
    return device.status().filter(status -> status.state() == state).isPresent();
  }

  private static long count(
      Collection<DeviceView> devices,
      String pool,
      java.util.function.Predicate<DeviceView> condition) {
    return devices.stream()
        .filter(device -> device.pool().equals(pool) && condition.test(device))
        .count();
  }

  private record Key(String pool, int device) implements Comparable<Key> {
    @Override
    public int compareTo(Key other) {
      int byPool = pool.compareTo(other.pool);
      return byPool == 0 ? Integer.compare(device, other.device) : byPool;
    }
  }

  /** The devices that are held or of which somebody has said something, by pool and id. */
  public List<DeviceView> devices() {
    var all = new TreeMap<Key, DeviceView>();
    jdbc.sql("select pool, device, until from device_lease")
        .query(
            row -> {
              var key = new Key(row.getString(1), row.getInt(2));
              var until =
                  Columns.optionalInstant(row, "until").or(() -> Optional.of(Instant.EPOCH));
              all.put(key, new DeviceView(key.pool(), key.device(), until, Optional.empty()));
            });
    for (var status : statuses.all()) {
      var key = new Key(status.pool(), status.device());
      var held = Optional.ofNullable(all.get(key)).flatMap(DeviceView::heldUntil);
      all.put(key, new DeviceView(status.pool(), status.device(), held, Optional.of(status)));
    }
    return List.copyOf(all.values());
  }

  /** Gives a device nothing new. */
  public DeviceView drain(String pool, int device, String reason) {
    return change(pool, device, () -> set(pool, device, State.DRAINING, reason));
  }

  /** Gives a device nothing until it is released. */
  public DeviceView quarantine(String pool, int device, String reason) {
    return change(pool, device, () -> set(pool, device, State.QUARANTINED, reason));
  }

  private void set(String pool, int device, State state, String reason) {
    statuses.set(pool, device, state, reason, requester.name());
  }

  /** Takes a device back into use. */
  public DeviceView release(String pool, int device) {
    return change(pool, device, () -> statuses.release(pool, device));
  }

  private DeviceView change(String pool, int device, Runnable change) {
    boolean known =
        reader.seats().stream()
                .anyMatch(seat -> seat.pool().equals(pool) && seat.devices().contains(device))
            || find(pool, device).isPresent();
    if (!known) {
      var pools = new HashSet<String>();
      reader.seats().forEach(seat -> pools.add(seat.pool()));
      throw ProblemException.notFound(
          "No worker that lives has device %d of pool %s. Pools: %s."
              .formatted(device, pool, String.join(", ", new TreeSet<>(pools))));
    }
    transaction.executeWithoutResult(_ -> change.run());
    return find(pool, device)
        .orElseGet(() -> new DeviceView(pool, device, Optional.empty(), Optional.empty()));
  }

  private Optional<DeviceView> find(String pool, int device) {
    return devices().stream()
        .filter(view -> view.pool().equals(pool) && view.device() == device)
        .findFirst();
  }

  /** The pools in maintenance. */
  public List<DeviceStatuses.Maintenance> maintenance() {
    return statuses.maintenance();
  }

  /** Begins or ends the maintenance of a pool, or of all. */
  public void maintain(Optional<String> pool, boolean begin, String reason) {
    transaction.executeWithoutResult(
        _ -> {
          if (begin) {
            statuses.beginMaintenance(pool, reason, requester.name());
          } else {
            statuses.endMaintenance(pool);
          }
        });
  }
}
