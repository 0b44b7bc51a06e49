package io.ringmaster.worker.external;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ringmaster.worker.external.ExternalRunner.Ending;
import io.ringmaster.worker.external.ExternalRunner.Outcome;
import io.ringmaster.worker.process.ProcFiles;
import io.ringmaster.worker.process.ProcessTree;
import io.ringmaster.worker.process.Signals;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Real child processes that misbehave: none of them survives its run. */
class ExternalRunnerTest {

  @TempDir private Path place;

  private @Nullable ExternalRunner runner;

  private ExternalRunner shell() {
    var shell = new ExternalRunner(Runs.shell(place.resolve("runs")));
    runner = shell;
    return shell;
  }

  @AfterEach
  void close() {
    if (runner != null) {
      runner.close();
    }
  }

  private static Outcome run(ExternalRunner runner, String script) {
    return runner.run(Runs.request(script), () -> false, _ -> {});
  }

  private Path pids() {
    return place.resolve("pids");
  }

  /** Ignores the polite signal, in a session of its own, and says who it is. */
  private String stubborn() {
    return """
    setsid sh -c 'trap "" TERM INT HUP; echo $$ >> %s; while :; do sleep 100; done' &
    while [ ! -s %s ]; do sleep 0.01; done
    """
        .formatted(pids(), pids());
  }

  private List<Long> numbers() {
    try {
      return Files.readAllLines(pids()).stream().map(Long::valueOf).toList();
    } catch (IOException e) {
      return List.of();
    }
  }

  private static List<Long> living(List<Long> pids) {
    return pids.stream()
        .filter(pid -> ProcFiles.entry(pid).filter(entry -> !entry.ended()).isPresent())
        .toList();
  }

  @Test
  void devicesPlatformAndArgumentsReachTheScript() {
    runner =
        new ExternalRunner(
            Runs.settings(
                place.resolve("runs"),
                "/bin/sh",
                "{script}",
                "-p",
                "{platform}",
                "-d",
                "{devices}",
                "{arguments}"));
    var outcome = run(runner, "echo \"$#|$2|$4|$6\"; basename $0; cut -d' ' -f1,6 /proc/$$/stat\n");
    assertThat(outcome.ending()).isEqualTo(Ending.EXITED);
    var lines = outcome.output().lines().toList();
    assertThat(lines.get(0)).isEqualTo("6|a2a3|4,5|a b");
    assertThat(lines.get(1)).isEqualTo("job.sh");
    var ids = lines.get(2).split(" ", -1);
    assertThat(ids[0]).as("the first process leads a session of its own").isEqualTo(ids[1]);
  }

  @Test
  void onlyAllowedVariablesReachTheScript() {
    var settings =
        new ExternalSettings(
            List.of("a2a3"),
            List.of("/bin/sh", "-c", "env -0 | tr '\\0' '\\n'", "{script}", "{devices}"),
            List.of(),
            List.of("PATH", "HO*"),
            Map.of("VISIBLE", "cards {devices}"),
            place.resolve("runs"),
            Runs.SHORT,
            100_000,
            false);
    runner = new ExternalRunner(settings);
    var variables =
        run(runner, "")
            .output()
            .lines()
            .filter(line -> line.contains("="))
            .collect(
                Collectors.toMap(
                    line -> line.substring(0, line.indexOf('=')),
                    line -> line.substring(line.indexOf('=') + 1)));
    assertThat(variables).containsEntry("VISIBLE", "cards 4,5");
    assertThat(variables.keySet().stream().filter(name -> !name.startsWith("RINGMASTER_")))
        .isSubsetOf(allowed());
    assertThat(variables.keySet().stream().filter(name -> name.startsWith("RINGMASTER_")))
        .containsExactlyInAnyOrder(
            "RINGMASTER_MARK",
            "RINGMASTER_RUN",
            "RINGMASTER_KEY",
            "RINGMASTER_RECORD",
            "RINGMASTER_PLATFORM",
            "RINGMASTER_DEVICES");
  }

  private static List<String> allowed() {
    // The last three are the shell's own.
    return List.of(
        "PATH", "HOME", "HOSTNAME", "HOST", "VISIBLE", "TMPDIR", "PWD", "OLDPWD", "SHLVL", "_");
  }

  /** S01: cancelled, with a child in its own session that ignores polite signals. */
  @Test
  void cancelledNobodyIsLeftWithinFiveSeconds() {
    var runner = shell();
    var cancelledAt = new AtomicLong();
    var outcome =
        runner.run(
            Runs.request("trap '' TERM\n" + stubborn() + "while :; do sleep 100; done\n"),
            () -> {
              if (!numbers().isEmpty()) {
                cancelledAt.compareAndSet(0, System.nanoTime());
              }
              return cancelledAt.get() != 0;
            },
            _ -> {});
    assertThat(System.nanoTime() - cancelledAt.get()).isLessThan(5_000_000_000L);
    assertThat(outcome.ending()).isEqualTo(Ending.CANCELLED);
    assertThat(outcome.immortal()).isEmpty();
    assertThat(numbers()).isNotEmpty();
    assertThat(living(numbers())).isEmpty();
  }

