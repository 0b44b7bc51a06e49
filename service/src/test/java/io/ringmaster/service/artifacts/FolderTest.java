package io.ringmaster.service.artifacts;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ringmaster.service.retention.CleanUp;
import io.ringmaster.service.testing.MovableClock;
import io.ringmaster.service.testing.TestService;
import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FolderTest {

  private static final String NOBODY = "run_00000000-0000-7000-8000-000000000000";

  @TempDir private Path folder;

  private long files() throws IOException {
    try (Stream<Path> all = Files.walk(folder)) {
      return all.filter(Files::isRegularFile).count();
    }
  }

  @Test
  void contentsLieInTheFolderAndGoWithTheirJobs() throws IOException {
    try (var service = TestService.inMemory("--ringmaster.artifacts.folder=" + folder)) {
      var api = service.api();
      var job = api.run("# output: ../../y\n").get("id");
      assertThat(files()).isEqualTo(2);
      assertThat(api.get("/api/v1/jobs/" + job + "/report").expect(200).text()).contains("PASSED");
      assertThat(api.get("/api/v1/jobs/" + job + "/runs/1/outputs").expect(200).text())
          .contains("../../y.npy");

      var blobs = service.bean(ArtifactStore.class).places().getFirst();
      blobs.put(NOBODY, "left over", "x".getBytes(StandardCharsets.UTF_8));
      assertThat(service.bean(CleanUp.class).run().ownerless()).isZero();
      service.bean(MovableClock.class).moveBy(Duration.ofHours(2));
      assertThat(service.bean(CleanUp.class).run().ownerless()).isEqualTo(1);
      assertThat(blobs.get(NOBODY, "left over")).isEmpty();
      assertThat(files()).isEqualTo(2);

      service.bean(MovableClock.class).moveBy(Duration.ofDays(400));
      assertThat(service.bean(CleanUp.class).run().jobs()).isEqualTo(1);
      assertThat(files()).isZero();
    }
  }

  @Test
  void aContentThatIsOutOfReachIsNoReportWithoutChecks(@TempDir Path data) {
    String job;
    try (var service = TestService.inFolder(data, "--ringmaster.artifacts.folder=" + folder)) {
      job = service.api().run("x = 1").get("id");
    }
    for (var other : List.of("", data.resolve("other").toString())) {
      try (var service =
          other.isEmpty()
              ? TestService.inFolder(data)
              : TestService.inFolder(data, "--ringmaster.artifacts.folder=" + other)) {
        var api = service.api();
        assertThat(api.get("/api/v1/jobs/" + job + "/report").expect(503).get("detail"))
            .contains("report.json", "ringmaster.artifacts.folder");
        api.postJson("/api/v1/baselines/main/approve", "{\"jobId\": \"" + job + "\"}").expect(503);
        api.get("/api/v1/baselines/main").expect(404);
      }
    }
    try (var service = TestService.inFolder(data, "--ringmaster.artifacts.folder=" + folder)) {
      service.api().get("/api/v1/jobs/" + job + "/report").expect(200);
    }
  }

  @Test
  void aNameThatNoFileMayHaveIsKeptAllTheSame() {
    try (var service = TestService.inMemory("--ringmaster.artifacts.folder=" + folder)) {
      var api = service.api();
      var name = "é".repeat(100);
      var job = api.run("# output: " + name + "\n");
      assertThat(job.get("verdict")).isEqualTo("PASSED");
      var outputs = "/api/v1/jobs/" + job.get("id") + "/runs/1/outputs";
      assertThat(api.get(outputs).expect(200).json().at("/outputs/0/name").asString())
          .isEqualTo(name + ".npy");
      api.get(outputs + "/" + URLEncoder.encode(name, StandardCharsets.UTF_8) + ".npy").expect(200);
    }
  }

  @Test
  void aTimeThatIsNoneIsRefusedAtTheStart() {
    assertThatThrownBy(() -> TestService.inMemory("--ringmaster.retention.keep-for=0s").close())
        .rootCause()
        .hasMessageContaining("ringmaster.retention.keep-for is PT0S");
  }
}
