package io.ringmaster.service.testing;

import io.ringmaster.service.config.DatabaseTime;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.concurrent.atomic.AtomicReference;

/** A time for signs of life that moves only when a test moves it. */
public final class MovedTime implements DatabaseTime {

  private final AtomicReference<Instant> time =
      new AtomicReference<>(Instant.parse("2026-01-01T00:00:00Z"));

  public void move(Duration by) {
    time.updateAndGet(now -> now.plus(by));
  }

  @Override
  public OffsetDateTime now() {
    return time.get().atOffset(ZoneOffset.UTC);
  }
}
