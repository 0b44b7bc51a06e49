package io.ringmaster.service.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.ArrayList;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

class IdsTest {

  private final AtomicReference<Instant> now =
      new AtomicReference<>(Instant.parse("2026-01-01T00:00:00Z"));
  private final Ids ids = new Ids(now::get);

  @Test
  void idsAscendWithinAMillisecondAndWhenTheClockJumpsBack() {
    var made = new ArrayList<String>();
    for (int i = 0; i < 10_000; i++) {
      if (i == 5_000) {
        now.set(Instant.parse("2025-01-01T00:00:00Z"));
      }
      made.add(ids.job());
    }
    assertThat(made).isSorted().doesNotHaveDuplicates();
  }

  @Test
  void anIdIsAUuidOfVersionSevenWithTheTimeInFront() {
    var id = UUID.fromString(ids.job().substring("job_".length()));
    assertThat(id.version()).isEqualTo(7);
    assertThat(id.variant()).isEqualTo(2);
    assertThat(id.getMostSignificantBits() >>> 16).isEqualTo(now.get().toEpochMilli());
  }
}
