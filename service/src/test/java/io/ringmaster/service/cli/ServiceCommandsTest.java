package io.ringmaster.service.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ringmaster.service.testing.TestService;
import io.ringmaster.worker.job.JobReport;
import io.ringmaster.worker.job.ReportJson;
import io.ringmaster.worker.job.Verdict;
import java.io.IOException;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The commands that talk to a service, against one that runs kernels. */
@TestInstance(Lifecycle.PER_CLASS)
class ServiceCommandsTest {

  private static final String ALLGATHER = "../examples/ladder/13_allgather.py";
  private static final String RACE = "../examples/wrong/gather_without_barrier.py";

  private final TestService service = TestService.withKernels();

  @TempDir private Path folder;

  @AfterAll
  void stop() {
    service.close();
  }

  private CommandCall.Outcome call(String... arguments) {
    var all = Arrays.copyOf(arguments, arguments.length + 2);
    all[arguments.length] = "--service";
    all[arguments.length + 1] = "http://127.0.0.1:" + service.port();
    return CommandCall.of(all);
  }

  @Test
  void submitWaitsAndSaysTheVerdict() throws IOException {
    var junit = folder.resolve("junit.xml");
    var passed = call("submit", ALLGATHER, "-d", "0,1,2", "--wait", "--junit", junit.toString());
    assertThat(passed.exitCode()).as(passed.err()).isZero();
    assertThat(passed.out()).startsWith("OK\n").contains("PASSED").contains("devices 0,1,2");
    assertThat(Files.readString(junit)).contains("<testsuite ");

    var race = call("submit", RACE, "-d", "0,1", "--wait");
    assertThat(race.exitCode()).isEqualTo(1);
    assertThat(race.out()).contains("RACE");
  }

  /** The script's checks hold on both platforms, and still they don't compute the same. */
  @Test
  void platformsThatDifferAreShownAndFail() throws IOException {
    var same = call("submit", ALLGATHER, "-d", "0,1", "-p", "a2a3sim", "-p", "a5sim", "--wait");
    assertThat(same.exitCode()).as(same.out()).isZero();
    assertThat(same.out())
        .contains("side by side", "against", "SAME")
        .contains("PASSED  all 2 runs passed");

    var script =
        Files.readString(Path.of("../examples/ladder/01_two_devices.py"))
            .replace(
                "    x = torch.stack([torch.randn((1, SIZE), dtype=torch.float32) for _ in range(2)])",
                "    x = torch.full((2, 1, SIZE), 3.0 if args.platform == \"a5sim\" else 4.0)");
    var file = Files.writeString(folder.resolve("other.py"), script);
    var other =
        call("submit", file.toString(), "-d", "0,1", "-p", "a2a3sim", "-p", "a5sim", "--wait");
    assertThat(other.exitCode()).as(other.out()).isEqualTo(1);
    assertThat(other.out())
        .contains("DIFFERENT")
        .contains(
            "a5sim: y (output 1) differs: rank 0, first at [0, 0, 0], 7.0 on a5sim and 9.0 on")
        .contains("WRONG_RESULT  run 2 of 2, devices [0, 1]: y (output 1) differs");
  }

  @Test
  void theReportIsTheOneThatRunPrints() {
    var remote = call("submit", ALLGATHER, "-d", "0,1,2", "--wait", "--json");
    JobReport report = ReportJson.read(remote.out());
    JobReport local =
        ReportJson.read(CommandCall.of("run", ALLGATHER, "-d", "0,1,2", "--json").out());
    assertThat(report.verdict()).isEqualTo(Verdict.PASSED);
    assertThat(report.runs().getFirst().checks()).isEqualTo(local.runs().getFirst().checks());
    assertThat(report.runs().getFirst().collectives())
        .usingRecursiveComparison()
        .ignoringFieldsMatchingRegexes(".*wallNanos")
        .isEqualTo(local.runs().getFirst().collectives());
  }

  @Test
  void aJobCanBeFoundReadAndWatchedByItsId() {
    var submitted =
        call("submit", ALLGATHER, "-d", "0,1", "--name", "mine", "--label", "branch=main");
    assertThat(submitted.exitCode()).as(submitted.err()).isZero();
    var id = submitted.out().strip();
    assertThat(id).startsWith("job_");

    var watched = call("watch", id);
    assertThat(watched.exitCode()).isZero();
    assertThat(watched.out()).contains("PASSED");
    assertThat(call("get", id).out()).contains("13_allgather.py on a2a3sim");
    assertThat(call("get", id, "--json").out()).contains("\"branch\" : \"main\"");
    assertThat(call("logs", id, "--follow").out()).isEqualTo("OK\n");
    assertThat(call("list", "--name", "mine", "--label", "branch=main").out()).contains(id);
    assertThat(call("list", "--verdict", "race", "--name", "mine").out()).doesNotContain(id);
    assertThat(call("cancel", id).out()).contains("PASSED");
  }