  @Test
  void overItsLimitNobodyIsLeft() {
    var outcome =
        shell()
            .run(
                Runs.request(
                    "trap '' TERM\n" + stubborn() + "while :; do sleep 100; done\n",
                    Duration.ofSeconds(2)),
                () -> false,
                _ -> {});
    assertThat(outcome.ending()).isEqualTo(Ending.TIMED_OUT);
    assertThat(living(numbers())).isEmpty();
  }

  @Test
  void whoAsksForTimeToEndGetsIt() {
    var outcome =
        shell()
            .run(
                Runs.request(
                    "trap 'echo tidied up; exit 7' TERM\nwhile :; do sleep 0.05; done\n",
                    Duration.ofMillis(300)),
                () -> false,
                _ -> {});
    assertThat(outcome.ending()).isEqualTo(Ending.TIMED_OUT);
    assertThat(outcome.output()).contains("tidied up");
  }

  /** Early exit 0: whoever it leaves behind is ended, and nothing was verified. */
  @Test
  void anEarlyExitLeavesNobodyAndNoResult() {
    var outcome = run(shell(), stubborn() + "exit 0\n");
    assertThat(outcome.ending()).isEqualTo(Ending.EXITED);
    assertThat(outcome.exitCode()).isZero();
    assertThat(outcome.reading()).isEqualTo(new ResultRecord.Absent());
    assertThat(outcome.left()).isPositive();
    assertThat(numbers()).hasSize(1);
    assertThat(living(numbers())).isEmpty();
  }

  /** The mark is gone, but not the session. */
  @Test
  void whoClearsItsEnvironmentAndStaysIsEnded() {
    run(shell(), "env -i sh -c 'echo $$ >> %s; exec sleep 1000' &\nexit 0\n".formatted(pids()));
    assertThat(living(numbers())).isEmpty();
  }

  /** Neither mark nor session, but a parent when it was first seen. */
  @Test
  void whoClearsItsEnvironmentAndMovesAwayIsEndedWhenItWasSeen() {
    run(
        shell(),
        """
        env -i setsid sh -c 'echo $$ >> %s; exec sleep 1000' &
        while [ ! -s %s ]; do sleep 0.01; done
        sleep 0.5
        exit 0
        """
            .formatted(pids(), pids()));
    assertThat(numbers()).hasSize(1);
    assertThat(living(numbers())).isEmpty();
  }

  @Test
  void aStormOfChildrenIsEnded() {
    var outcome =
        run(
            shell(),
            """
            i=0
            while [ $i -lt 150 ]; do
              setsid sh -c 'trap "" TERM; echo $$ >> %s; exec sleep 1000' &
              i=$((i+1))
            done
            exit 3
            """
                .formatted(pids()));
    assertThat(outcome.exitCode()).isEqualTo(3);
    assertThat(outcome.immortal()).isEmpty();
    assertThat(living(numbers())).isEmpty();
  }

  /** The end of one run is no other run's business. */
  @Test
  void anotherRunGoesOn() throws Exception {
    var runner = shell();
    var go = place.resolve("go");
    var other =
        CompletableFuture.supplyAsync(
            () ->
                run(
                    runner,
                    "while [ ! -e " + go + " ]; do sleep 0.01; done\necho survived\nexit 9\n"));
    run(runner, stubborn());
    Files.writeString(go, "");
    assertThat(other.get().output()).isEqualTo("survived\n");
    assertThat(other.get().exitCode()).isEqualTo(9);
  }

  @Test
  void ofHugeOutputTheBeginningAndTheEndAreKeptAndTheRestIsSaid() {
    var heard = new StringBuilder();
    var outcome =
        shell()
            .run(
                Runs.request(
                    "echo START\nhead -c 50000000 /dev/zero | tr '\\0' 'x'\necho; echo END\n"),
                () -> false,
                heard::append);
    assertThat(outcome.exitCode()).isZero();
    assertThat(outcome.output()).startsWith("START\nxxx").endsWith("xxx\nEND\n");
    assertThat(outcome.output()).contains("\n... 49900011 characters are left out here ...\n");
    assertThat(outcome.output().length()).isLessThan(101_000);
    assertThat(heard.toString()).isEqualTo(outcome.output());
  }

