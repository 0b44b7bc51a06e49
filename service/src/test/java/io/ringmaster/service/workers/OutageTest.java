package io.ringmaster.service.workers;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringmaster.service.testing.MovedTime;
import io.ringmaster.service.testing.TestService;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** When nobody could reach the database for a while, nobody is to blame for it. */
class OutageTest {

  private static final String[] OPTIONS = {
    "--ringmaster.workers.embedded=0",
    "--ringmaster.workers.heartbeat=1h",
    "--ringmaster.workers.lost-after=15s"
  };

  private static long others(TestService service) {
    return service
        .jdbc()
        .sql("select count(*) from service_instance where id = 'other'")
        .query(Long.class)
        .single();
  }

  /** Only later, and only if the other one stays silent. */
  @Test
  void whoComesBackFirstDoesNotGiveUpTheOthers() {
    try (var service = TestService.inMemoryWith(MovedTime.class, OPTIONS)) {
      service.bean(Processes.class).add("other");
      var time = service.bean(MovedTime.class);
      var rounds = service.bean(LostRuns.class);
      time.move(Duration.ofMinutes(5));
      rounds.round(true);
      assertThat(others(service)).isEqualTo(1);
      time.move(Duration.ofSeconds(14));
      rounds.round(false);
      assertThat(others(service)).isEqualTo(1);
      time.move(Duration.ofSeconds(2));
      rounds.round(false);
      assertThat(others(service)).isZero();
    }
  }
}
