package io.ringmaster.worker.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.ringmaster.worker.job.JobReport.Outcome;
import io.ringmaster.worker.source.SourceFile;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The time limit of a file of tests is that of each of its cases. */
class CaseLimitsTest {

  private static final String SLOW_KERNEL =
      """
      @pl.program
      class Slow:
          @pl.function(type=pl.FunctionType.InCore)
          def kernel(
              self, x: pl.Tensor[[1, N], pl.FP32], y: pl.Out[pl.Tensor[[1, N], pl.FP32]]
          ) -> pl.Tensor[[1, N], pl.FP32]:
              t = pl.load(x, [0, 0], [1, N])
              for i in pl.range(1000000000000):
                  t = pl.add(t, 1.0)
              y = pl.store(t, [0, 0], y)
              return y

          @pl.function(type=pl.FunctionType.Orchestration)
          def chip(
              self, x: pl.Tensor[[1, N], pl.FP32], y: pl.Out[pl.Tensor[[1, N], pl.FP32]]
          ) -> pl.Tensor[[1, N], pl.FP32]:
              y = self.kernel(x, y)
              return y

          @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
          def host(
              self, x: pl.Tensor[[2, 1, N], pl.FP32], y: pl.Out[pl.Tensor[[2, 1, N], pl.FP32]]
          ):
              for r in pl.range(2):
                  self.chip(x[r], y[r], device=r)

      """;

  private static String prelude() throws java.io.IOException {
    try (var in =
        Objects.requireNonNull(CaseLimitsTest.class.getResourceAsStream("/checks/prelude.py"))) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  private static JobReport run(String text, Duration wall, RunControl control, String... arguments)
      throws java.io.IOException {
    return new JobRunner()
        .run(
            new JobSpec(
                SourceFile.of("test_x.py", prelude() + SLOW_KERNEL + text),
                "a2a3sim",
                List.of(List.of(0, 1)),
                List.of(arguments),
                new JobSpec.Limits(wall, Long.MAX_VALUE, Long.MAX_VALUE, 2L << 30),
                0),
            control);
  }

  @Test
  void aCaseThatTakesTooLongDoesNotEndTheOthers() throws Exception {
    AtomicReference<Duration> all = new AtomicReference<>(Duration.ZERO);
    RunControl control =
        new RunControl() {
          @Override
          public boolean isCancelled() {
            return false;
          }

          @Override
          public void mayTake(int runIndex, Duration time) {
            all.set(time);
          }
        };
    JobReport report =
        run(
            """
            def test_script():
                try:
                    while True:
                        pass
                except BaseException:
                    pass
            def test_kernel():
                run(Slow, x, y)
            def test_torch():
                a = torch.ones(3000, 3000)
                while True:
                    a @ a
            def test_plain():
                assert 1 + 1 == 2
            """,
            Duration.ofMinutes(5),
            control,
            "--timeout=0.5");

    assertThat(report.runs().getFirst().tests())
        .extracting(
            JobReport.TestCase::name, JobReport.TestCase::outcome, JobReport.TestCase::verdict)
        .containsExactly(
            tuple("test_script", Outcome.FAILED, Verdict.TIMED_OUT),
            tuple("test_kernel", Outcome.FAILED, Verdict.TIMED_OUT),
            tuple("test_torch", Outcome.FAILED, Verdict.TIMED_OUT),
            tuple("test_plain", Outcome.PASSED, Verdict.NOT_VERIFIED));
    assertThat(report.verdict()).isEqualTo(Verdict.TIMED_OUT);
    assertThat(report.sentence())
        .matches(
            "test_x.py::test_script: the case took longer than its limit of 0.5 s; the script was"
                + " at test_x.py:\\d+:\\d+, before any kernel ran \\(3 of 4 cases failed\\)");
    assertThat(report.runs().getFirst().tests().get(2).message())
        .containsPattern("; the script was at test_x.py:\\d+:\\d+, after the run of its kernel$");
    assertThat(all.get()).isEqualTo(Duration.ofMinutes(50));
  }

  @ParameterizedTest
  @CsvSource({
    "0.2, the case took longer than its limit of 0.2 s",
    "100, the case took longer than its limit of 0.3 s"
  })
  void theShorterOfTheRunsLimitAndTheAskedOneHolds(String asked, String words) throws Exception {
    JobReport report =
        run(
            "def test_a():\n    while True:\n        pass\n",
            Duration.ofMillis(300),
            RunControl.none(),
            "--timeout",
            asked);

    assertThat(report.sentence()).contains(words);
    assertThat(report.verdict()).isEqualTo(Verdict.TIMED_OUT);
  }

  @Test
  void allCasesTogetherTakeTenTimesAsLongAtMost() throws Exception {
    String loop = "import pytest\n@pytest.mark.parametrize('i', range(20))\ndef test_a(i):\n";
    JobReport report =
        run(loop + "    while True:\n        pass\n", Duration.ofSeconds(1), RunControl.none());

    assertThat(report.verdict()).isEqualTo(Verdict.TIMED_OUT);
    assertThat(report.runs().getFirst().tests()).hasSize(20);
    assertThat(report.runs().getFirst().tests().getLast().outcome()).isEqualTo(Outcome.NOT_RUN);
  }
}
