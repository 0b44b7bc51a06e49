package io.ringmaster.worker.job;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringmaster.worker.source.SourceFile;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a sub-worker keeps of an output is the kernel's, whatever is compared of it later. */
class SubWorkerChecksTest {

  private static final String PROGRAM =
      """
      import pypto.language as pl
      import pypto.language.distributed as pld
      import torch
      from pypto import ir
      from pypto.ir import DistributedConfig
      SIZE = 64
      nr = 2
      worst = []
      copies = []

      @pl.program
      class W:
          @pl.function(type=pl.FunctionType.InCore)
          def step(self, x: pl.Tensor[[1, SIZE], pl.FP32], y: pl.Out[pl.Tensor[[1, SIZE], pl.FP32]]) -> pl.Tensor[[1, SIZE], pl.FP32]:
              return pl.store(pl.add(pl.load(x, [0, 0], [1, SIZE]), 1.0), [0, 0], y)

          @pl.function(type=pl.FunctionType.Orchestration)
          def on_chip(self, x: pl.Tensor[[1, SIZE], pl.FP32], y: pl.Out[pl.Tensor[[1, SIZE], pl.FP32]]) -> pl.Tensor[[1, SIZE], pl.FP32]:
              return self.step(x, y)

          @pl.function(level=pl.Level.HOST, role=pl.Role.SubWorker)
          def verify(y: pl.Tensor[[nr, 1, SIZE], pl.FP32]):
              worst.append((y - 2.0).abs().max().item())
              copies.append(y.clone())

          @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
          def on_host(self, x: pl.Tensor[[nr, 1, SIZE], pl.FP32], y: pl.Out[pl.Tensor[[nr, 1, SIZE], pl.FP32]]):
              for r in pl.range(pld.world_size()):
                  self.on_chip(x[r], y[r], device=r)
              self.verify(y)

      c = ir.compile(W, platform="a2a3sim", distributed_config=DistributedConfig(device_ids=[0, 1], num_sub_workers=1))
      x = torch.ones((nr, 1, SIZE))
      y = torch.zeros((nr, 1, SIZE))
      c(x, y)
      """;

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "assert worst[0] < 1e-5                     | PASSED",
        "assert torch.equal(copies[0], x + 1)       | PASSED",
        "assert worst[0] < 1e9                      | NOT_VERIFIED",
        "assert sum(worst) < 1e-5                   | PASSED",
        "assert not [w for w in worst if w > 1e-3]  | PASSED",
        "assert worst[0] < 1.5                      | NOT_VERIFIED",
        "assert copies[0].mean() == 2               | NOT_VERIFIED",
        "assert (copies[0] == 2).float().mean() > .9 | NOT_VERIFIED",
        "assert torch.equal(copies[0], copies[0])   | NOT_VERIFIED",
        "assert torch.isfinite(copies[0]).all()     | NOT_VERIFIED",
      })
  void aCheckCountsIfItCouldHaveFailed(String check, Verdict verdict) {
    JobReport report = Examples.run(SourceFile.of("k.py", PROGRAM + check + "\n"), List.of(0, 1));

    assertThat(report.verdict()).as(report.sentence()).isEqualTo(verdict);
  }

  @Test
  void writingIntoAnInputIsAWarning() {
    JobReport report =
        Examples.run(
            SourceFile.of(
                "k.py",
                PROGRAM.replace("copies.append(y.clone())", "y.sub_(2.0)")
                    + "assert worst[0] < 1e-5\n"),
            List.of(0, 1));

    assertThat(report.verdict()).as(report.sentence()).isEqualTo(Verdict.PASSED);
    assertThat(report.diagnostics())
        .singleElement()
        .satisfies(
            d -> {
              assertThat(d.severity()).isEqualTo("WARNING");
              assertThat(d.message())
                  .isEqualTo(
                      "sub-worker 'verify' writes into its input 'y': no dispatch waits for that");
              assertThat(d.source()).contains("def verify(");
            });
  }
}
