package io.ringmaster.service.placement;

import io.ringmaster.service.config.RingmasterProperties;
import io.ringmaster.service.config.RingmasterProperties.SimulatedDevices;
import io.ringmaster.service.jobs.Columns;
import io.ringmaster.service.jobs.Run;
import io.ringmaster.service.platforms.PlatformCatalog;
import java.time.InstantSource;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;

/**
 * Who holds which device. A run gets all its devices or none; the table's key makes a second lease
 * of a device impossible, whatever the code believes. Devices that are private to a run need no
 * lease: nobody else can name them.
 */
@Repository
public class DeviceLeases {

  private final JdbcClient jdbc;
  private final PlatformCatalog platforms;
  private final SimulatedDevices simulatedDevices;
  private final InstantSource clock;

  public DeviceLeases(
      JdbcClient jdbc,
      PlatformCatalog platforms,
      RingmasterProperties properties,
      InstantSource clock) {
    this.jdbc = jdbc;
    this.platforms = platforms;
    this.simulatedDevices = properties.placement().simulatedDevices();
    this.clock = clock;
  }

  /** Whether runs on this platform compete for devices. */
  boolean areShared(String platform) {
    return !platforms.isSimulated(platform) || simulatedDevices == SimulatedDevices.SHARED;
  }

  /**
   * Takes all devices of a run.
   *
   * @throws org.springframework.dao.DuplicateKeyException when one is taken; the caller's
   *     transaction must then roll back
   */
  void take(Run run, int attempt) {
    if (!areShared(run.platform())) {
      return;
    }
    var now = Columns.now(clock);
    for (int device : run.devices()) {
      jdbc.sql(
              """
              insert into device_lease (pool, device, run_id, attempt, acquired_at)
              values (:pool, :device, :run, :attempt, :now)
              """)
          .param("pool", run.platform())
          .param("device", device)
          .param("run", run.id())
          .param("attempt", attempt)
          .param("now", now)
          .update();
    }
  }

  /** Gives back whatever a run holds. */
  public void release(String runId) {
    jdbc.sql("delete from device_lease where run_id = :run").param("run", runId).update();
  }

  /** The devices of a queued run that other runs hold now, in the run's order. */
  List<Integer> taken(Run run) {
    return taken(List.of(run)).getOrDefault(run.id(), List.of());
  }

  /** The same for many runs, by run id; those whose devices are free are absent. */
  Map<String, List<Integer>> taken(Collection<Run> runs) {
    var held = new HashMap<String, Set<Integer>>();
    var taken = new HashMap<String, List<Integer>>();
    for (var run : runs) {
      if (areShared(run.platform())) {
        var pool = held.computeIfAbsent(run.platform(), this::held);
        var some = run.devices().stream().filter(pool::contains).toList();
        if (!some.isEmpty()) {
          taken.put(run.id(), some);
        }
      }
    }
    return taken;
  }

  private Set<Integer> held(String pool) {
    return jdbc.sql("select device from device_lease where pool = :pool")
        .param("pool", pool)
        .query((row, _) -> row.getInt(1))
        .set();
  }
}
