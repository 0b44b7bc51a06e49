package io.ringmaster.service.metrics;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
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
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/** What is queued and running now: one look into the database a scrape, not one a series. */
@Component
class QueueGauges {

  private static final Logger LOG = LoggerFactory.getLogger(QueueGauges.class);
  private static final Duration FRESH = Duration.ofSeconds(1);

  private final JdbcClient jdbc;
  private final InstantSource clock;
  private Snapshot last = new Snapshot(Instant.EPOCH, Map.of(), Map.of());

  private record Key(String state, String platform) {}

  private record Snapshot(
      Instant takenAt, Map<Key, Long> jobs, Map<String, Instant> oldestQueued) {}

  QueueGauges(
      JdbcClient jdbc, InstantSource clock, MeterRegistry registry, PlatformCatalog platforms) {
    this.jdbc = jdbc;
    this.clock = clock;
    var meters = new Meters(registry, MetricCatalogue.load());
    for (var platform : platforms.all().stream().filter(Platform::available).toList()) {
      for (var state : List.of(State.QUEUED, State.RUNNING)) {
        Gauge.builder("ringmaster.jobs", this, self -> self.jobs(state, platform))
            .description(meters.meaning("ringmaster_jobs"))
            .tags("state", state.name().toLowerCase(Locale.ROOT))
            .tags("platform", platform.name())
            .strongReference(true)
            .register(registry);
      }
      Gauge.builder("ringmaster.oldest.queued", this, self -> self.oldest(platform))
          .description(meters.meaning("ringmaster_oldest_queued_seconds"))
          .baseUnit("seconds")
          .tags("platform", platform.name())
          .strongReference(true)
          .register(registry);
    }
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
        last = new Snapshot(now, last.jobs(), last.oldestQueued());
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
            "select platform, min(queued_at) as oldest from run where state = 'QUEUED' group by platform")
        .query(
            row -> {
              oldest.put(row.getString(1), Columns.instant(row, "oldest"));
            });
    return new Snapshot(now, jobs, oldest);
  }
}
