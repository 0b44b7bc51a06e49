package io.ringmaster.worker.job;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringmaster.worker.source.SourceFile;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What the one door says of submissions that never reach a kernel, or don't come back from one. */
class JobRunnerTest {

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      value = {
        "x = (1, 2                   | 1 | 5  | never closed",
        "if 1\\n    pass              | 1 | 5  | expected ':'",
        "import socket               | 1 | 8  | socket",
        "import torch\\ntorch.zerso(2) | 2 | 7 | zeros",
        "pritn('OK')                 | 1 | 1  | print"
      })
  void aSourceThatBreaksARuleIsRejectedAtItsPlace(String text, int line, int column, String says) {
    JobReport report = run(text.replace("\\n", "\n"), JobSpec.Limits.DEFAULT);

    assertThat(report.verdict()).isEqualTo(Verdict.REJECTED);
    assertThat(report.diagnostics())
        .isNotEmpty()
        .first()
        .satisfies(
            d -> {
              assertThat(d.message() + " " + d.hint()).contains(says);
              assertThat(d.line()).isEqualTo(line);
              assertThat(d.column()).isEqualTo(column);
              assertThat(d.source()).isNotEmpty();
            });
    assertThat(report.runs()).hasSize(1).allMatch(r -> r.verdict() == Verdict.REJECTED);
    assertThat(report.runs().getFirst().diagnostics()).isEqualTo(report.diagnostics());
  }

  @Test
  void aConditionOnARankThatIsNotThereIsRejectedBeforeTheScriptIsLookedAt() {
    JobSpec two =
        new JobSpec(
            SourceFile.of("k.py", "print('never')\n"),
            "sim",
            List.of(List.of(4, 9)),
            List.of(),
            JobSpec.Limits.DEFAULT,
            0);
    JobReport report =
        new JobRunner().run(two.underTexts(List.of("straggler=9:5us")), RunControl.none());

    assertThat(report.verdict()).isEqualTo(Verdict.REJECTED);
    assertThat(report.sentence())
        .isEqualTo(
            "straggler=9:5000ns: there is no rank 9: with 2 devices the ranks are 0..1;"
                + " conditions name ranks, not device ids");
    assertThat(report.runs().getFirst().log()).isEmpty();
  }

  @Test
  void eachRunHasItsOwnDiagnosticsAndTheJobHasThoseOfAll() {
    String text =
        """
        import sys, torch
        if "2" in sys.argv[4]:
            torch.zeros(2, wrong=1)
        """;
    JobReport report =
        new JobRunner()
            .run(
                new JobSpec(
                    SourceFile.of("k.py", text),
                    "sim",
                    List.of(List.of(0, 1), List.of(0, 1, 2)),
                    List.of(),
                    JobSpec.Limits.DEFAULT,
                    0),
                RunControl.none());

    assertThat(report.runs())
        .extracting(JobReport.Run::verdict)
        .containsExactly(Verdict.NOT_VERIFIED, Verdict.REJECTED);
    assertThat(report.runs().getFirst().diagnostics()).isEmpty();
    assertThat(report.runs().getLast().diagnostics())
        .extracting(JobReport.DiagnosticLine::line)
        .containsExactly(3);
    assertThat(report.diagnostics()).isEqualTo(report.runs().getLast().diagnostics());
    assertThat(ReportJson.read(ReportJson.write(report))).isEqualTo(report);
  }

  @Test
  void anUnknownPlatformIsRejectedWithTheKnownOnes() {
    JobReport report =
        new JobRunner()
            .run(
                new JobSpec(
                    SourceFile.of("k.py", "print(1)\n"),
                    "a9z",
                    List.of(List.of(0, 1)),
                    List.of(),
                    JobSpec.Limits.DEFAULT,
                    0),
                RunControl.none());

    assertThat(report.verdict()).isEqualTo(Verdict.REJECTED);
    assertThat(report.diagnostics().getFirst().hint()).contains("a2a3sim, a5sim, sim");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "print('OK')",
        "import torch\\nassert torch.allclose(torch.zeros(2), torch.zeros(2))\\nprint('OK')"
      })
  void aScriptThatComparesNothingOfAKernelIsNeverGreen(String text) {
    JobReport report = run(text.replace("\\n", "\n"), JobSpec.Limits.DEFAULT);

    assertThat(report.verdict()).isEqualTo(Verdict.NOT_VERIFIED);
    assertThat(report.runs().getFirst().log()).isEqualTo("OK\n");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "y[r], y[r]                       | both sides come from what the kernel wrote",
        "y[r], y[r].clone()               | both sides come from what the kernel wrote",
        "y[r] * 0, golden * 0             | it comes out the same whatever the kernel writes",
        "y[r], golden, atol=float('inf')  | takes in every value compared",
        "y[r], golden, rtol=1e999         | takes in every value compared",
        "y[r], golden, atol=1e6           | takes in every value compared"
      })
  void aComparisonThatCannotFailVerifiesNothing(String compared, String why) {
    String text =
        Examples.ladder("13_allgather.py")
            .text()
            .replace("torch.allclose(y[r], golden)", "torch.allclose(" + compared + ")");

    JobReport report = run(text, JobSpec.Limits.DEFAULT);

    assertThat(text).contains(compared);
    assertThat(report.verdict()).isEqualTo(Verdict.NOT_VERIFIED);
    assertThat(report.sentence())
        .startsWith("it ran, but nothing was verified: ")
        .contains(": this check can't fail: ", why);
    assertThat(report.runs().getFirst().checks())
        .isNotEmpty()
        .allMatch(check -> check.explanation().contains(why));
  }

  @Test
  void anExceptionIsAnErrorWithItsTraceInTheLog() {
    JobReport report =
        run("def f():\n    raise ValueError('no such card')\n\nf()\n", JobSpec.Limits.DEFAULT);

    assertThat(report.verdict()).isEqualTo(Verdict.ERROR);
    assertThat(report.sentence()).isEqualTo("ValueError: no such card");
    assertThat(report.runs().getFirst().log()).contains("line 2, in f").contains("line 4");
  }

  @Test
  void anEndlessLoopEndsByTheStepLimit() {
    JobReport report =
        run(
            "while True:\n    pass\n",
            new JobSpec.Limits(Duration.ofMinutes(1), 100_000, 1_000, 1 << 20));

    assertThat(report.verdict()).isEqualTo(Verdict.RESOURCE);
    assertThat(report.sentence()).contains("step");
  }

  @Test
  void anEndlessRecursionEndsByTheRecursionLimit() {
    JobReport report = run("def f():\n    return f()\n\nf()\n", JobSpec.Limits.DEFAULT);

    assertThat(report.verdict()).isIn(Verdict.RESOURCE, Verdict.ERROR);
    assertThat(report.sentence()).containsIgnoringCase("recursion");
  }

  @Test
  void aRunThatOutlastsItsLimitIsTimedOut() {
    var limits =
        new JobSpec.Limits(Duration.ofMillis(2500), Long.MAX_VALUE, Long.MAX_VALUE, 1 << 28);

    JobReport report = run("while True:\n    pass\n", limits);

    assertThat(report.verdict()).isEqualTo(Verdict.TIMED_OUT);
    assertThat(report.sentence())
        .startsWith("the run took longer than its limit of 2.5 s; the script was at ")
        .containsPattern(":(2:1|2:7|3:5|2:5), before any kernel ran$");
  }

  /** A script that never gets to its program: compiling it ends as running it would. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "while True:/    pass | RESOURCE | 2 | step limit: the script took more than 100000 steps",
        "def f(n):/    return f(n)/f(1) | RESOURCE | 2 | recursion limit: more than 1000 nested"
            + " calls",
        "a = []/while True:/    a.append('x' * 9999) | RESOURCE | 3 | memory limit: ",
        "x = 10**10**10 | RESOURCE | 1 | integer limit: ",
        "x = 1/raise ValueError('no') | ERROR | 2 | ValueError: no",
        "import sys/sys.exit(3) | ERROR | 2 | the script exited with code 3",
        "x = 1/assert x == 2 | WRONG_RESULT | 2 | assertion failed",
      })
  void whatEndsBeforeItsProgramCompilesNothingAndSaysWhy(
      String script, Verdict verdict, int line, String why) {
    var limits = new JobSpec.Limits(Duration.ofMinutes(5), 100_000, 1_000, 1 << 20);
    CompiledScript compiled =
        new JobRunner().compile(spec(script.replace("/", "\n") + "\n", limits));

    assertThat(compiled.isRejected()).isTrue();
    assertThat(compiled.report().verdict()).isEqualTo(verdict);
    assertThat(compiled.report().sentence())
        .startsWith(
            "the script compiled no program: " + (verdict == Verdict.ERROR ? "" : verdict + ": "))
        .contains(why);
    assertThat(compiled.report().diagnostics())
        .extracting(JobReport.DiagnosticLine::line)
        .containsExactly(line);
  }

  @Test
  void whatTakesTooLongToCompileIsTimedOutWithItsPlace() {
    var limits = new JobSpec.Limits(Duration.ofSeconds(3), Long.MAX_VALUE, Long.MAX_VALUE, 1 << 28);
    JobReport report = new JobRunner().compile(spec("while True:\n    pass\n", limits)).report();

    assertThat(report.verdict()).isEqualTo(Verdict.TIMED_OUT);
    assertThat(report.sentence())
        .startsWith(
            "the script compiled no program: TIMED_OUT: the run took longer than its limit"
                + " of 3 s; the script was at k.py:");
    assertThat(report.diagnostics().getFirst().line()).isBetween(1, 2);
  }

  @Test
  void aRunIsCancelledFromOutside() {
    var cancelled = new AtomicBoolean();
    JobReport report =
        new JobRunner()
            .run(
                spec(
                    "while True:\n    pass\n",
                    new JobSpec.Limits(
                        Duration.ofMinutes(1), Long.MAX_VALUE, Long.MAX_VALUE, 1 << 20)),
                new RunControl() {
                  @Override
                  public boolean isCancelled() {
                    return cancelled.get();
                  }

                  @Override
                  public void phase(int runIndex, String phase) {
                    cancelled.set(true);
                  }
                });

    assertThat(report.verdict()).isEqualTo(Verdict.CANCELLED);
    assertThat(Thread.currentThread().isInterrupted()).isFalse();
  }

  @Test
  void aDeadlockIsSaidAtOnceAndNotByTheTimeLimit() {
    var source = Examples.source(Path.of("../examples/wrong/wait_before_notify.py"));
    JobReport report = Examples.run(source, List.of(0, 1, 2));

    assertThat(report.verdict()).isEqualTo(Verdict.DEADLOCK);
    assertThat(report.runs().getFirst().findings())
        .first()
        .satisfies(
            f -> {
              assertThat(f.ranks()).containsExactly(0, 1, 2);
              assertThat(f.places()).hasSizeGreaterThanOrEqualTo(3);
              assertThat(f.places().getFirst().text()).contains("pld.system.wait");
              assertThat(f.message()).contains("holds 0 and needs at least 1");
            });
  }

  @Test
  void outputsAreHandedOutByName() {
    var names = new java.util.TreeSet<String>();
    var control =
        new RunControl() {
          @Override
          public boolean isCancelled() {
            return false;
          }

          @Override
          public void output(
              int runIndex, String name, io.ringmaster.worker.tensor.HostTensor tensor) {
            names.add(name + tensor);
          }
        };
    new JobRunner()
        .run(
            new JobSpec(
                Examples.ladder("16_putting_it_together.py"),
                "a5sim",
                List.of(List.of(0, 1)),
                List.of(),
                JobSpec.Limits.DEFAULT,
                0),
            control);

    assertThat(names).containsExactly("gatheredFP32[2, 1, 128]", "reducedFP32[2, 1, 64]");
  }

  @Test
  void theEvidenceCountsTheRanksThatRanAndNotTheDevicesThatWereLeased() {
    String text = Examples.source(Path.of("../examples/right/barrier_shared_cell_lost.py")).text();
    for (int used : List.of(1, 2, 4)) {
      String some = "device_ids = device_ids[:%d]\n    nr = len(device_ids)".formatted(used);
      var source = new SourceFile("some.py", text.replace("nr = len(device_ids)", some));
      var spec =
          new JobSpec(
              source,
              "a2a3sim",
              List.of(List.of(0, 1, 2, 3)),
              List.of(),
              JobSpec.Limits.DEFAULT,
              0);

      JobReport report = new JobRunner().run(spec, RunControl.none());

      assertThat(report.verdict()).as(report.sentence()).isEqualTo(Verdict.PASSED);
      assertThat(report.runs().getFirst().evidence().ranks()).isEqualTo(used);
    }
  }

  private static JobReport run(String text, JobSpec.Limits limits) {
    return new JobRunner().run(spec(text, limits), RunControl.none());
  }

  private static JobSpec spec(String text, JobSpec.Limits limits) {
    return new JobSpec(
        SourceFile.of("k.py", text), "a2a3sim", List.of(List.of(0, 1)), List.of(), limits, 0);
  }
}
