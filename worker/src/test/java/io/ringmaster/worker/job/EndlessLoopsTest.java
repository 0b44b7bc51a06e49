package io.ringmaster.worker.job;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringmaster.worker.source.SourceFile;
import java.time.Duration;
import java.util.List;
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

  private static JobReport run(String text, JobSpec.Limits limits) {
    String script = text.replace("KERNEL", "0").replace("CHIP", "0").replace("HOST:", "0:");
    var spec =
        new JobSpec(
            SourceFile.of("loop.py", script),
            "a2a3sim",
            List.of(List.of(0, 1)),
            List.of(),
            limits,
            0);
    return new JobRunner().run(spec, RunControl.none());
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
        .containsPattern(", after \\d{4,} kernel instructions$");

    var steps = new JobSpec.Limits(Duration.ofMinutes(1), 1_000_000, 100_000, 1 << 28);
    JobReport counted = run(endless, steps);
    assertThat(counted.verdict()).isEqualTo(Verdict.RESOURCE);
    assertThat(counted.sentence())
        .startsWith("the limit of 100000 kernel instructions over all ranks is used up: ")
        .containsPattern(place);
  }

  @Test
  void aCaseOfATestFileSaysThePlaceToo() {
    var time = new JobSpec.Limits(Duration.ofSeconds(3), 1_000_000, Long.MAX_VALUE, 1 << 28);
    JobReport report = run(SCRIPT.replace("< KERNEL", "< 1"), time);
    assertThat(report.verdict()).isEqualTo(Verdict.TIMED_OUT);
    assertThat(report.runs().getFirst().tests().getFirst().message())
        .startsWith("the case took longer than its limit of 3 s; rank ")
        .contains(" in 'kernel', after ");
  }
}
