package io.ringmaster.worker.isolated;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ringmaster.worker.job.JobReport;
import io.ringmaster.worker.job.JobSpec;
import io.ringmaster.worker.job.RunControl;
import io.ringmaster.worker.job.Verdict;
import io.ringmaster.worker.source.SourceFile;
import io.ringmaster.worker.trial.Algorithm;
import io.ringmaster.worker.trial.Bench;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Children that misbehave: each is a verdict with its name, and none of them is left. */
class ChildRunnerTest {

  private static final Patience SHORT =
      new Patience(
          Duration.ofSeconds(20),
          Duration.ofSeconds(10),
          Duration.ofMillis(300),
          Duration.ofMillis(200),
          Duration.ofSeconds(2),
          Duration.ofSeconds(20));

  private final List<ChildRunner> runners = new ArrayList<>();

  @AfterEach
  void nobodyIsLeft() {
    runners.forEach(ChildRunner::close);
    assertThat(children()).isEmpty();
  }

  /** Those that this process has started and what they have. */
  private static List<String> children() {
    return Stream.concat(
            ProcessHandle.current().descendants(),
            // One that lost its parent isn't a descendant any more.
            ProcessHandle.allProcesses()
                .filter(one -> one.info().commandLine().orElse("").contains("sleep 600")))
        .filter(ProcessHandle::isAlive)
        .map(one -> one.pid() + " " + one.info().commandLine().orElse("?"))
        .toList();
  }

  private ChildRunner runner(String how) {
    return runner(how, SHORT);
  }

  private ChildRunner runner(String how, Patience patience) {
    var runner = new ChildRunner(program(how), patience, 1);
    runners.add(runner);
    return runner;
  }

  private static ChildProgram program(String how) {
    return new ChildProgram(
        List.of(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "--enable-native-access=ALL-UNNAMED",
            "-XX:TieredStopAtLevel=1",
            "-XX:+UseSerialGC",
            "-XX:ErrorFile=/dev/null",
            "-XX:-CreateCoredumpOnCrash",
            "-Xmx64m",
            "-cp",
            System.getProperty("java.class.path"),
            Misbehaving.class.getName(),
            how));
  }

  private static JobSpec spec(Duration wall) {
    return new JobSpec(
        SourceFile.of("any.py", "x = 1\n"),
        "opencl",
        List.of(List.of(0, 1)),
        List.of(),
        new JobSpec.Limits(wall, 1000, 1000, 1 << 20),
        0);
  }

  private JobReport run(String how) {
    return runner(how).run(spec(Duration.ofSeconds(20)), Quietly.NEVER);
  }

  /** Wants no outputs. */
  private record Quietly(long nanos) implements RunControl {
    static final Quietly NEVER = new Quietly(Long.MAX_VALUE);

    static Quietly cancelledIn(Duration time) {
      return new Quietly(System.nanoTime() + time.toNanos());
    }

    @Override
    public boolean isCancelled() {
      return nanos != Long.MAX_VALUE && System.nanoTime() - nanos > 0;
    }

    @Override
    public long mostOutputBytes() {
      return 0;
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "exits0 | it ended without a result, with exit code 0",
        "exits3 | it ended without a result, with exit code 3; it last printed: the driver gives up",
        "hangsUp | it hung up and lives on",
        "garbage | what it says isn't a message",
        "halfAMessage | what it says isn't a message",
        "unreadable | its message LOG can't be read",
        "tooLarge | its message RESULT of 2147483647 bytes is too large",
        "otherTask | it answers another task than the one it was given",
        "otherJob | its report is that of another job",
        "noReport | its report is incomplete",
        "otherRun | it tells of run 1 of 1",
        "moreTime | it takes more time than a run may have",
        "logsForEver | it sends more than 256 MiB of messages",
        "printsForEver | it printed more than 64 MiB",
        "unaskedOutput | it sends an output that is larger than asked for",
      })
  void whatGoesWrongInItIsNamed(String how, String why) {
    JobReport report = run(how);

    assertThat(report.verdict()).as(report.sentence()).isEqualTo(Verdict.INFRA);
    assertThat(report.sentence())
        .startsWith("the process that ran it on one failed while it was running a kernel: " + why)
        .hasSizeLessThan(1000);
    assertThat(report.runs())
        .singleElement()
        .satisfies(
            one -> {
              assertThat(one.verdict()).isEqualTo(Verdict.INFRA);
              assertThat(one.devices()).containsExactly(0, 1);
            });
  }

