package io.ringmaster.service.artifacts;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ringmaster.service.retention.CleanUp;
import io.ringmaster.service.testing.MovableClock;
import io.ringmaster.service.testing.RealPostgres;
import io.ringmaster.service.testing.S3Server;
import io.ringmaster.service.testing.ServiceProcess;
import io.ringmaster.service.testing.TestCertificate;
import io.ringmaster.service.testing.TestService;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Artifacts in a bucket of a real server. */
@TestInstance(Lifecycle.PER_CLASS)
class BucketTest {

  private static final String NOBODY = "run_00000000-0000-7000-8000-000000000000";

  private S3Server server;

  @BeforeAll
  void start(@TempDir Path folder) {
    server = S3Server.start(folder);
  }

  @AfterAll
  void stop() {
    server.close();
  }

  private String bucket() {
    var name = "artifacts-" + ThreadLocalRandom.current().nextInt(1_000_000);
    server.makeBucket(name);
    return name;
  }

  @Test
  void contentsLieInTheBucketAndGoWithTheirJobs() {
    var bucket = bucket();
    try (var service = TestService.inMemory(server.settings(bucket))) {
      var api = service.api();
      var job = api.run("# output: ../../y\n").get("id");
      assertThat(server.objects(bucket)).hasSize(2);
      assertThat(api.get("/api/v1/jobs/" + job + "/report").expect(200).text()).contains("PASSED");
      assertThat(api.get("/api/v1/jobs/" + job + "/runs/1/outputs").expect(200).text())
          .contains("../../y.npy");
      api.get("/api/v1/jobs/" + job + "/runs/1/bundle").expect(200);

      var place = service.bean(ArtifactStore.class).places().getFirst();
      place.put(NOBODY, "left over", "x".getBytes(StandardCharsets.UTF_8));
      place.put("not-ours", "something", "x".getBytes(StandardCharsets.UTF_8));
      assertThat(service.bean(CleanUp.class).run().ownerless()).isZero();
      service.bean(MovableClock.class).moveBy(Duration.ofHours(2));
      assertThat(service.bean(CleanUp.class).run().ownerless()).isEqualTo(1);
      assertThat(place.get(NOBODY, "left over")).isEmpty();
      assertThat(server.objects(bucket)).hasSize(3);

      service.bean(MovableClock.class).moveBy(Duration.ofDays(100));
      assertThat(service.bean(CleanUp.class).run().outputs()).isEqualTo(1);
      assertThat(server.objects(bucket)).hasSize(2);
      service.bean(MovableClock.class).moveBy(Duration.ofDays(400));
      assertThat(service.bean(CleanUp.class).run().jobs()).isEqualTo(1);
      assertThat(place.has("not-ours", "something")).isTrue();
      assertThat(server.objects(bucket)).hasSize(1);
    }
  }

  @Test
  void aNameThatNoServerTakesIsKeptAllTheSame() {
    try (var service = TestService.inMemory(server.settings(bucket()))) {
      var api = service.api();
      var name = "é ".repeat(100);
      var job = api.run("# output: " + name + "\n");
      assertThat(job.get("verdict")).isEqualTo("PASSED");
      assertThat(
              api.get("/api/v1/jobs/" + job.get("id") + "/runs/1/outputs")
                  .expect(200)
                  .json()
                  .at("/outputs/0/name")
                  .asString())
          .startsWith("é é");
    }
  }

  /** The same whether contents are in the database or in the bucket. */
  @ParameterizedTest
  @CsvSource({"true", "false"})
  void outputsCanBeFetchedInPartsAndOnlyWhenTheyAreNew(boolean inBucket) {
    var settings = inBucket ? server.settings(bucket()) : new String[0];
    try (var service = TestService.inMemory(settings)) {
      var api = service.api();
      var path = "/api/v1/jobs/" + api.run("# output: y\n").get("id") + "/runs/1/outputs/y.npy";
      var whole = api.get(path).expect(200);
      byte[] bytes = whole.response().body();
      var tag = whole.header("ETag").orElseThrow();
      assertThat(tag).matches("\"[0-9a-f]{64}\"");
      assertThat(whole.header("Accept-Ranges")).contains("bytes");

      api.get(path, "If-None-Match", tag).expect(304);
      api.get(path, "If-None-Match", "\"other\"").expect(200);

      var part = api.get(path, "Range", "bytes=10-19").expect(206);
      assertThat(part.response().body()).isEqualTo(slice(bytes, 10, 20));
      assertThat(part.header("Content-Range")).contains("bytes 10-19/" + bytes.length);
      assertThat(part.header("ETag")).contains(tag);
      assertThat(api.get(path, "Range", "bytes=-5").expect(206).response().body())
          .isEqualTo(slice(bytes, bytes.length - 5, bytes.length));
      assertThat(api.get(path, "Range", "bytes=" + bytes.length + "-").expect(416).get("detail"))
          .contains("the file has " + bytes.length);
    }
  }

  private static byte[] slice(byte[] bytes, int from, int to) {
    return Arrays.copyOfRange(bytes, from, to);
  }

  @Test
  void whatIsNotWhatWasKeptIsNotPassedOn() throws IOException {
    var bucket = bucket();
    try (var service = TestService.inMemory(server.settings(bucket))) {
      var api = service.api();
      var job = "/api/v1/jobs/" + api.run("# output: y\n").get("id");
      for (var object : server.objects(bucket)) {
        byte[] content = Files.readAllBytes(object);
        content[content.length / 2]++;
        Files.write(object, content);
      }
      assertThat(api.get(job + "/report").expect(500).get("detail"))
          .contains("report.json of run_", "another SHA-256", bucket);
      var output = api.get(job + "/runs/1/outputs/y.npy").expect(500);
      assertThat(output.header("ETag")).isEmpty();
    }
  }

