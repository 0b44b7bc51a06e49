package io.ringmaster.service.metrics;

import io.micrometer.core.instrument.MeterRegistry;
import io.ringmaster.service.config.RingmasterProperties;
import io.ringmaster.service.config.RingmasterProperties.SimulatedDevices;
import io.ringmaster.service.jobs.Columns;
import io.ringmaster.service.jobs.State;
import io.ringmaster.service.platforms.Platform;
import io.ringmaster.service.platforms.PlatformCatalog;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/** What is queued, running and held now: one look into the database a scrape, not one a series. */
@Component
class DatabaseGauges {

  private static final Logger LOG = LoggerFactory.getLogger(DatabaseGauges.class);
  private static final Duration FRESH = Duration.ofSeconds(1);

  private final JdbcClient jdbc;
  private final InstantSource clock;
  private final RingmasterProperties properties;
  private Snapshot last = new Snapshot(Instant.EPOCH, Map.of(), Map.of(), Map.of());

  private record Key(String state, String platform) {}

  private record Snapshot(
      Instant takenAt,
      Map<Key, Long> jobs,
      Map<String, Instant> oldestQueued,
      Map<String, Long> devicesInUse) {}

  DatabaseGauges(
      JdbcClient jdbc,
      InstantSource clock,
      RingmasterProperties properties,
      MeterRegistry registry,
      PlatformCatalog platforms) {
    this.jdbc = jdbc;
    this.clock = clock;
    this.properties = properties;
    var meters = new Meters(registry, MetricCatalogue.load());
    for (var platform : platforms.all().stream().filter(Platform::available).toList()) {
      for (var state : List.of(State.QUEUED, State.RUNNING)) {
        var name = state.name().toLowerCase(Locale.ROOT);
        meters.gauge(
            "ringmaster_jobs",
            () -> jobs(state, platform),
            "state",
            name,
            "platform",
            platform.name());
      }
      meters.gauge(
          "ringmaster_oldest_queued_seconds", () -> oldest(platform), "platform", platform.name());
      devices(meters, platform, "free", () -> capacity(platform) - inUse(platform));
      devices(meters, platform, "allocated", () -> inUse(platform));
    }
  }

  private void devices(Meters meters, Platform platform, String state, Supplier<Number> count) {
    meters.gauge(
        "ringmaster_devices",
        count,
        "pool",
        properties.workers().pool(),
        "platform",
        platform.name(),
        "state",
        state);
  }

  /**
   * How many devices could be in use at once. A simulated device exists only while its run does, so
   * it is what all workers together could simulate - or one set for all, where they are shared.
   */
  private long capacity(Platform platform) {
    boolean isShared = properties.placement().simulatedDevices() == SimulatedDevices.SHARED;
    int sets = isShared ? 1 : properties.workers().embedded();
    return Math.max((long) sets * platform.maxDevices(), inUse(platform));
  }

  private long inUse(Platform platform) {
    return snapshot().devicesInUse().getOrDefault(platform.name(), 0L);
  }

  private double jobs(State state, Platform platform) {
    return snapshot().jobs().getOrDefault(new Key(state.name(), platform.name()), 0L);
  }

  private double oldest(Platform platform) {
    var snapshot = snapshot();
    var since = snapshot.oldestQueued().getOrDefault(platform.name(), snapshot.takenAt());
    return Math.max(0, Duration.between(since, snapshot.takenAt()).toNanos() / 1e9);
  }

  private synchronized Snapshot snapshot() {
    var now = clock.instant();
    if (Duration.between(last.takenAt(), now).compareTo(FRESH) >= 0) {
      try {
        last = take(now);
      } catch (DataAccessException e) {
        // A scrape must not fail with the database: it shows what was last seen.
        LOG.warn("Cannot count jobs: {}", e.getMessage());
        last = new Snapshot(now, last.jobs(), last.oldestQueued(), last.devicesInUse());
      }
    }
    return last;
  }

  private Snapshot take(Instant now) {
    var jobs = new HashMap<Key, Long>();
    jdbc.sql(
            """
            select state, platform, count(*) from job
            where state in ('QUEUED', 'RUNNING') group by state, platform
            """)
        .query(
            row -> {
              jobs.put(new Key(row.getString(1), row.getString(2)), row.getLong(3));
            });
    var oldest = new HashMap<String, Instant>();
    jdbc.sql(
            "select platform, min(queued_at) as oldest from run where state = 'QUEUED' group by"
                + " platform")
        .query(
            row -> {
              oldest.put(row.getString(1), Columns.instant(row, "oldest"));
            });
    var inUse = new HashMap<String, Long>();
    jdbc.sql(
            """
            select platform, sum(ranks) from run
            where state = 'RUNNING' and pool = :pool group by platform
            """)
        .param("pool", properties.workers().pool())
        .query(
            row -> {
              inUse.put(row.getString(1), row.getLong(2));
            });
    return new Snapshot(now, jobs, oldest, inUse);
  }
}