  @Test
  void aDriverThatCrashesIsNamedWithItsLastWords() {
    JobReport report = run("crashes");

    assertThat(report.verdict()).isEqualTo(Verdict.INFRA);
    assertThat(report.sentence())
        .containsPattern(
            "it ended without a result, with exit code 1; it last printed: SIGSEGV .* in ")
        .hasSizeLessThan(1200);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "endsAtOnce | looking for devices failed: it ended before it was ready, with exit code 4",
        "babblesAtOnce | looking for devices failed: it prints without end and never says that it is",
        "otherVersion | looking for devices failed: it is another version than this process",
        "probeUnreadable | looking for devices failed: its message RESULT can't be read",
        "probeCrashes | looking for devices failed: it ended without a result, with exit code 1; it last printed: SIGSEGV",
      })
  void aHostWhoseDriverFailsHasNoDevices(String how, String why) {
    var runner = runner(how);
    long start = System.nanoTime();

    var found = runner.accelerators();

    assertThat(found.available()).isFalse();
    assertThat(found.reason()).startsWith(why);
    assertThat(found.fix()).contains("device-check");
    assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(20));
    assertThat(runner.accelerators()).as("asked once").isSameAs(found);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "neverReady | looking for devices failed: it wasn't ready after 3 s",
        "probeHangs | the OpenCL driver didn't say within 1 s which devices there are",
      })
  void aHostWhoseDriverHangsHasNoDevices(String how, String why) {
    var patience =
        new Patience(
            Duration.ofSeconds(3),
            Duration.ofSeconds(1),
            SHORT.stop(),
            SHORT.polite(),
            SHORT.kill(),
            SHORT.idle());
    assertThat(runner(how, patience).accelerators().reason()).startsWith(why);
  }

  @Test
  void aProgramThatIsNotThereIsNamed() {
    var runner = new ChildRunner(new ChildProgram(List.of("/no/such/java")), SHORT, 1);
    assertThat(runner.accelerators().reason())
        .startsWith("a process for the accelerator can't be started: ")
        .contains("/no/such/java");
  }

  @ParameterizedTest
  @ValueSource(strings = {"hangs", "deafToSigterm"})
  void oneThatHangsIsEndedWhenItsTimeIsOver(String how) {
    var runner = runner(how);
    assertThat(runner.accelerators().available()).isTrue();
    long start = System.nanoTime();

    JobReport report = runner.run(spec(Duration.ofMillis(500)), Quietly.NEVER);

    assertThat(report.verdict()).isEqualTo(Verdict.TIMED_OUT);
    assertThat(report.sentence())
        .isEqualTo(
            "the run took longer than its limit of 0.5 s; the process that ran it on one didn't"
                + " stop by itself and was ended while it was running a kernel");
    assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(6));
  }

  @Test
  void oneThatHangsIsEndedWhenItsRunIsCancelled() {
    var runner = runner("hangs");
    assertThat(runner.accelerators().available()).isTrue();
    long start = System.nanoTime();

    JobReport report =
        runner.run(spec(Duration.ofHours(1)), Quietly.cancelledIn(Duration.ofMillis(400)));

    assertThat(report.verdict()).isEqualTo(Verdict.CANCELLED);
    assertThat(report.sentence())
        .isEqualTo(
            "cancelled before it finished; the process that ran it on one didn't stop when told to"
                + " and was ended while it was running a kernel");
    assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(6));
  }

  /** A slot of a worker that ends is interrupted. */
  @Test
  void anInterruptIsACancellation() {
    var runner = runner("hangs");
    assertThat(runner.accelerators().available()).isTrue();
    Thread.currentThread().interrupt();

    JobReport report = runner.run(spec(Duration.ofHours(1)), Quietly.NEVER);

    assertThat(Thread.interrupted()).as("still interrupted").isTrue();
    assertThat(report.verdict()).isEqualTo(Verdict.CANCELLED);
  }

  @Test
  void aMeasurementWhoseDriverCrashesIsAFailureWithItsReason() {
    var runner = runner("exits3");
    assertThatThrownBy(() -> runner.calibration(true, _ -> {}))
        .isInstanceOf(ChildFailure.class)
        .hasMessage(
            "the process that uses the device failed: it ended without a result, with exit code 3;"
                + " it last printed: the driver gives up");
    assertThatThrownBy(
            () ->
                runner.bench(
                    Algorithm.ALLREDUCE_MESH,
                    2,
                    1024,
                    Bench.Watch.NOTHING,
                    1,
                    1,
                    Duration.ofSeconds(1)))
        .isInstanceOf(ChildFailure.class);
    assertThatThrownBy(() -> runner.check(true, Duration.ofSeconds(1), _ -> {}))
        .isInstanceOf(ChildFailure.class);
  }

  @Test
  void aMeasurementThatHangsComesToAnEnd() {
    var runner = new ChildRunner(() -> program("hangs"), SHORT, 1, Duration.ofMillis(500));
    runners.add(runner);
    assertThatThrownBy(() -> runner.calibration(true, _ -> {}))
        .hasMessageMatching(
            "the process that uses the device didn't come to an end within \\d+ s and was ended while"
                + " it was running a kernel");
  }

  @Test
  void whatADriverPrintsIsNoMessage() {
    assertThat(run("noisy").verdict()).isEqualTo(Verdict.PASSED);
  }

  /** Processes that it has left, in sessions of their own and deaf to requests, end with it. */
  @Test
  void oneThatLeavesOthersBehindIsNotUsedAgain() {
    var runner = runner("leavesOthersBehind");

    assertThat(runner.run(spec(Duration.ofSeconds(20)), Quietly.NEVER).verdict())
        .isEqualTo(Verdict.PASSED);
    assertThat(children()).as("before anybody closes the runner").isEmpty();
  }

  @Test
  void oneThatSpeaksUnaskedIsNotUsedAgain() throws InterruptedException {
    var runner = runner("speaksUnasked");
    for (int i = 0; i < 2; i++) {
      JobReport report = runner.run(spec(Duration.ofSeconds(20)), Quietly.NEVER);
      assertThat(report.verdict()).as(report.sentence()).isEqualTo(Verdict.PASSED);
      TimeUnit.MILLISECONDS.sleep(500);
    }
  }

  @Test
  void whoeverListensAndFailsLeavesNobody() {
    var runner = runner("hangs");
    assertThat(runner.accelerators().available()).isTrue();
    assertThatThrownBy(
            () ->
                runner.run(
                    spec(Duration.ofHours(1)),
                    new RunControl() {
                      @Override
                      public boolean isCancelled() {
                        return false;
                      }

                      @Override
                      public void phase(int runIndex, String phase) {
                        throw new IllegalStateException("full");
                      }
                    }))
        .hasMessage("full");
    assertThat(children()).isEmpty();
  }
}
