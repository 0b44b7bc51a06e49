package io.ringmaster.worker.job;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringmaster.worker.source.SourceFile;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A deferred wait holds back only what depends on it, and its task does nothing else. */
class DeferredWaitsTest {

  private static String script(String head, String trips, String besides, String deps) {
    return """
    import pypto.language as pl
    import pypto.language.distributed as pld
    import torch
    from pypto import ir
    from pypto.ir import DistributedConfig


    @pl.program
    class Swap:
        @pl.function(type=pl.FunctionType.Orchestration)
        def on_chip(
            self,
            x: pl.Tensor[[1, 16], pl.FP32],
            y: pl.Out[pl.Tensor[[1, 16], pl.FP32]],
            data: pl.InOut[pld.DistributedTensor[[1, 16], pl.FP32]],
            signal: pl.InOut[pld.DistributedTensor[[65, 1], pl.INT32]],
            other: pl.Scalar[pl.INT32],
        ) -> pl.Tensor[[1, 16], pl.FP32]:
            with pl.manual_scope():
                with pl.at(level=pl.Level.CORE_GROUP, name_hint="push") as sent:
                    pld.tensor.put(data, peer=other, src=x)
                    for i in pl.range(65):
                        pld.system.notify(
                            signal, peer=other, offsets=[i, 0], value=1, op=pld.NotifyOp.Set
                        )
                with pl.at(level=pl.Level.CORE_GROUP%s:
                    for i in pl.range(%s):
                        pld.system.defer_wait(signal, [i, 0], 1, cmp=pld.WaitCmp.Ge)
                    %s
                with pl.at(level=pl.Level.CORE_GROUP, name_hint="take"%s):
                    y = pl.store(pl.load(data, [0, 0], [1, 16]), [0, 0], y)
            return y

        @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
        def on_host(
            self, x: pl.Tensor[[2, 1, 16], pl.FP32], y: pl.Out[pl.Tensor[[2, 1, 16], pl.FP32]]
        ):
            buffer = pld.alloc_window_buffer(64)
            cells = pld.alloc_window_buffer(65 * 4)
            for r in pl.range(pld.world_size()):
                data = pld.window(buffer, [1, 16], dtype=pl.FP32)
                signal = pld.window(cells, [65, 1], dtype=pl.INT32)
                self.on_chip(x[r], y[r], data, signal, 1 - r, device=r)


    x = torch.randn(2, 1, 16)
    y = torch.zeros(2, 1, 16)
    ir.compile(Swap, distributed_config=DistributedConfig(device_ids=[0, 1]))(x, y)
    assert torch.equal(y, x.flip(0))
    """
        .formatted(head, trips, besides, deps);
  }

  private static JobReport run(String head, String trips, String besides, String deps) {
    return Examples.run(
        SourceFile.of("swap.py", script(head, trips, besides, deps)), Examples.firstDevices(2));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      textBlock =
          """
          ) as came                            | 64 | pass | , deps=[sent, came]
          , name_hint="arrived") as came       | 1  | pass | , deps=[came]
          , allow_early_resolve=False) as came | 3  | k = 1       | , deps=[came]
          """)
  void whatDependsOnAWaiterComesAfterIt(String head, String trips, String besides, String deps) {
    JobReport report = run(head, trips, besides, deps);
    assertThat(report.verdict()).as(report.sentence()).isEqualTo(Verdict.PASSED);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      textBlock =
          """
          )         | 1  | pass | ~~ | no task depends on this deferred wait, and 'data' is used
          ) as came | 1  | pass | , deps=[sent] | no task depends on this deferred wait, and 'data' is
          ) as came | 65 | pass | , deps=[came] | at most 64 conditions, this one registers 65
          ) as came | other + 1 | pass | , deps=[came] | statically known positive trip count
          ) as came | 1  | y = pl.store(pl.load(x, [0, 0], [1, 16]), [0, 0], y) | , deps=[came] | pl.store stands in the task of a pld.system.defer_wait: it bypasses
          , allow_early_resolve=True) as came | 1 | pass | , deps=[came] | cannot use allow_early_resolve=True
          """)
  void aWaiterThatHoldsNothingBackIsRefused(
      String head, String trips, String besides, String deps, String says) {
    JobReport report = run(head, trips, besides, deps);
    assertThat(report.verdict()).as(report.sentence()).isEqualTo(Verdict.REJECTED);
    assertThat(report.sentence()).contains(says);
  }
}
