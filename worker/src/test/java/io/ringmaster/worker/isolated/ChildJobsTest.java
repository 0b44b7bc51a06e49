package io.ringmaster.worker.isolated;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.ringmaster.worker.job.JobReport;
import io.ringmaster.worker.job.JobRunner;
import io.ringmaster.worker.job.JobSpec;
import io.ringmaster.worker.job.Measures;
import io.ringmaster.worker.job.OutputDigest;
import io.ringmaster.worker.job.RunControl;
import io.ringmaster.worker.job.RunRecorder;
import io.ringmaster.worker.job.Verdict;
import io.ringmaster.worker.source.SourceDecoder;
import io.ringmaster.worker.source.SourceFile;
import io.ringmaster.worker.tensor.DType;
import io.ringmaster.worker.tensor.HostTensor;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Jobs on a real device, in real children: as in this process, whatever becomes of the child. */
class ChildJobsTest {

  private static final Patience PATIENCE =
      new Patience(
          Duration.ofSeconds(60),
          Duration.ofSeconds(30),
          Duration.ofSeconds(4),
          Duration.ofMillis(200),
          Duration.ofSeconds(2),
          Duration.ofSeconds(30));

  private final ChildRunner children = new ChildRunner(ChildProgram.ofThisProduct(1), PATIENCE, 1);
  private final JobRunner runner = new JobRunner(Optional.empty(), children);

  @AfterEach
  void nobodyIsLeft() {
    children.close();
    assertThat(childPids()).isEmpty();
  }

  private static List<Long> childPids() {
    return ProcessHandle.current()
        .children()
        .filter(one -> one.info().commandLine().orElse("").contains(ChildMain.class.getName()))
        .filter(ProcessHandle::isAlive)
        .map(ProcessHandle::pid)
        .toList();
  }

