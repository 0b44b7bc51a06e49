package io.ringmaster.service.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringmaster.service.testing.Api;
import io.ringmaster.service.testing.Awaiting;
import io.ringmaster.service.testing.HandWorker;
import io.ringmaster.service.testing.RealPostgres;
import io.ringmaster.service.testing.ServiceProcess;
import io.ringmaster.service.testing.TestService;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Cases that services like this one have met, by their ids. */
class FieldCasesTest {

  private static final String JOBS = "/api/v1/jobs";

  /** A17: the client is gone before it hears of its job. */
  @Test
  void aJobWhoseClientCutTheLineIsThereOrNotAndEndsByItself() throws IOException {
    try (var service = TestService.inMemory()) {
      var body = Api.job("x = 1\n", "").getBytes(StandardCharsets.UTF_8);
      for (int i = 0; i < 20; i++) {
        var key = "cut-" + i;
        try (var socket = new Socket(InetAddress.getLoopbackAddress(), service.port())) {
          var out = socket.getOutputStream();
          out.write(
              """
              POST /api/v1/jobs HTTP/1.1\r
              Host: localhost\r
              Content-Type: application/json\r
              Idempotency-Key: %s\r
              Content-Length: %d\r
              \r
              """
                  .formatted(key, body.length)
                  .getBytes(StandardCharsets.US_ASCII));
          out.write(body);
          out.flush();
          socket.setSoLinger(true, 0); // a reset, not a farewell
        }
        var again =
            service
                .api()
                .postBytes(JOBS + "?wait=60", body, "application/json", "Idempotency-Key", key)
                .expect(200);
        assertThat(again.get("verdict")).isEqualTo("PASSED");
      }
      assertThat(service.jdbc().sql("select count(*) from job").query(Long.class).single())
          .isEqualTo(20);
      Awaiting.until(
          "nothing is left",
          () ->
              service
                      .jdbc()
                      .sql("select count(*) from job where state <> 'FINISHED'")
                      .query(Long.class)
                      .single()
                  == 0);
    }
  }

  /** A23: what the service's environment holds is nobody's business. */
  @Test
  void nothingOfTheEnvironmentIsShownWhenAKernelFails(@TempDir Path folder) throws IOException {
    var planted = "planted-5f0c-never-to-be-seen";
    var environment =
        Map.of("PLANTED_TOKEN", planted, "AWS_SECRET_ACCESS_KEY", planted, "PLANTED", planted);
    try (var service = ServiceProcess.start(folder, 1, environment)) {
      var api = service.api();
      for (var script :
          List.of("# explode\n", "# verdict: RACE\n", "# verdict: ERROR\n# log: ${PLANTED}\n")) {
        var job = JOBS + "/" + api.run(script).get("id");
        for (var what :
            List.of(
                "",
                "/report",
                "/explain",
                "/junit",
                "/metrics",
                "/events",
                "/runs/1/log",
                "/runs/1/attempts",
                "/runs/1/findings",
                "/runs/1/bundle")) {
          assertThat(api.get(job + what).expect(200).text()).doesNotContain(planted);
        }
      }
      for (var what : List.of("/actuator/prometheus", "/actuator/health", "/actuator/env")) {
        assertThat(api.get(what).text()).doesNotContain(planted);
      }
    }
    try (Stream<Path> files = Files.walk(folder)) {
      for (var file : files.filter(Files::isRegularFile).toList()) {
        assertThat(Files.readString(file, StandardCharsets.ISO_8859_1)).doesNotContain(planted);
      }
    }
  }

  /** S11: it doesn't matter where the service stands. */
  @ParameterizedTest
  @ValueSource(strings = {"Pacific/Apia", "America/St_Johns", "Asia/Kolkata"})
  void timesAreInUtcWhateverTheServicesZone(String zone, @TempDir Path folder) {
    var before = Instant.now().minusSeconds(1);
    var environment = Map.of("TZ", zone, "JAVA_TOOL_OPTIONS", "-Duser.timezone=" + zone);
    try (var service = ServiceProcess.start(folder, 1, environment)) {
      var job = service.api().run("x = 1").json();
      for (var name : List.of("createdAt", "finishedAt")) {
        var text = job.get(name).asString();
        assertThat(text).endsWith("Z");
        assertThat(Instant.parse(text)).isBetween(before, Instant.now().plusSeconds(1));
      }
      assertThat(
              Duration.between(
                  Instant.parse(job.get("createdAt").asString()),
                  Instant.parse(job.get("finishedAt").asString())))
          .isBetween(Duration.ZERO, Duration.ofMinutes(2));
    }
  }

  /** S23: a name is only a name. */
  @Test
  void fiftyJobsWithOneFileNameKeepTheirOwnResults() {
    try (var service = TestService.inMemory()) {
      var api = service.api();
      var jobs = new ArrayList<String>();
      for (int i = 0; i < 50; i++) {
        jobs.add(api.submit("# log: constant %d;\n".formatted(i), "\"scriptName\": \"same.py\""));
      }
      for (int i = 0; i < jobs.size(); i++) {
        var job = JOBS + "/" + jobs.get(i);
        api.get(job + "?wait=60").expect(200);
        assertThat(api.get(job + "/runs/1/log").expect(200).text()).contains("constant " + i + ";");
        assertThat(api.get(job + "/source").expect(200).text()).contains("constant " + i + ";");
      }
    }
  }

  /** S27: a pool that takes work and never says a word again delays nobody else. */
  @Test
  void aPoolThatNeverAnswersDelaysNoOther() {
    try (var service = TestService.inMemory()) {
      var api = service.api();
      var silent = HandWorker.register(api, "mute", "mute", "[\"a2a3sim\"]", "[[0, 7]]", "[]");
      var stuck = api.submit("x = 1", "\"pool\": \"mute\"");
      assertThat(stuck).isNotEmpty();
      long start = System.nanoTime();
      for (int i = 0; i < 20; i++) {
        assertThat(api.run("x = 1").get("verdict")).isEqualTo("PASSED");
      }
      assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(40));
      assertThat(api.get(JOBS + "/" + stuck).json().get("state").asString()).isEqualTo("QUEUED");
      assertThat(api.get("/api/v1/workers").expect(200).text()).contains(silent.id());
    }
  }

  /** S08: a database that is restarted costs time, and nothing else. */
  @Test
  void aDatabaseThatIsRestartedLosesNoJobAndNeedsNoRestartOfTheService() {
    try (var postgres = RealPostgres.start();
        var service =
            TestService.on(
                postgres,
                "--spring.datasource.hikari.connection-timeout=1000",
                "--ringmaster.workers.heartbeat=500ms")) {
      var api = service.api();
      var jobs = new ArrayList<String>();
      for (int i = 0; i < 20; i++) {
        jobs.add(api.submit("# log: " + i + "\n", ""));
      }
      postgres.stop();
      var away = api.get(JOBS + "/" + jobs.getFirst());
      assertThat(away.expect(503).header("Retry-After")).isPresent();
      assertThat(away.get("detail")).contains("The database does not answer");
      api.postJson(JOBS, Api.job("x = 1", "")).expect(503);
      postgres.startAgain();
      Awaiting.until("it answers again", () -> api.get(JOBS).status() == 200);
      for (var job : jobs) {
        Awaiting.until(
            job + " ends", () -> api.get(JOBS + "/" + job).get("state").equals("FINISHED"));
        assertThat(api.get(JOBS + "/" + job).get("verdict")).isEqualTo("PASSED");
      }
      assertThat(service.jdbc().sql("select count(*) from job").query(Long.class).single())
          .isEqualTo(20);
    }
  }
}