  @Test
  void aBaselineIsApprovedComparedAndShown() {
    var first =
        call(
            "submit",
            ALLGATHER,
            "-d",
            "0,1",
            "--wait",
            "--baseline",
            "main",
            "--label",
            "commit=c1");
    assertThat(first.exitCode()).as(first.err()).isZero();
    assertThat(first.out()).contains("new: there is no baseline main yet");
    var approved =
        call("submit", ALLGATHER, "-d", "0,1", "--wait", "--baseline", "main", "--approve");
    assertThat(approved.out()).contains("approved: baseline main has the results of job_");
    var same = call("submit", ALLGATHER, "-d", "0,1", "--wait", "--baseline", "main");
    assertThat(same.out()).contains("same as baseline main, revision 1: PASSED, 1 run");

    var name = "13_allgather.py";
    var ring = "../examples/ladder/10_allreduce_ring.py";
    var changed =
        call("submit", ring, "-d", "0,1", "--wait", "--baseline", "main", "--name", name, "--json");
    assertThat(changed.exitCode()).as(changed.err()).isEqualTo(4);
    assertThat(changed.err()).contains("changed against baseline main, revision 1", "virtual time");
    var accepted =
        call(
            "submit",
            ring,
            "-d",
            "0,1",
            "--wait",
            "--baseline",
            "main",
            "--name",
            name,
            "--approve");
    assertThat(accepted.exitCode()).as(accepted.err()).isZero();
    assertThat(call("baseline", "history", "main").out()).contains(name, "2", "1");

    var slow =
        call(
            "submit",
            ring,
            "-d",
            "0,1",
            "--wait",
            "--baseline",
            "main",
            "--name",
            name,
            "--straggler",
            "1:5us");
    assertThat(slow.exitCode()).isEqualTo(2);
    assertThat(slow.err()).contains("ran under straggler=1:5000ns");
    var anyway =
        call(
            "submit",
            ring,
            "-d",
            "0,1",
            "--wait",
            "--baseline",
            "main",
            "--name",
            name,
            "--straggler",
            "1:5us",
            "--compare-anyway");
    assertThat(anyway.exitCode()).as(anyway.err()).isEqualTo(4);
  }

  @Test
  void whatWasApprovedSinceTheComparisonIsNotReplaced() {
    var client =
        new ServiceClient(
            URI.create("http://127.0.0.1:" + service.port()),
            Optional.empty(),
            Optional.empty(),
            new Retries(Duration.ZERO, notice -> {}, InstantSource.system()));
    var first = call("submit", ALLGATHER, "-d", "0,1", "--wait", "--baseline", "b", "--approve");
    assertThat(first.exitCode()).as(first.err()).isZero();
    var seen = client.baseline("b");
    var theirs = call("submit", ALLGATHER, "-d", "0,1,2", "--label", "by=them").out().strip();
    var mine = call("submit", ALLGATHER, "-d", "0,1,2", "--label", "by=me").out().strip();
    assertThat(call("watch", theirs).exitCode()).isZero();
    assertThat(call("watch", mine).exitCode()).isZero();
    var theirVersion = client.approve("b", theirs, "", false, seen);
    assertThatThrownBy(() -> client.approve("b", mine, "", false, seen))
        .isInstanceOf(ServiceFailure.class)
        .hasMessageContaining("somebody has changed it");
    assertThat(client.baseline("b").orElseThrow().baseline()).isEqualTo(theirVersion);
  }

  @Test
  void aJobIsRepeatedAndItsBundleReplayed() throws IOException {
    var id = call("submit", ALLGATHER, "-d", "0,1,2", "--schedule-seed", "7").out().strip();
    call("watch", id);
    var again = call("rerun", id, "--wait");
    assertThat(again.exitCode()).as(again.err()).isZero();
    var zip = folder.resolve("bundle.zip");
    Files.write(
        zip,
        service.api().get("/api/v1/jobs/" + id + "/runs/1/bundle").expect(200).response().body());
    var replayed = CommandCall.of("replay", zip.toString());
    assertThat(replayed.exitCode()).as(replayed.err()).isZero();
    assertThat(replayed.err()).contains("replayed: the same report");
  }

  @Test
  void aScriptThatCannotRunIsNamedWithItsPlaceAndLeavesNoJob() throws IOException {
    var script = Files.writeString(folder.resolve("broken.py"), "x = 1\ny = (2\n");
    var refused = call("submit", script.toString(), "-d", "0,1", "--wait", "--name", "broken");
    assertThat(refused.exitCode()).isEqualTo(2);
    assertThat(refused.err()).contains("line 2:");
    assertThat(call("list", "--name", "broken", "--json").out()).doesNotContain("job_");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '§',
      value = {
        "submit ../examples/ladder/13_allgather.py --json | need --wait",
        "submit ../examples/ladder/13_allgather.py --priority urgent | 'urgent' isn't one of LOW,"
            + " NORMAL, HIGH",
        "submit nowhere.py | no such file: nowhere.py",
        "submit ../examples/ladder/13_allgather.py --baseline main | needs --wait",
        "submit ../examples/ladder/13_allgather.py --wait --approve | needs --baseline",
        "submit ../examples/ladder/13_allgather.py --straggler 1:99999999999999999999us | at most"
            + " 15 digits",
        "baseline show nothing | there is no baseline nothing",
        "list --most 0 | 0 isn't in 1..200",
        "list --state done | 'done' isn't one of QUEUED, RUNNING, FINISHED",
        "get job_1 | job_1",
        "watch job_01993c8b-92a1-7c3e-8d52-0f6a1b2c3d4e | There is no job"
      })
  void whatCannotBeDoneIsSaid(String command, String says) {
    var outcome = call(command.split(" "));
    assertThat(outcome.exitCode()).isEqualTo(2);
    assertThat(outcome.err()).contains(says);
  }

  @Test
  void aServiceThatIsNotThereIsTheMachinesFault() throws IOException {
    int free;
    try (var socket = new ServerSocket(0)) {
      free = socket.getLocalPort();
    }
    var outcome = CommandCall.of("list", "--service", "http://127.0.0.1:" + free);
    assertThat(outcome.exitCode()).isEqualTo(3);
    assertThat(outcome.err())
        .contains("can't reach http://127.0.0.1:" + free)
        .contains("no service listens there")
        .contains("ringmaster serve");
    assertThat(CommandCall.of("list", "--service", "localhost").exitCode()).isEqualTo(2);
  }
}
