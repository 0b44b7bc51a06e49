package io.ringmaster.service.placement;

import io.ringmaster.service.jobs.Columns;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;

/** What an operator, or a failed probe, has said about devices and pools. */
@Repository
public class DeviceStatuses {

  private static final int MOST_REASON = 500;

  private final JdbcClient jdbc;
  private final ApplicationEventPublisher events;
  private final InstantSource clock;

  DeviceStatuses(JdbcClient jdbc, ApplicationEventPublisher events, InstantSource clock) {
    this.jdbc = jdbc;
    this.events = events;
    this.clock = clock;
  }

  /** What is special about a device. */
  public enum State {
    /** It gets nothing new; what runs there ends in its own time. */
    DRAINING,
    /** It is not to be trusted, and gets nothing until an operator releases it. */
    QUARANTINED,
    /** Something died on it: the next worker tries it out first. */
    SUSPECT
  }

  /** What was said, by whom and when. */
  public record Status(
      String pool, int device, State state, String reason, Instant since, String changedBy) {}

  /** Sets the state of a device. */
  public void set(String pool, int device, State state, String reason, String by) {
    remove(pool, device);
    jdbc.sql(
            """
            insert into device_status (pool, device, state, reason, since, changed_by)
            values (:pool, :device, :state, :reason, :now, :by)
            """)
        .param("pool", pool)
        .param("device", device)
        .param("state", state.name())
        .param("reason", shortened(reason))
        .param("now", Columns.now(clock))
        .param("by", by)
        .update();
  }

  private static String shortened(String reason) {
    var text = Columns.text(reason);
    return text.substring(0, Math.min(MOST_REASON, text.length()));
  }

  private void remove(String pool, int device) {
    jdbc.sql("delete from device_status where pool = :pool and device = :device")
        .param("pool", pool)
        .param("device", device)
        .update();
  }

  /** Takes a device back into use. */
  public void release(String pool, int device) {
    remove(pool, device);
    events.publishEvent(new PlacementEvents.Freed());
  }

  /** Something died on the devices that a run holds: they are to be tried out. */
  public void suspect(String runId) {
    var held =
        jdbc.sql(
                """
                select l.pool, l.device from device_lease l
                where l.run_id = :run and not exists (
                  select 1 from device_status s where s.pool = l.pool and s.device = l.device)
                """)
            .param("run", runId)
            .query((row, _) -> new Key(row.getString(1), row.getInt(2)))
            .list();
    held.forEach(
        key ->
            set(
                key.pool(),
                key.device(),
                State.SUSPECT,
                "The worker of run " + runId + " was lost.",
                "service"));
  }

  private record Key(String pool, int device) {}

  /** Whether one of these devices has to be tried out. */
  boolean hasSuspects(String pool, Collection<Integer> devices) {
    return jdbc
        .sql("select device from device_status where pool = :pool and state = 'SUSPECT'")
        .param("pool", pool)
        .query(Integer.class)
        .list()
        .stream()
        .anyMatch(devices::contains);
  }

  /** The devices have executed something: they are as good as any. */
  public void trust(String runId) {
    jdbc.sql(
            """
            delete from device_status where state = 'SUSPECT' and exists (
              select 1 from device_lease l where l.run_id = :run
                and l.pool = device_status.pool and l.device = device_status.device)
            """)
        .param("run", runId)
        .update();
  }

  /** Everything that was said about devices, by pool and id. */
  public List<Status> all() {
    return jdbc.sql("select * from device_status order by pool, device")
        .query(DeviceStatuses::status)
        .list();
  }

  private static Status status(ResultSet row, int index) throws SQLException {
    return new Status(
        row.getString("pool"),
        row.getInt("device"),
        State.valueOf(row.getString("state")),
        row.getString("reason"),
        Columns.instant(row, "since"),
        row.getString("changed_by"));
  }

  /**
   * A pool that gets nothing new.
   *
   * @param pool {@code *} for all
   */
  public record Maintenance(String pool, String reason, Instant since, String changedBy) {}

  /** Begins the maintenance of a pool, or of all. */
  void beginMaintenance(Optional<String> pool, String reason, String by) {
    var name = pool.orElse(FleetReader.ALL_POOLS);
    removeMaintenance(name);
    jdbc.sql(
            """
            insert into maintenance (pool, reason, since, changed_by)
            values (:pool, :reason, :now, :by)
            """)
        .param("pool", name)
        .param("reason", shortened(reason))
        .param("now", Columns.now(clock))
        .param("by", by)
        .update();
  }

  /** Ends the maintenance of a pool; without one, of all and of each. */
  void endMaintenance(Optional<String> pool) {
    pool.ifPresentOrElse(
        this::removeMaintenance, () -> jdbc.sql("delete from maintenance").update());
    events.publishEvent(new PlacementEvents.Freed());
  }

  private void removeMaintenance(String pool) {
    jdbc.sql("delete from maintenance where pool = :pool").param("pool", pool).update();
  }

  /** The pools in maintenance. */
  public List<Maintenance> maintenance() {
    return jdbc.sql("select * from maintenance order by pool")
        .query(
            (row, _) ->
                new Maintenance(
                    row.getString("pool"),
                    row.getString("reason"),
                    Columns.instant(row, "since"),
                    row.getString("changed_by")))
        .list();
  }
}
