package io.ringmaster.service.metrics;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.ringmaster.service.config.RingmasterProperties;
import io.ringmaster.service.jobs.Columns;
import io.ringmaster.service.placement.FleetOverview;
import io.ringmaster.service.placement.FleetOverview.PoolView;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/** Devices and signs of life by pool and worker: what comes and goes while the service runs. */
@Component
class FleetGauges implements SmartLifecycle {

  private static final Logger LOG = LoggerFactory.getLogger(FleetGauges.class);
  private static final Duration PERIOD = Duration.ofSeconds(2);
  private static final String SEVERAL = "several";

  /** More names than these would make series without an end. */
  private static final int MOST_WORKERS = 200;

  private final FleetOverview fleet;
  private final JdbcClient jdbc;
  private final String embeddedPool;
  private final ChangingGauge devices;
  private final ChangingGauge heartbeats;
  private final ScheduledExecutorService schedule =
      Executors.newSingleThreadScheduledExecutor(
          Thread.ofPlatform().name("fleet-gauges").daemon().factory());
  private volatile boolean running;

  FleetGauges(
      FleetOverview fleet,
      JdbcClient jdbc,
      MeterRegistry registry,
      RingmasterProperties properties) {
    this.fleet = fleet;
    this.jdbc = jdbc;
    this.embeddedPool = properties.workers().pool();
    var catalogue = MetricCatalogue.load();
    devices = new ChangingGauge("ringmaster_devices", catalogue, registry);
    heartbeats =
        new ChangingGauge("ringmaster_worker_heartbeat_timestamp_seconds", catalogue, registry);
  }

  @Override
  public void start() {
    running = true;
    refresh();
    var _ =
        schedule.scheduleWithFixedDelay(
            this::refresh, PERIOD.toNanos(), PERIOD.toNanos(), TimeUnit.NANOSECONDS);
  }

  private void refresh() {
    try {
      var counts = new HashMap<Tags, Double>();
      var allocated = allocated();
      fleet.pools().forEach(pool -> count(pool, allocated.getOrDefault(pool.name(), 0L), counts));
      devices.show(counts);
      heartbeats.show(signsOfLife());
    } catch (DataAccessException e) {
      // What was last seen stays; a scrape doesn't fail with the database.
      LOG.debug("Cannot look at the fleet: {}", e.getMessage());
    }
  }

  /** The embedded pool's free and held devices are shown by platform, elsewhere. */
  private void count(PoolView pool, long allocated, Map<Tags, Double> counts) {
    if (!pool.name().equals(embeddedPool)) {
      long sets = pool.isPrivate() ? pool.slots() : 1;
      long size = pool.devices().size() * sets;
      long off = (pool.draining() + pool.quarantined()) * sets;
      counts.put(tags(pool, "free"), (double) Math.max(0, size - off - allocated));
      counts.put(tags(pool, "allocated"), (double) allocated);
    }
    counts.put(tags(pool, "draining"), (double) pool.draining());
    counts.put(tags(pool, "quarantined"), (double) pool.quarantined());
  }

  /** Devices that are private to a run have no lease, but they are in use as well. */
  private Map<String, Long> allocated() {
    var allocated = new HashMap<String, Long>();
    jdbc.sql("select pool, sum(ranks) from run where state = 'RUNNING' group by pool")
        .query(
            row -> {
              allocated.put(row.getString(1), row.getLong(2));
            });
    return allocated;
  }

  private static Tags tags(PoolView pool, String state) {
    var platform = pool.platforms().size() == 1 ? pool.platforms().iterator().next() : SEVERAL;
    return Tags.of("pool", pool.name(), "platform", platform, "state", state);
  }

  private Map<Tags, Double> signsOfLife() {
    var seen = new TreeMap<String, Double>();
    jdbc.sql(
            """
            select coalesce(w.name, 'service') as name, s.heartbeat_at
            from service_instance s left join worker w on w.id = s.id
            """)
        .query(
            row -> {
              seen.merge(
                  row.getString(1),
                  Columns.instant(row, "heartbeat_at").toEpochMilli() / 1e3,
                  Math::max);
            });
    var signs = new HashMap<Tags, Double>();
    seen.entrySet().stream()
        .limit(MOST_WORKERS)
        .forEach(entry -> signs.put(Tags.of("worker", entry.getKey()), entry.getValue()));
    return signs;
  }

  @Override
  public void stop() {
    running = false;
    schedule.shutdownNow();
  }

  @Override
  public boolean isRunning() {
    return running;
  }
}
