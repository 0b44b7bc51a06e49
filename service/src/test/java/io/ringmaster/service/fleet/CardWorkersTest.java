package io.ringmaster.service.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringmaster.service.cli.Main;
import io.ringmaster.service.testing.Api;
import io.ringmaster.service.testing.Awaiting;
import io.ringmaster.service.testing.TestService;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.json.JsonMapper;

/** A worker whose "cards" are a Python and a shell script, as a user of the service meets it. */
class CardWorkersTest {

  private static final String JOBS = "/api/v1/jobs";

  private static final String SCRIPT =
      """
      import torch

      y = torch.zeros((2, 2))
      assert torch.allclose(y, torch.zeros((2, 2)))
      """;

  private final TestService service =
      TestService.withKernels(
          "--ringmaster.workers.embedded=0",
          "--ringmaster.workers.heartbeat=200ms",
          "--ringmaster.workers.lost-after=5s");
  private final Api api = service.api();
  private final List<Process> processes = new ArrayList<>();

  @TempDir private Path folder;

  @BeforeEach
  void startTheWorker() throws IOException {
    var command = Files.writeString(folder.resolve("command.sh"), command());
    var settings =
        Map.of(
            "platforms",
            List.of("a2a3"),
            "command",
            List.of(
                "/bin/sh", command.toString(), "{harness}", "{script}", "{devices}", "{arguments}"),
            "probe",
            List.of(
                "/bin/sh",
                "-c",
                "for d in $(echo $0 | tr , ' '); do ! test -e "
                    + folder
                    + "/bad-$d || exit 1; done",
                "{devices}"),
            "pass",
            List.of("PATH", "HOME", "PYENV*"),
            "set",
            Map.of(
                "PYTHONDONTWRITEBYTECODE",
                "1",
                "PYTHONPATH",
                Path.of("../worker/src/test/resources/cards").toAbsolutePath().toString()),
            "folder",
            folder.resolve("runs").toString(),
            "politeSeconds",
            1,
            "rehearse",
            false);
    var file = folder.resolve("cards.json");
    Files.writeString(file, new JsonMapper().writeValueAsString(settings));
    worker(file);
  }

  /** Wedges the card when it is told to, hangs when it is told to, or runs the script. */
  private String command() {
    return """
    devices=$3
    case "$*" in
    *--wedge*) touch %1$s/bad-$devices ;;
    *--break*) touch %1$s/bad-$devices; exit 1 ;;
    *--hang*) trap "" TERM; setsid sleep 1000 & echo $! >%1$s/hangs; while :; do sleep 100; done ;;
    esac
    exec python3 "$@"
    """
        .formatted(folder);
  }

  private void worker(Path settings) throws IOException {
    processes.add(
        new ProcessBuilder(
                ProcessHandle.current().info().command().orElseThrow(),
                "-XX:TieredStopAtLevel=1",
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                System.getProperty("java.class.path"),
                Main.class.getName(),
                "worker",
                "--service",
                "http://127.0.0.1:" + service.port(),
                "--cards",
                settings.toString(),
                "--pool",
                "cards",
                "--devices",
                "4-5",
                "--grace",
                "0")
            .redirectErrorStream(true)
            .redirectOutput(folder.resolve("worker.log").toFile())
            .start());
  }

  @AfterEach
  void stop() {
    processes.forEach(process -> process.destroyForcibly().onExit().join());
    service.close();
  }

  private String submit(String devices, String arguments) {
    Awaiting.until(
        "the worker is registered",
        () -> api.get("/api/v1/workers").expect(200).text().contains("a2a3"));
    return api.postJson(
            JOBS,
            "{\"script\": \"%s\", \"platform\": \"a2a3\", \"devices\": %s, \"arguments\": %s}"
                .formatted(SCRIPT.replace("\n", "\\n"), devices, arguments))
        .expect(202)
        .get("id");
  }

  private Api.Reply finished(String id) {
    return api.get(JOBS + "/" + id + "?wait=60").expect(200);
  }

  private String said() {
    try {
      return Files.readString(folder.resolve("worker.log"));
    } catch (IOException e) {
      return "";
    }
  }

  @Test
  void whatTheSignedRecordSaysIsTheVerdict() {
    var job = finished(submit("[4, 5]", "[]"));
    assertThat(job.get("verdict")).as(job.text() + said()).isEqualTo("PASSED");
    var checks = api.get(JOBS + "/" + job.get("id") + "/runs/1/checks").expect(200);
    assertThat(checks.text()).contains("torch.allclose #1");
    assertThat(api.get("/api/v1/devices").expect(200).text()).doesNotContain("QUARANTINED");
  }

  /** S16: a job wedges its card; the next one runs elsewhere. */
  @Test
  void aWedgedCardIsInQuarantineAndTheNextJobRunsElsewhere() {
    var wedging = finished(submit("[4]", "[\"--wedge\"]"));
    assertThat(wedging.get("verdict")).as(wedging.text()).isEqualTo("PASSED");
    var devices = api.get("/api/v1/devices").expect(200);
    assertThat(devices.text())
        .contains("QUARANTINED")
        .contains("cards:4")
        .doesNotContain("cards:5");
    var next = finished(submit("\"auto:1\"", "[]"));
    assertThat(next.get("verdict")).as(next.text()).isEqualTo("PASSED");
    assertThat(next.json().at("/runs/0/devices/0").asInt()).isEqualTo(5);
  }

  /** What fails on a card that is broken afterwards is tried on another one. */
  @Test
  void aFailureOnACardThatBrokeIsTheMachines() {
    var job = finished(submit("\"auto:1\"", "[\"--break\"]"));
    assertThat(job.get("verdict")).as(job.text()).isEqualTo("INFRA");
    assertThat(job.json().at("/runs/0/attempt").asInt()).isEqualTo(2);
    assertThat(api.get("/api/v1/devices").expect(200).text())
        .contains("cards:4")
        .contains("cards:5");
  }

  /** S01: the card is free only when nobody uses it any more. */
  @Test
  void aCancelledJobLeavesNobodyOnItsCard() throws Exception {
    var id = submit("[4]", "[\"--hang\"]");
    Awaiting.until("it hangs", () -> Files.exists(folder.resolve("hangs")));
    Awaiting.until("its child is known", () -> !hanging().isEmpty());
    api.post(JOBS + "/" + id + "/cancel");
    assertThat(finished(id).get("verdict")).isEqualTo("CANCELLED");
    assertThat(hangs()).isFalse();
    assertThat(finished(submit("[4]", "[]")).get("verdict")).isEqualTo("PASSED");
  }

  /** The order to end reaches the processes before the worker is gone. */
  @Test
  void aWorkerThatEndsTakesItsRunsProcessesAlong() throws Exception {
    submit("[4]", "[\"--hang\"]");
    Awaiting.until("it hangs", () -> Files.exists(folder.resolve("hangs")));
    Awaiting.until("its child is known", () -> !hanging().isEmpty());
    processes.getFirst().destroy();
    assertThat(processes.getFirst().waitFor(30, TimeUnit.SECONDS)).isTrue();
    assertThat(hangs()).isFalse();
    assertThat(said()).contains("signed off");
  }

  /** One that has ended may still be in the table until somebody asks for its exit code. */
  private boolean hangs() {
    try {
      var stat = Files.readString(Path.of("/proc", hanging(), "stat"));
      return !stat.substring(stat.lastIndexOf(')')).startsWith(") Z");
    } catch (IOException e) {
      return false;
    }
  }

  private String hanging() {
    try {
      return Files.readString(folder.resolve("hangs")).strip();
    } catch (IOException e) {
      return "";
    }
  }
}
