package io.ringmaster.service.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringmaster.service.retention.CleanUp;
import io.ringmaster.service.testing.Api;
import io.ringmaster.service.testing.Awaiting;
import io.ringmaster.service.testing.MovableClock;
import io.ringmaster.service.testing.TestService;
import java.time.Duration;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** What is removed when, told by moving the service's clock. */
interface RetentionTests {

  String JOBS = "/api/v1/jobs";

  TestService service();

  private Api api() {
    return service().api();
  }

  private CleanUp.Removed cleanUpIn(Duration time) {
    var clock = service().bean(MovableClock.class);
    clock.moveBy(time);
    try {
      return service().bean(CleanUp.class).run();
    } finally {
      clock.moveBy(time.negated());
    }
  }

  @Test
  default void jobsAreKeptByVerdictAndOutputsForLess() {
    var passed = api().run("# output: y\n").get("id");
    var race = api().run("# verdict: RACE\n").get("id");
    var script = UUID.randomUUID() + ".py";
    var held = api().submit("# hold\n", "\"scriptName\": \"" + script + "\"");
    Awaiting.until("it is held", () -> service().runner().holding().contains(script));
    var outputs = JOBS + "/" + passed + "/runs/1/outputs";
    assertThat(api().get(outputs).expect(200).json().get("outputs")).hasSize(1);
    api().get(outputs + "/y.npy").expect(200);

    var _ = cleanUpIn(Duration.ofDays(1));
    assertThat(api().get(outputs).expect(200).json().get("outputs")).hasSize(1);

    assertThat(cleanUpIn(Duration.ofDays(3)).outputs()).isPositive();
    assertThat(api().get(outputs).expect(200).json().get("outputs")).isEmpty();
    assertThat(api().get(outputs + "/y.npy").expect(404).get("detail"))
        .contains("ringmaster.retention.outputs");
    assertThat(api().get(JOBS + "/" + passed + "/runs/1/timeline").expect(404).get("detail"))
        .contains("ringmaster.retention.outputs");
    api().get(JOBS + "/" + passed + "/report").expect(200);

    assertThat(cleanUpIn(Duration.ofDays(11)).jobs()).isPositive();
    api().get(JOBS + "/" + passed).expect(404);
    api().get(JOBS + "/" + race).expect(200);

    assertThat(cleanUpIn(Duration.ofDays(31)).jobs()).isPositive();
    api().get(JOBS + "/" + race).expect(404);
    api().get(JOBS + "/" + held).expect(200);
    assertThat(
            api()
                .get("/api/v1/golden-results?jobId=" + race)
                .expect(200)
                .json()
                .get("goldenResults"))
        .isEmpty();
    service().runner().release(1);
  }

  @Test
  default void aCleanUpIsPlannedForOneOfTheProcesses() {
    assertThat(
            service()
                .jdbc()
                .sql("select count(*) from scheduled_tasks where task_name = 'clean-up'")
                .query(Long.class)
                .single())
        .isEqualTo(1);
  }
}
