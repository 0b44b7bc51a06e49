package io.ringmaster.service.artifacts;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringmaster.service.testing.Api;
import io.ringmaster.service.testing.Awaiting;
import io.ringmaster.service.testing.HandWorker;
import io.ringmaster.service.testing.S3Server;
import io.ringmaster.service.testing.TestService;
import io.ringmaster.worker.job.JobReport;
import io.ringmaster.worker.job.ReportJson;
import io.ringmaster.worker.job.Verdict;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** A bucket that can't be used: nothing is lost, nothing is green, and it heals by itself. */
@ExtendWith(OutputCaptureExtension.class)
class BucketAwayTest {

  private static final String JOBS = "/api/v1/jobs/";
  private static final String PASSED =
      "{\"attempt\": 1, \"report\": %s}"
          .formatted(
              ReportJson.write(new JobReport(Verdict.PASSED, "by hand", List.of(), List.of())));

  private S3Server server;

  @BeforeEach
  void start(@TempDir Path folder) {
    server = S3Server.start(folder);
  }

  @AfterEach
  void stop() {
    server.close();
  }

  private static void waits(Api api, String job) {
    Awaiting.until(
        job + " waits for the bucket",
        () ->
            api.get(JOBS + job)
                .json()
                .at("/runs/0/phase")
                .asString("")
                .equals("waiting for the place of artifacts"));
    var shown = api.get(JOBS + job).json();
    assertThat(shown.get("state").asString()).isEqualTo("RUNNING");
    assertThat(shown.has("verdict")).isFalse();
  }

  private static void passes(Api api, String job) {
    var shown = api.get(JOBS + job + "?wait=60").expect(200);
    assertThat(shown.get("verdict")).isEqualTo("PASSED");
    assertThat(api.get(JOBS + job + "/report").expect(200).text()).contains("PASSED");
  }

  @Test
  void aBucketThatIsMissingIsMadeWithoutARestart(CapturedOutput output) {
    try (var service = TestService.inMemory(server.settings("later"))) {
      var api = service.api();
      Awaiting.until(
          "the log says it", () -> output.getAll().contains("there is no such bucket. Make it"));
      var job = api.submit("x = 1", "");
      waits(api, job);
      assertThat(output.getAll())
          .contains("bucket later at " + server.address())
          .doesNotContain(S3Server.SECRET);
      api.get("/actuator/health/readiness").expect(200);
      api.get("/actuator/health").expect(503);

      server.makeBucket("later");
      passes(api, job);
      assertThat(server.objects("later")).hasSize(1);
    }
  }

  @Test
  void aServerThatIsAwayIsWaitedFor() {
    server.makeBucket("artifacts");
    try (var service =
        TestService.inMemory(
            with(server.settings("artifacts"), "--ringmaster.workers.stop-grace=300ms"))) {
      var api = service.api();
      var before = api.run("# output: y\n").get("id");
      server.stop();

      var report = api.get(JOBS + before + "/report").expect(503);
      assertThat(report.header("Retry-After")).isPresent();
      assertThat(report.get("detail"))
          .contains("bucket artifacts at " + server.address(), "does not answer")
          .contains("ringmaster.artifacts.s3.endpoint");
      api.get(JOBS + before + "/runs/1/outputs/y.npy").expect(503);
      assertThat(api.get(JOBS + before).expect(200).get("verdict")).isEqualTo("PASSED");

      // Longer than its limit: the time of the bucket isn't the kernel's.
      var job = api.submit("x = 1", "\"limits\": {\"wallSeconds\": 1}");
      waits(api, job);
      var other = api.submit("x = 1", "");
      waits(api, other);
      api.post(JOBS + other + "/cancel").expect(202);
      assertThat(api.get(JOBS + other + "?wait=30").expect(200).get("verdict"))
          .isEqualTo("CANCELLED");
      assertThat(api.get(JOBS + other + "/report").expect(200).text()).contains("CANCELLED");
      waits(api, job);

      server.startAgain();
      passes(api, job);
      passes(api, before);
      assertThat(api.get("/actuator/prometheus").expect(200).text())
          .containsPattern(
              "ringmaster_artifact_seconds_count\\{operation=\"put\",result=\"unavailable\"\\}"
                  + " [1-9]")
          .doesNotContain(S3Server.SECRET);
    }
  }

  @Test
  void aKeyThatIsWrongIsCorrectedWithoutARestart(CapturedOutput output) throws IOException {
    server.makeBucket("artifacts");
    var settings = server.settings("artifacts");
    Files.writeString(server.secretFile(), "planted-but-wrong");
    try (var service = TestService.inMemory(settings)) {
      var api = service.api();
      var job = api.submit("x = 1", "");
      waits(api, job);
      assertThat(output.getAll())
          .contains("it refuses the key", server.secretFile().toString())
          .doesNotContain("planted-but-wrong", S3Server.SECRET);
      Files.delete(server.secretFile());
      assertThat(api.get("/actuator/health").expect(503).text()).doesNotContain("planted");

      Files.writeString(server.secretFile(), S3Server.SECRET);
      passes(api, job);
      assertThat(output.getAll()).doesNotContain("planted-but-wrong", S3Server.SECRET);
    }
  }

  @Test
  void aWorkerElsewhereKeepsItsResultMeanwhile() {
    server.makeBucket("artifacts");
    try (var service =
        TestService.inMemory(
            with(server.settings("artifacts"), "--ringmaster.workers.embedded=0"))) {
      var api = service.api();
      var worker = HandWorker.register(api, "w", "sim", "[\"a2a3sim\"]", "[[0, 7]]", "[]");
      var job = api.submit("x = 1", "");
      var lease = worker.lease();
      server.stop();
      assertThat(worker.tell(lease, "result", PASSED).expect(503).get("detail"))
          .contains("bucket artifacts at");
      assertThat(api.get(JOBS + job).json().get("state").asString()).isEqualTo("RUNNING");
      server.startAgain();
      worker.tell(lease, "result", PASSED).expect(204);
      passes(api, job);
      worker.tell(lease, "result", PASSED).expect(409);
      assertThat(server.objects("artifacts")).hasSize(1);
    }
  }

  private static String[] with(String[] settings, String more) {
    var all = Arrays.copyOf(settings, settings.length + 1);
    all[settings.length] = more;
    return all;
  }
}
