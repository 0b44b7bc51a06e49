package io.ringmaster.service.placement;

import io.ringmaster.service.jobs.Columns;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;

/**
 * Who holds which device; a device is known by its pool and its id. A run gets all its devices or
 * none; the table's key makes a second lease of a device impossible, whatever the code believes.
 * Devices that are private to a run need no lease: nobody else can name them.
 */
@Repository
public class DeviceLeases {

  private final JdbcClient jdbc;
  private final FleetReader fleet;
  private final ApplicationEventPublisher events;
  private final InstantSource clock;

  DeviceLeases(
      JdbcClient jdbc, FleetReader fleet, ApplicationEventPublisher events, InstantSource clock) {
    this.jdbc = jdbc;
    this.fleet = fleet;
    this.events = events;
    this.clock = clock;
  }

  /** Whether runs on this platform compete for devices. */
  public boolean areShared(String platform) {
    return !fleet.privatePlatforms().contains(platform);
  }

  /**
   * Takes all devices of a run.
   *
   * @param until when its limit ends
   * @throws org.springframework.dao.DuplicateKeyException when one is taken; the caller's
   *     transaction must then roll back
   */
  void take(
      String runId,
      int attempt,
      String platform,
      String pool,
      List<Integer> devices,
      Instant until) {
    if (!areShared(platform)) {
      return;
    }
    var now = Columns.now(clock);
    for (int device : devices) {
      jdbc.sql(
              """
              insert into device_lease (pool, device, run_id, attempt, acquired_at, until)
              values (:pool, :device, :run, :attempt, :now, :until)
              """)
          .param("pool", pool)
          .param("device", device)
          .param("run", runId)
          .param("attempt", attempt)
          .param("now", now)
          .param("until", Columns.at(until))
          .update();
    }
  }

  /** Gives back whatever a run holds. */
  public void release(String runId) {
    int freed =
        jdbc.sql("delete from device_lease where run_id = :run").param("run", runId).update();
    if (freed > 0) {
      events.publishEvent(new PlacementEvents.Freed());
    }
  }
}
