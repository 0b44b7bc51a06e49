package io.ringmaster.service.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringmaster.service.testing.Awaiting;
import io.ringmaster.service.testing.RealPostgres;
import io.ringmaster.service.testing.TestService;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Two processes of the service on one database, each with workers of its own. */
class TwoReplicasTest {

  private static final String JOBS = "/api/v1/jobs";
  private static final String[] OPTIONS = {
    "--ringmaster.placement.simulated-devices=SHARED",
    "--ringmaster.workers.embedded=3",
    "--ringmaster.workers.devices=0-7",
    "--ringmaster.workers.groups=0-3,4-7",
    "--ringmaster.workers.heartbeat=200ms",
    "--ringmaster.workers.lost-after=10s"
  };

  private final RealPostgres postgres = RealPostgres.start();
  private final TestService one = TestService.on(postgres, OPTIONS);
  private final TestService two = TestService.on(postgres, OPTIONS);

  @AfterEach
  void stop() {
    one.close();
    two.close();
    postgres.close();
  }

  private static String ask(Random random) {
    var devices =
        random.nextBoolean()
            ? "\"auto:%d\"".formatted(1 + random.nextInt(4))
            : "[%d, %d]".formatted(random.nextInt(4), 4 + random.nextInt(4));
    return "{\"script\": \"x = 1\", \"platform\": \"a2a3sim\", \"devices\": %s}".formatted(devices);
  }

  private static String submit(TestService service, Random random) {
    return service.api().postJson(JOBS, ask(random)).expect(202).get("id");
  }

  /** S21. One of the two ends in the middle of it, and nobody has to do anything. */
  @Test
  void theyShareQueueAndDevicesAndEachTakesOver() {
    var random = new Random(7);
    var jobs = new ArrayList<String>();
    for (int i = 0; i < 60; i++) {
      jobs.add(submit(i % 2 == 0 ? one : two, random));
    }
    one.close();
    for (int i = 0; i < 10; i++) {
      jobs.add(submit(two, random));
    }
    for (var job : jobs) {
      Awaiting.until(
          job + " ends",
          () -> two.api().get(JOBS + "/" + job).expect(200).get("state").equals("FINISHED"));
      assertThat(two.api().get(JOBS + "/" + job).get("verdict")).isEqualTo("PASSED");
    }
    assertThat(two.jdbc().sql("select count(*) from device_lease").query(Long.class).single())
        .isZero();
    noDeviceWasHeldTwice();
    assertThat(
            two.jdbc()
                .sql("select count(*) from attempt where outcome = 'FINISHED'")
                .query(Long.class)
                .single())
        .isEqualTo(jobs.size());
    assertThat(
            two.jdbc().sql("select count(distinct instance) from run").query(Long.class).single())
        .isEqualTo(2);
  }

  private record Span(OffsetDateTime from, OffsetDateTime to) {}

  private void noDeviceWasHeldTwice() {
    var spans = new HashMap<String, List<Span>>();
    two.jdbc()
        .sql("select devices, started_at, ended_at from attempt")
        .query(
            row -> {
              for (var device : row.getString(1).replaceAll("[\\[\\] ]", "").split(",", -1)) {
                spans
                    .computeIfAbsent(device, _ -> new ArrayList<>())
                    .add(
                        new Span(
                            row.getObject(2, OffsetDateTime.class),
                            row.getObject(3, OffsetDateTime.class)));
              }
            });
    spans.forEach(
        (device, all) -> {
          all.sort((x, y) -> x.from().compareTo(y.from()));
          for (int i = 1; i < all.size(); i++) {
            assertThat(all.get(i).from())
                .as("device %s", device)
                .isAfterOrEqualTo(all.get(i - 1).to());
          }
        });
  }
}
