package io.ringmaster.worker.job;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringmaster.worker.source.SourceFile;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A loop of a program that doesn't end: the report says which rank was where, after how long. */
class EndlessLoopsTest {

  private static final String SCRIPT =
      """
      import pypto.language as pl
      import pypto.language.distributed as pld
      import torch
      from pypto import ir
      from pypto.ir import DistributedConfig

      @pl.program
      class P:
          @pl.function(type=pl.FunctionType.InCore)
          def kernel(self, x: pl.Tensor[[1, 64], pl.FP32], y: pl.Out[pl.Tensor[[1, 64], pl.FP32]]):
              t = pl.load(x, [0, 0], [1, 64])
              i = pl.const(0, pl.INT32)
              while i < KERNEL:
                  t = pl.add(t, 1.0)
              return pl.store(t, [0, 0], y)

          @pl.function(type=pl.FunctionType.Orchestration)
          def chip(self, x: pl.Tensor[[1, 64], pl.FP32], y: pl.Out[pl.Tensor[[1, 64], pl.FP32]]):
              i = pl.const(0, pl.INT32)
              while i < CHIP:
                  i = pl.const(0, pl.INT32)
              return self.kernel(x, y)

          @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
          def host(
              self,
              x: pl.Tensor[[2, 1, 64], pl.FP32],
              y: pl.Out[pl.Tensor[[2, 1, 64], pl.FP32]],
          ):
              i = pl.const(0, pl.INT32)
              while i < HOST:
                  i = pl.const(0, pl.INT32)
              for r in pl.range(pld.world_size()):
                  self.chip(x[r], y[r], device=r)
              return y

      def test_adds():
          x = torch.ones(2, 1, 64)
          y = torch.zeros(2, 1, 64)
          config = DistributedConfig(device_ids=[0, 1])
          ir.compile(P, platform="a2a3sim", distributed_config=config)(x, y)
          assert torch.allclose(y, x)
      """;

  private static final JobSpec.Limits LONG =
      new JobSpec.Limits(Duration.ofMinutes(5), Long.MAX_VALUE, Long.MAX_VALUE, 1 << 28);

  private static JobReport run(String text, JobSpec.Limits limits, String... arguments) {
    return new JobRunner().run(spec(text, limits, arguments), RunControl.none());
  }

  private static JobSpec spec(String text, JobSpec.Limits limits, String... arguments) {
    String script = text.replace("KERNEL", "0").replace("CHIP", "0").replace("HOST:", "0:");
    return new JobSpec(
        SourceFile.of("loop.py", script),
        "a2a3sim",
        List.of(List.of(0, 1)),
        List.of(arguments),
        limits,
        0);
  }

  /** The report of a run that is cancelled a moment after its kernel began. */
  private static JobReport cancelledInKernel(String text) {
    var running = new AtomicLong();
    return new JobRunner()
        .run(
            spec(text, LONG),
            new RunControl() {
              @Override
              public boolean isCancelled() {
                long since = running.get();
                return since != 0 && System.nanoTime() - since > 1_000_000_000;
              }

              @Override
              public void phase(int runIndex, String phase) {
                running.compareAndSet(0, phase.equals("run") ? System.nanoTime() : 0);
              }
            });
  }

  @ParameterizedTest
  @CsvSource({
    "< KERNEL, rank (0|1) was at loop.py:1[34]:\\d+ in 'kernel'",
    "< CHIP, rank (0|1) was at loop.py:(20|21):\\d+ in 'chip'",
    "< HOST, HOST was at loop.py:(31|32):\\d+ in 'host'"
  })
  void timeAndStepsEndThemWithThePlace(String where, String place) {
    String text = SCRIPT.replace("def test_adds():", "if True:");
    String endless = text.replace(where, "< 1");
    var time = new JobSpec.Limits(Duration.ofSeconds(3), 1_000_000, Long.MAX_VALUE, 1 << 28);
    JobReport timed = run(endless, time);
    assertThat(timed.verdict()).isEqualTo(Verdict.TIMED_OUT);
    assertThat(timed.sentence())
        .startsWith("the run took longer than its limit of 3 s; ")
        .containsPattern(place)
        .containsPattern(", after \\d{4,} kernel instructions; the script was at loop.py:41:\\d+$");

    var steps = new JobSpec.Limits(Duration.ofMinutes(1), 1_000_000, 100_000, 1 << 28);
    JobReport counted = run(endless, steps);
    assertThat(counted.verdict()).isEqualTo(Verdict.RESOURCE);
    assertThat(counted.sentence())
        .startsWith("the limit of 100000 kernel instructions over all ranks is used up: ")
        .containsPattern(place);
  }