  @Test
  void whatIsPrintedBesideTheFirstProcessIsKeptToo() {
    var runner = shell();
    var outcome =
        run(
            runner,
            """
            (trap 'echo the last word; exit' TERM; echo ready > ready; while :; do sleep 0.02; done) &
            while [ ! -s ready ]; do sleep 0.01; done
            """);
    assertThat(outcome.output()).contains("the last word");
    assertThat(run(runner, "echo to stderr >&2; printf 'a\\377\\303\\266b'").output())
        .isEqualTo("to stderr\na\uFFFD\u00f6b");
  }

  @Test
  void nothingOfARunStaysInItsFolder() throws IOException {
    run(shell(), "mkdir -p deep/er; touch deep/er/x; ln -s / root; touch $TMPDIR/y; pwd\n");
    try (var left = Files.list(place.resolve("runs/runs"))) {
      assertThat(left).isEmpty();
    }
    assertThat(Path.of("/etc")).exists();
  }

  /** A worker that was killed left a run behind; its folder knows it. */
  @Test
  void whatAnEarlierWorkerLeftIsEndedAtTheStart() throws Exception {
    shell().close();
    var id = Files.readString(place.resolve("runs/id"));
    var builder = new ProcessBuilder("setsid", "sleep", "1000");
    builder.environment().put("RINGMASTER_MARK", id + "/0123");
    var left = builder.start();
    var strange = new ProcessBuilder("setsid", "sleep", "1000");
    strange.environment().put("RINGMASTER_MARK", "another/0123");
    var stranger = strange.start();
    try {
      assertThat(stranger.isAlive()).isTrue();
      shell();
      assertThat(left.waitFor()).isEqualTo(128 + Signals.KILL);
      assertThat(stranger.isAlive()).isTrue();
    } finally {
      stranger.destroyForcibly();
      left.destroyForcibly();
    }
  }

  @Test
  void oneFolderIsOneWorkers() {
    shell();
    assertThatThrownBy(() -> new ExternalRunner(Runs.shell(place.resolve("runs"))))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("another worker's");
  }

  @Test
  void aProgramThatIsNotThereIsSaidAtTheStart() {
    assertThatThrownBy(
            () ->
                new ExternalRunner(
                    Runs.settings(place.resolve("runs"), "nosuch", "{script}", "{devices}")))
        .hasMessageContaining("no program 'nosuch'");
  }

  /** The number of a process that has ended may be another's: that one gets no signal. */
  @Test
  void aReusedNumberIsNotSignalled() throws Exception {
    var process = new ProcessBuilder("sleep", "1000").start();
    try {
      var now = ProcFiles.entry(process.pid()).orElseThrow();
      var before =
          new ProcFiles.Entry(now.pid(), now.start() - 5, now.parent(), now.session(), false);
      var tree = new ProcessTree(new Signals(), _ -> false);
      assertThat(tree.signal(before, Signals.KILL)).isFalse();
      assertThat(process.isAlive()).isTrue();
      assertThat(tree.signal(now, Signals.KILL)).isTrue();
      assertThat(process.waitFor()).isEqualTo(128 + Signals.KILL);
      assertThat(tree.signal(now, Signals.KILL)).isFalse();
    } finally {
      process.destroyForcibly();
    }
  }

  @Test
  void theProbeIsACommandThatSaysWhatIsWrong() {
    runner =
        new ExternalRunner(
            new ExternalSettings(
                List.of("a2a3"),
                List.of("/bin/sh", "{script}", "{devices}"),
                List.of(
                    "/bin/sh",
                    "-c",
                    "echo looking; echo card $0 is cold; [ $0 != 5 ]",
                    "{devices}"),
                List.of("PATH"),
                Map.of(),
                place.resolve("runs"),
                Runs.SHORT,
                100_000,
                false));
    assertThat(runner.probe("a2a3", List.of(4), () -> false)).isEmpty();
    assertThat(runner.probe("a2a3", List.of(5), () -> false))
        .contains("the probe ended with exit code 1: card 5 is cold");
    assertThat(runner.probe("a2a3", List.of(5), () -> true)).isEmpty();
  }

  @Test
  void aThreadThatIsToldToStopEndsItsRunFirst() throws Exception {
    var runner = shell();
    var outcome = new CompletableFuture<Outcome>();
    var thread =
        Thread.ofPlatform()
            .start(
                () -> {
                  outcome.complete(run(runner, stubborn() + "sleep 1000\n"));
                  assertThat(Thread.currentThread().isInterrupted()).isTrue();
                });
    while (numbers().isEmpty()) {
      Thread.onSpinWait();
    }
    thread.interrupt();
    assertThat(outcome.get().ending()).isEqualTo(Ending.CANCELLED);
    assertThat(living(numbers())).isEmpty();
    assertThat(outcome.get().immortal()).isEmpty();
  }
}
