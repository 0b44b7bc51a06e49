package io.ringmaster.service.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringmaster.service.testing.Api;
import io.ringmaster.service.testing.Awaiting;
import io.ringmaster.service.testing.ServiceProcess;
import io.ringmaster.service.testing.TestService;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a restart keeps, and what it takes up again. */
class RestartTest {

  private static final String JOBS = "/api/v1/jobs";

  @Test
  void resultsAreThereAfterARestartAndStoppedRunsGoOn(@TempDir Path folder) {
    String passed;
    String held;
    var key = "nightly-1";
    try (var service = TestService.inFolder(folder)) {
      var api = service.api();
      passed =
          api.postJson(JOBS + "?wait=30", Api.job("x = 1\n", ""), "Idempotency-Key", key)
              .expect(200)
              .get("id");
      held = api.submit("# hold\n", "\"scriptName\":\"held.py\"");
      Awaiting.until("the run is held", () -> service.runner().holding().contains("held.py"));
    }
    try (var service = TestService.inFolder(folder)) {
      var api = service.api();
      var again = api.postJson(JOBS, Api.job("x = 1\n", ""), "Idempotency-Key", key).expect(200);
      assertThat(again.get("id")).isEqualTo(passed);
      assertThat(api.get("/api/v1/golden-results").expect(200).json().get("goldenResults"))
          .hasSize(1);
      service.runner().release(1);
      var ended = api.get(JOBS + "/" + held + "?wait=30").expect(200);
      assertThat(ended.get("verdict")).isEqualTo("PASSED");
      assertThat(ended.json().at("/runs/0/attempt").asInt()).isEqualTo(2);
    }
  }

  /** S07 in small: nobody calls the API after the restart, and yet everything ends, once. */
  @Test
  void everythingEndsAfterAKillWithoutAnybodyAsking(@TempDir Path folder) {
    var ids = new ArrayList<String>();
    try (var process = ServiceProcess.start(folder, 4)) {
      for (int i = 0; i < 12; i++) {
        ids.add(process.api().submit("# hold\n", ""));
      }
      Awaiting.until(
          "four runs are running",
          () -> process.api().get(JOBS + "?state=RUNNING").json().get("jobs").size() == 4);
      process.kill();
    }
    try (var service = TestService.inFolder(folder, "--ringmaster.workers.embedded=4")) {
      service.runner().release(ids.size());
      Awaiting.until(
          "all jobs are finished",
          () ->
              service
                      .jdbc()
                      .sql("select count(*) from job where state = 'FINISHED'")
                      .query(Integer.class)
                      .single()
                  == ids.size());
      assertThat(service.runner().executed()).hasSize(ids.size());
      var attempts =
          service
              .jdbc()
              .sql("select attempt from run order by attempt")
              .query((row, _) -> row.getInt(1))
              .list();
      assertThat(attempts).hasSize(ids.size()).filteredOn(a -> a == 2).hasSize(4);
      assertThat(attempts).filteredOn(a -> a == 1).hasSize(8);
    }
  }

  @Test
  void aRunThatLosesItsWorkerTwiceEnds(@TempDir Path folder) {
    String id = "";
    for (int attempt = 1; attempt <= 2; attempt++) {
      try (var process = ServiceProcess.start(folder, 1)) {
        if (attempt == 1) {
          id = process.api().submit("# hold\n", "");
        }
        Awaiting.until(
            "the run is running",
            () -> process.api().get(JOBS + "?state=RUNNING").json().get("jobs").size() == 1);
        process.kill();
      }
    }
    try (var service = TestService.inFolder(folder)) {
      var ended = service.api().get(JOBS + "/" + id + "?wait=30").expect(200);
      assertThat(ended.get("verdict")).isEqualTo("WORKER_LOST");
      assertThat(service.runner().executed()).isEqualTo(List.of());
    }
  }
}
