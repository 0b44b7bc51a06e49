package io.ringmaster.service.placement;

import io.ringmaster.service.config.RingmasterProperties;
import io.ringmaster.service.config.RingmasterProperties.SimulatedDevices;
import io.ringmaster.service.jobs.Columns;
import io.ringmaster.service.platforms.PlatformCatalog;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;
import tools.jackson.core.type.TypeReference;

/** Sees the fleet as it is now: workers that live, leases, and what is out of use. */
@Repository
public class FleetReader {

  /** The pool that stands for all of them in the table of maintenance. */
  public static final String ALL_POOLS = "*";

  private final JdbcClient jdbc;
  private final EmbeddedSeat embedded;
  private final Set<String> privatePlatforms;
  private final boolean withOwners;
  private final InstantSource clock;

  FleetReader(
      JdbcClient jdbc,
      PlatformCatalog platforms,
      EmbeddedSeat embedded,
      RingmasterProperties properties,
      InstantSource clock) {
    this.jdbc = jdbc;
    this.embedded = embedded;
    this.privatePlatforms =
        properties.placement().simulatedDevices() == SimulatedDevices.PRIVATE
            ? Set.copyOf(platforms.names().stream().filter(platforms::isSimulated).toList())
            : Set.of();
    this.withOwners = properties.quotas().areForRunning();
    this.clock = clock;
  }

  /** The whole fleet; no worker wants anything. */
  public Fleet read() {
    return fleet(seats());
  }

  /**
   * The whole fleet, where one worker wants a run.
   *
   * @param asking that worker; it is in the fleet even if it is not registered
   */
  public Fleet read(Seat asking) {
    var seats = new ArrayList<Seat>();
    seats.add(asking.wanting(1));
    seats().stream().filter(seat -> !seat.worker().equals(asking.worker())).forEach(seats::add);
    return fleet(seats);
  }

  private Fleet fleet(List<Seat> seats) {
    return new Fleet(
        seats, pools(seats), privatePlatforms, withOwners ? owners() : Map.of(), clock.instant());
  }

  /** The platforms whose devices nobody can wait for. */
  public Set<String> privatePlatforms() {
    return privatePlatforms;
  }

  /** Every worker that lives, those of this process included. */
  public List<Seat> seats() {
    var seats = new ArrayList<Seat>();
    embedded.ifPresent().ifPresent(seats::add);
    seats.addAll(
        jdbc.sql(
                """
                select w.id, w.name, w.pool, w.platforms, w.devices, w.device_groups, w.draining
                from worker w join service_instance s on s.id = w.id order by w.id
                """)
            .query(FleetReader::seat)
            .list());
    return seats;
  }

  /** How many runs each worker executes at once, by its id. */
  Map<String, Integer> slots() {
    var slots = new HashMap<String, Integer>();
    embedded.ifPresent().ifPresent(seat -> slots.put(seat.worker(), embedded.slots()));
    jdbc.sql("select id, slots from worker")
        .query(
            row -> {
              slots.put(row.getString(1), row.getInt(2));
            });
    return slots;
  }

  static Seat seat(ResultSet row, int index) throws SQLException {
    return Seat.registered(
        row.getString("id"),
        row.getString("name"),
        row.getString("pool"),
        Columns.parse(row.getString("platforms"), new TypeReference<>() {}),
        Columns.parse(row.getString("devices"), new TypeReference<>() {}),
        Columns.parse(row.getString("device_groups"), new TypeReference<>() {}),
        row.getBoolean("draining"));
  }

  private Map<String, Fleet.OwnerUse> owners() {
    record Part(String owner, String job, String platform, int devices) {}
    var parts =
        jdbc.sql(
                """
                select owner, job_id, platform, sum(ranks) from run where state = 'RUNNING'
                group by owner, job_id, platform
                """)
            .query(
                (row, _) ->
                    new Part(row.getString(1), row.getString(2), row.getString(3), row.getInt(4)))
            .list();
    var owners = new HashMap<String, Fleet.OwnerUse>();
    for (var part : parts) {
      int shared = privatePlatforms.contains(part.platform()) ? 0 : part.devices();
      owners.merge(
          part.owner(),
          new Fleet.OwnerUse(Set.of(part.job()), part.devices(), shared),
          Fleet.OwnerUse::plus);
    }
    return owners;
  }

  private Map<String, Fleet.Pool> pools(List<Seat> seats) {
    var held = new HashMap<String, Map<Integer, Instant>>();
    var off = new HashMap<String, Set<Integer>>();
    var closed = new HashSet<String>();
    // One question, since it is asked for each run that is claimed.
    jdbc.sql(
            """
            select 'HELD' as state, pool, device, until from device_lease
            union all
            select 'OFF', pool, device, cast(null as timestamp with time zone)
            from device_status where state in ('DRAINING', 'QUARANTINED')
            union all
            select 'CLOSED', pool, cast(null as integer), cast(null as timestamp with time zone)
            from maintenance
            """)
        .query(
            row -> {
              var pool = row.getString(2);
              switch (row.getString(1)) {
                case "HELD" ->
                    held.computeIfAbsent(pool, _ -> new HashMap<>())
                        .put(
                            row.getInt(3),
                            Columns.optionalInstant(row, "until").orElse(clock.instant()));
                case "OFF" -> off.computeIfAbsent(pool, _ -> new HashSet<>()).add(row.getInt(3));
                default -> closed.add(pool);
              }
            });
    var names = new HashSet<String>(held.keySet());
    names.addAll(off.keySet());
    seats.forEach(seat -> names.add(seat.pool()));
    var pools = new HashMap<String, Fleet.Pool>();
    for (var name : names) {
      pools.put(
          name,
          new Fleet.Pool(
              held.getOrDefault(name, Map.of()),
              off.getOrDefault(name, Set.of()),
              closed.contains(ALL_POOLS) || closed.contains(name)));
    }
    return pools;
  }
}
