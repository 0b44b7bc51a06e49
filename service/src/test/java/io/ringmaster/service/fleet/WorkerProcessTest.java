package io.ringmaster.service.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringmaster.service.cli.Main;
import io.ringmaster.service.testing.Api;
import io.ringmaster.service.testing.Awaiting;
import io.ringmaster.service.testing.MovedTime;
import io.ringmaster.service.testing.TestService;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Real worker processes, told to end and killed, beside a service without workers of its own. */
class WorkerProcessTest {

  private static final String JOBS = "/api/v1/jobs";
  private static final String ENDLESS = "while True:\n    pass\n";

  private final TestService service =
      TestService.withKernelsAnd(
          MovedTime.class,
          "--ringmaster.workers.embedded=0",
          "--ringmaster.workers.heartbeat=200ms",
          "--ringmaster.workers.lost-after=30s");
  private final MovedTime time = service.bean(MovedTime.class);
  private final Api api = service.api();
  private final List<Process> processes = new ArrayList<>();

  @TempDir private Path folder;

  @AfterEach
  void stop() {
    processes.forEach(process -> process.destroyForcibly().onExit().join());
    service.close();
  }

  private File log(int number) {
    return folder.resolve("worker-" + number + ".log").toFile();
  }

  private String said(int number) {
    try {
      return Files.readString(log(number).toPath());
    } catch (IOException e) {
      return "";
    }
  }

  private Process worker(String... options) throws IOException {
    var command = new ArrayList<String>();
    command.add(ProcessHandle.current().info().command().orElseThrow());
    command.addAll(
        List.of(
            "-XX:TieredStopAtLevel=1",
            "--enable-native-access=ALL-UNNAMED",
            "-cp",
            System.getProperty("java.class.path"),
            Main.class.getName(),
            "worker",
            "--service",
            "http://127.0.0.1:" + service.port()));
    command.addAll(List.of(options));
    var process =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(log(processes.size()))
            .start();
    processes.add(process);
    return process;
  }

  private Api.Reply job(String id) {
    return api.get(JOBS + "/" + id).expect(200);
  }

  private void awaitState(String id, String state) {
    Awaiting.until(id + " is " + state, () -> job(id).get("state").equals(state));
  }

  @Test
  void aKernelRunsThereAsItRunsHere() throws IOException {
    worker();
    var form =
        new Api.Form()
            .file(
                "script",
                "16.py",
                Files.readAllBytes(Path.of("../examples/ladder/16_putting_it_together.py")))
            .field("platform", "a2a3sim")
            .field("devices", "0,1,2,3");
    var job = api.postForm(JOBS + "?wait=60", form).expect(200);
    assertThat(job.get("verdict")).as(job.text()).isEqualTo("PASSED");
    var run = JOBS + "/" + job.get("id") + "/runs/1";
    assertThat(api.get(run + "/log").expect(200).text()).isEqualTo("OK\n");
    assertThat(api.get(run + "/checks").expect(200).json().get("checks")).isNotEmpty();
    assertThat(api.get(run + "/outputs").expect(200).json().get("outputs")).isNotEmpty();
    assertThat(api.get("/actuator/prometheus").text())
        .containsPattern("ringmaster_simulator_instructions_total\\{[^}]*} [1-9]");
  }

  /** S05. */
  @Test
  void aKilledWorkersRunIsDoneByAnother() throws IOException {
    var id = api.submit(ENDLESS, "\"limits\": {\"scriptSteps\": 2000000000}");
    var first = worker();
    awaitState(id, "RUNNING");
    first.destroyForcibly().onExit().join();
    // Time moves by hand: on a busy machine a process that lives may be silent for seconds.
    time.move(Duration.ofSeconds(31));
    awaitState(id, "QUEUED");
    worker();
    Awaiting.until("attempt 2 runs", () -> job(id).json().at("/runs/0/attempt").asInt() == 2);
    api.post(JOBS + "/" + id + "/cancel");
    awaitState(id, "FINISHED");
    assertThat(job(id).get("verdict")).isEqualTo("CANCELLED");
  }

  @Test
  void toldToEndAWorkerGivesBackWhatItCannotFinish() throws Exception {
    var id = api.submit(ENDLESS, "\"limits\": {\"scriptSteps\": 2000000000}");
    var worker = worker("--grace", "1");
    awaitState(id, "RUNNING");
    worker.destroy();
    assertThat(worker.waitFor(30, TimeUnit.SECONDS)).isTrue();
    assertThat(said(0)).contains("signed off");
    assertThat(job(id).get("state")).as(said(0) + job(id).text()).isEqualTo("QUEUED");
    assertThat(api.get("/api/v1/workers").expect(200).json().get("workers")).isEmpty();
  }

  @Test
  void theTokenOfAFileIsSentAndABadOneIsNamed() throws Exception {
    var empty = Files.writeString(folder.resolve("empty"), " \n", StandardCharsets.UTF_8);
    var process = worker("--token-file", empty.toString());
    assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
    assertThat(process.exitValue()).isEqualTo(2);
    assertThat(said(0)).contains("must hold one token");
  }
}