  @Test
  void aCaseOfATestFileSaysThePlaceToo() {
    JobReport report = run(SCRIPT.replace("< KERNEL", "< 1"), LONG, "--timeout=2");
    assertThat(report.verdict()).isEqualTo(Verdict.TIMED_OUT);
    assertThat(report.runs().getFirst().tests().getFirst().message())
        .startsWith("the case took longer than its limit of 2 s; rank ")
        .contains(" in 'kernel', after ")
        .endsWith("; the script was at loop.py:41:5");
  }

  /** Whatever takes the time of a case, and however deep below it that is. */
  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "helper(1); [34]",
        "next(endless()); [67]",
        "[0].sort(key=helper); [34]",
        "recurse(0); (9|1[0123])",
        "max(Always()); (17|18|24)",
        "sum(1 for _ in Always()); (17|18|24)",
        "helper(torch.ones(9)); [34]",
      })
  void aCaseSaysTheInnermostPlaceOfTheScript(String call, String line) {
    String script =
        """
        import torch
        def helper(n):
            while True:
                n = 0
        def endless():
            while True:
                pass
            yield 1
        def recurse(n):
            try:
                return recurse(n + 1)
            except RecursionError:
                return recurse(0)
        class Always:
            def __iter__(self):
                return self
            def __next__(self):
                return 1
        import pytest
        @pytest.fixture
        def slow():
            return 1
        def test_one(slow):
        """;
    JobReport report =
        run(script + "    " + call + "\n    assert slow == 1\n", LONG, "--timeout=0.5");
    assertThat(report.runs().getFirst().tests().getFirst().message())
        .matches(
            "the case took longer than its limit of 0.5 s; the script was at loop.py:"
                + line
                + ":\\d+, before any kernel ran");
  }

  @Test
  void aFixtureIsAPlaceToo() {
    String script =
        """
        import pytest
        @pytest.fixture
        def slow():
            while True:
                pass
        def test_one(slow):
            assert slow == 1
        """;
    JobReport report = run(script, LONG, "--timeout=0.5");
    assertThat(report.runs().getFirst().tests().getFirst().message())
        .matches(".* of 0.5 s; the script was at loop.py:[45]:\\d+, before any kernel ran");
  }

  /** Who cancels a run wants to know where it was, and so does whoever keeps its time outside. */
  @Test
  void aCancelledRunSaysWhereItWas() {
    String text = SCRIPT.replace("def test_adds():", "if True:").replace("< KERNEL", "< 1");
    JobReport report = cancelledInKernel(text);

    assertThat(report.verdict()).isEqualTo(Verdict.CANCELLED);
    assertThat(report.sentence())
        .matches(
            "cancelled before it finished; rank [01] was at loop.py:1[34]:\\d+ in 'kernel', after"
                + " \\d+ kernel instructions; the script was at loop.py:41:5");

    JobReport late = JobRunner.tookTooLong(report, Duration.ofSeconds(7));
    assertThat(late.verdict()).isEqualTo(Verdict.TIMED_OUT);
    assertThat(late.sentence())
        .isEqualTo(
            report
                .sentence()
                .replace(
                    "cancelled before it finished", "the run took longer than its limit of 7 s"));
    assertThat(late.runs().getFirst().verdict()).isEqualTo(Verdict.TIMED_OUT);
    assertThat(late.runs().getFirst().sentence()).isEqualTo(late.sentence());
  }

  @Test
  void aSubWorkerIsNamedWithItsLine() {
    String script =
        SCRIPT
            .replace("def test_adds():", "if True:")
            .replace(
                "    @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)",
                """
                    @pl.function(level=pl.Level.HOST, role=pl.Role.SubWorker)
                    def look(y: pl.Tensor[[2, 1, 64], pl.FP32]):
                        while True:
                            pass

                    @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)\
                """)
            .replace("        return y\n", "        self.look(y)\n        return y\n");
    JobReport report = cancelledInKernel(script);
    assertThat(report.sentence())
        .startsWith("cancelled before it finished; sub-worker 'look' was running, ")
        .containsPattern("; the script was at loop.py:2[78]:\\d+$");
  }
}