  private static SourceFile ladder(String name) {
    Path file = Path.of("..", "examples", "ladder", name);
    try {
      return SourceDecoder.decode(name, Files.readAllBytes(file));
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  private static JobSpec spec(SourceFile source, Duration wall, int ranks) {
    var standard = JobSpec.Limits.DEFAULT;
    return new JobSpec(
        source,
        "opencl",
        List.of(IntStream.range(0, ranks).boxed().toList()),
        List.of(),
        // However fast the machine is, only time ends a script.
        new JobSpec.Limits(wall, Long.MAX_VALUE, standard.kernelSteps(), standard.memoryBytes()),
        0);
  }

  private static JobSpec spec() {
    return spec(ladder("13_allgather.py"), Duration.ofSeconds(60), 2);
  }

  /** Keeps all that it hears, and does something when a kernel runs. */
  private static final class Listening extends RunRecorder {
    private final Consumer<String> inPhase;
    private volatile boolean stopped;

    Listening() {
      this(_ -> {});
    }

    Listening(Consumer<String> inPhase) {
      this.inPhase = inPhase;
    }

    @Override
    public void phase(int runIndex, String name) {
      super.phase(runIndex, name);
      inPhase.accept(name);
    }

    @Override
    public boolean isCancelled() {
      return stopped;
    }
  }

  @Test
  void aJobSaysWhatItSaysInThisProcess() {
    var here = new Listening();
    JobReport expected = new JobRunner().run(spec(), here);
    var there = new Listening();
    JobReport report = runner.run(spec(), there);

    assertThat(report.verdict()).as(report.sentence()).isEqualTo(Verdict.PASSED);
    var a = expected.runs().getFirst();
    var b = report.runs().getFirst();
    assertThat(b.checks()).isEqualTo(a.checks());
    assertThat(b.findings()).isEqualTo(a.findings());
    assertThat(b.traffic()).isEqualTo(a.traffic());
    assertThat(b.evidence()).isEqualTo(a.evidence());
    assertThat(b.log()).isEqualTo(a.log());
    assertThat(there.log()).isEqualTo(here.log()).isNotEmpty();
    assertThat(there.phase()).isEqualTo(here.phase());
    assertThat(there.outputs()).isNotEmpty().hasSameSizeAs(here.outputs());
    for (Map.Entry<String, byte[]> output : here.outputs().entrySet()) {
      assertThat(there.outputs().get(output.getKey())).isEqualTo(output.getValue());
    }
    Measures expectedMeasures = here.measures();
    assertThat(there.measures().instructions()).isEqualTo(expectedMeasures.instructions());
    assertThat(there.measures().goldenErrors()).isEqualTo(expectedMeasures.goldenErrors());
    assertThat(there.measures().passNanos().keySet())
        .isEqualTo(expectedMeasures.passNanos().keySet());
  }

  /** Its type and digest do, for whoever holds it against another one. */
  @Test
  void anOutputThatIsTooLargeDoesNotComeOver() {
    List<String> digests = new ArrayList<>();
    List<String> leftOut = new ArrayList<>();
    record Small(List<String> digests, List<String> leftOut, long mostOutputBytes)
        implements RunControl {
      @Override
      public boolean isCancelled() {
        return false;
      }

      @Override
      public void output(int runIndex, String name, HostTensor tensor) {
        digests.add(name + " " + tensor.dtype() + " " + OutputDigest.of(tensor));
      }

      @Override
      public void outputLeftOut(int runIndex, String name, DType dtype, String digest) {
        leftOut.add(name + " " + dtype + " " + digest);
      }
    }

    new JobRunner().run(spec(), new Small(digests, leftOut, Long.MAX_VALUE));
    assertThat(digests).isNotEmpty();
    assertThat(leftOut).isEmpty();
    runner.run(spec(), new Small(new ArrayList<>(), leftOut, 8));
    assertThat(leftOut).isEqualTo(digests);
  }

  @Test
  void aChildThatDidItsJobDoesTheNextAndAFaultOfAKernelDoesNotChangeThat() {
    assertThat(runner.accelerators().available()).isTrue();
    List<Long> first = childPids();
    assertThat(first).hasSize(1);

    var wrong =
        new SourceFile(
            "wrong.py", ladder("13_allgather.py").text().replace("allclose", "all_close"));
    assertThat(runner.run(spec(wrong, Duration.ofSeconds(60), 2), RunControl.none()).verdict())
        .isNotEqualTo(Verdict.PASSED);
    assertThat(runner.run(spec(), RunControl.none()).verdict()).isEqualTo(Verdict.PASSED);
    assertThat(childPids()).isEqualTo(first);
  }

  @Test
  void aRejectedSourceNeedsNoDevice() {
    var report =
        runner.run(
            spec(new SourceFile("x.py", "def f(:\n"), Duration.ofSeconds(60), 2),
            RunControl.none());
    assertThat(report.verdict()).isEqualTo(Verdict.REJECTED);
    assertThat(report.diagnostics()).isNotEmpty();
  }

  @Test
  void oneThatIsKilledIsAFaultOfTheInfrastructure() {
    String device = runner.accelerators().names().getFirst();
    var listening =
        new Listening(
            phase -> {
              if (phase.equals("run")) {
                signal("KILL");
              }
            });

    JobReport report = runner.run(spec(), listening);

    assertThat(report.verdict()).as(report.sentence()).isEqualTo(Verdict.INFRA);
    assertThat(report.sentence())
        .startsWith("the process that ran it on " + device + " failed while it was ")
        .contains("it ended without a result, by signal 9 (SIGKILL; the kernel sends it, too,");
    JobReport next = runner.run(spec(), new Listening());
    assertThat(next.verdict()).as("by another child").isEqualTo(Verdict.PASSED);
  }

  /** As in a driver that hangs: nothing of the process reacts, and SIGTERM doesn't reach it. */
  @Test
  void oneThatStandsStillIsEndedWhenItsTimeIsOver() {
    String device = runner.accelerators().names().getFirst();
    var listening =
        new Listening(
            phase -> {
              if (phase.equals("script")) {
                signal("STOP");
              }
            });
    long start = System.nanoTime();

    JobReport report =
        runner.run(spec(ladder("13_allgather.py"), Duration.ofSeconds(2), 2), listening);

    assertThat(report.verdict()).as(report.sentence()).isEqualTo(Verdict.TIMED_OUT);
    assertThat(report.sentence())
        .startsWith(
            "the run took longer than its limit of 2 s; the process that ran it on "
                + device
                + " didn't stop by itself and was ended while it was ");
    assertThat(report.runs().getFirst().devices()).containsExactly(0, 1);
    assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(20));
    assertThat(childPids()).isEmpty();
  }

  @Test
  void oneThatStandsStillIsEndedWhenItsRunIsCancelled() {
    assertThat(runner.accelerators().available()).isTrue();
    var listening = new Listening[1];
    listening[0] =
        new Listening(
            phase -> {
              if (phase.equals("run")) {
                signal("STOP");
                listening[0].stopped = true;
              }
            });

    JobReport report = runner.run(spec(), listening[0]);

    assertThat(report.verdict()).isEqualTo(Verdict.CANCELLED);
    assertThat(report.sentence()).contains(" didn't stop when told to and was ended while it was ");
    assertThat(childPids()).isEmpty();
  }

  /** One that listens stops by itself, with what it knows. */
  @Test
  void aScriptThatRunsForEverStopsWhenToldTo() {
    var endless = new SourceFile("endless.py", "while True:\n    x = 1\n");
    assertThat(runner.accelerators().available()).isTrue();
    var listening = new Listening[1];
    listening[0] = new Listening(phase -> listening[0].stopped |= phase.equals("script"));

    JobReport cancelled = runner.run(spec(endless, Duration.ofHours(1), 2), listening[0]);
    JobReport late = runner.run(spec(endless, Duration.ofSeconds(6), 2), new Listening());

    assertThat(cancelled.verdict()).isEqualTo(Verdict.CANCELLED);
    assertThat(cancelled.sentence()).startsWith("cancelled before it finished; ");
    assertThat(late.verdict()).isEqualTo(Verdict.TIMED_OUT);
    assertThat(late.sentence())
        .matches(
            "the run took longer than its limit of 6 s; the script was at endless.py:[12]:\\d+,"
                + " before any kernel ran");
    assertThat(late.sentence()).doesNotContain("process");
  }

  private static void signal(String signal) {
    for (long pid : childPids()) {
      try {
        assertThat(new ProcessBuilder("kill", "-" + signal, "" + pid).start().waitFor()).isZero();
      } catch (IOException e) {
        throw new IllegalStateException(e);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /** A parent that has a child do something that never ends, and says the child's number. */
  public static final class Parent {
    private Parent() {}

    public static void main(String[] args) {
      var runner = ChildRunner.jobs(Optional.empty(), 1);
      var endless = new SourceFile("endless.py", "while True:\n    x = 1\n");
      var listening =
          new Listening(
              phase -> {
                if (phase.equals("script")) {
                  System.out.println(childPids().getFirst());
                }
              });
      var _ = runner.run(spec(endless, Duration.ofHours(1), 2), listening);
    }
  }

  @Test
  void aChildEndsWithItsParentHoweverThatEnds() throws Exception {
    Process parent =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                Parent.class.getName())
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start();
    try (var out = new BufferedReader(new InputStreamReader(parent.getInputStream(), UTF_8))) {
      var child = ProcessHandle.of(Long.parseLong(out.readLine())).orElseThrow();
      assertThat(child.isAlive()).isTrue();

      parent.destroyForcibly().waitFor();

      child.onExit().get(20, TimeUnit.SECONDS);
      assertThat(child.isAlive()).isFalse();
    } finally {
      parent.destroyForcibly();
    }
  }
}