  @Test
  void whatIsInTheDatabaseOrAFolderStaysReadableAndTheOtherWayRound(
      @TempDir Path data, @TempDir Path folder) {
    var bucket = bucket();
    var inFolder = "--ringmaster.artifacts.folder=" + folder;
    var both = Arrays.copyOf(server.settings(bucket), 6);
    both[5] = inFolder;
    String first;
    String second;
    String third;
    try (var service = TestService.inFolder(data)) {
      first = service.api().run("x = 1").get("id");
    }
    try (var service = TestService.inFolder(data, inFolder)) {
      second = service.api().run("x = 1").get("id");
    }
    try (var service = TestService.inFolder(data, both)) {
      third = service.api().run("x = 1").get("id");
      assertThat(server.objects(bucket)).hasSize(1);
      for (var job : new String[] {first, second, third}) {
        service.api().get("/api/v1/jobs/" + job + "/report").expect(200);
      }
    }
    try (var service = TestService.inFolder(data, inFolder)) {
      assertThat(service.api().get("/api/v1/jobs/" + third + "/report").expect(503).get("detail"))
          .contains("report.json", "folder " + folder, "ringmaster.artifacts.s3.bucket");
    }
  }

  @Test
  void severalProcessesShareABucket() {
    var bucket = bucket();
    try (var postgres = RealPostgres.start();
        var one = TestService.on(postgres, server.settings(bucket));
        var two = TestService.on(postgres, server.settings(bucket))) {
      var job = one.api().run("# output: y\n").get("id");
      var path = "/api/v1/jobs/" + job + "/runs/1/outputs/y.npy";
      assertThat(two.api().get(path).expect(200).response().body())
          .isEqualTo(one.api().get(path).expect(200).response().body());
      two.bean(MovableClock.class).moveBy(Duration.ofDays(400));
      assertThat(two.bean(CleanUp.class).run().jobs()).isEqualTo(1);
      assertThat(server.objects(bucket)).isEmpty();
      one.api().get("/api/v1/jobs/" + job).expect(404);
    }
  }

  @Test
  void withTlsItsAuthorityIsNamed(@TempDir Path folder) {
    var certificate = TestCertificate.make(folder.resolve("tls"), "dns:localhost");
    try (var secure = S3Server.start(folder, certificate)) {
      secure.makeBucket("artifacts");
      var authority = "--ringmaster.artifacts.s3.ca-file=" + certificate.authority();
      var settings = Arrays.copyOf(secure.settings("artifacts"), 6);
      settings[5] = authority;
      try (var service = TestService.inMemory(settings)) {
        assertThat(service.api().run("x = 1").get("verdict")).isEqualTo("PASSED");
        assertThat(secure.objects("artifacts")).hasSize(1);
      }
      try (var service = TestService.inMemory(secure.settings("artifacts"))) {
        assertThatThrownBy(() -> service.bean(ArtifactStore.class).places().getFirst().check())
            .hasMessageContaining("isn't trusted")
            .hasMessageContaining("ringmaster.artifacts.s3.ca-file");
      }
    }
  }

  /** Whoever doesn't use a bucket doesn't pay for it; whoever does may have the key elsewhere. */
  @Test
  void theLibraryIsLoadedForABucketOnly(@TempDir Path folder) throws IOException {
    var classes = folder.resolve("classes.log");
    var options = Map.of("JAVA_TOOL_OPTIONS", "-Xlog:class+load:file=" + classes);
    try (var service = ServiceProcess.start(folder.resolve("one"), 1, options)) {
      assertThat(service.api().run("x = 1").get("verdict")).isEqualTo("PASSED");
    }
    assertThat(Files.readString(classes))
        .contains("ArtifactStore")
        .doesNotContain("software.amazon");

    var bucket = bucket();
    var environment =
        Map.of(
            "RINGMASTER_ARTIFACTS_S3_BUCKET",
            bucket,
            "RINGMASTER_ARTIFACTS_S3_ENDPOINT",
            server.address(),
            "AWS_ACCESS_KEY_ID",
            S3Server.ACCESS,
            "AWS_SECRET_ACCESS_KEY",
            S3Server.SECRET);
    try (var service = ServiceProcess.start(folder.resolve("two"), 1, environment)) {
      assertThat(service.api().run("x = 1").get("verdict")).isEqualTo("PASSED");
      assertThat(server.objects(bucket)).hasSize(1);
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "endpoint=http://s3.lab | bucket isn't set",
        "bucket=b | bucket is b; names of buckets have",
        "bucket=ok,endpoint=ftp://s3.lab | endpoint must be an address such as",
        "bucket=ok,endpoint=https://me:secret@s3.lab | without a user",
        "bucket=ok,access-key-file=/x | secret-key-file belong together",
        "bucket=ok,prefix=/x | must not start with a slash",
        "bucket=ok,timeout=0s | timeout is PT0S",
        "bucket=ok,ca-file=/nowhere | ca-file is /nowhere",
      })
  void whatCannotBeMeantIsRefusedAtTheStart(String settings, String says) {
    var options =
        Arrays.stream(settings.split(",", -1))
            .map(one -> "--ringmaster.artifacts.s3." + one)
            .toArray(String[]::new);
    assertThatThrownBy(() -> TestService.inMemory(options).close())
        .satisfies(
            fault -> {
              var all = new StringBuilder();
              for (Throwable cause = fault; cause != null; cause = cause.getCause()) {
                all.append(cause.getMessage()).append('\n');
              }
              assertThat(all.toString()).contains("ringmaster.artifacts.s3.").contains(says);
            });
  }
}
