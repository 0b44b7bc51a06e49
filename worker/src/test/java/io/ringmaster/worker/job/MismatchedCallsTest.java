package io.ringmaster.worker.job;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringmaster.worker.source.SourceFile;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Rank 0 makes another collective call than the others: what differs is named, with every rank. */
class MismatchedCallsTest {

  private static final String SCRIPT =
      """
      import argparse

      import pypto.language as pl
      import pypto.language.distributed as pld
      import torch
      from pypto import ir
      from pypto.ir import DistributedConfig


      def build(nr):
          @pl.program
          class Differing:
              @pl.function(type=pl.FunctionType.InCore)
              def step(
                  self,
                  x: pl.Tensor[[1, 16], pl.FP32],
                  y: pl.Out[pl.Tensor[[1, 16], pl.FP32]],
                  data: pl.InOut[pld.DistributedTensor[[1, 16], pl.FP32]],
                  part: pl.InOut[pld.DistributedTensor[[1, 8], pl.FP32]],
                  half: pl.InOut[pld.DistributedTensor[[1, 16], pl.FP16]],
                  other: pl.InOut[pld.DistributedTensor[[1, 16], pl.FP32]],
                  signal: pl.InOut[pld.DistributedTensor[[nr, 1], pl.INT32]],
                  rounds: pl.InOut[pld.DistributedTensor[[2 * (nr - 1), nr], pl.INT32]],
              ) -> pl.Tensor[[1, 16], pl.FP32]:
                  ctx = pld.get_comm_ctx(data)
                  my_rank = pld.rank(ctx)
                  mine = pl.load(x, [0, 0], [1, 16])
                  data = pl.store(mine, [0, 0], data)
                  if my_rank == 0:
                      pld.tensor.%s
                  else:
                      pld.tensor.%s
                  total = pl.load(data, [0, 0], [1, 16])
                  y = pl.store(total, [0, 0], y)
                  return y

              @pl.function(type=pl.FunctionType.Orchestration)
              def on_chip(
                  self,
                  x: pl.Tensor[[1, 16], pl.FP32],
                  y: pl.Out[pl.Tensor[[1, 16], pl.FP32]],
                  data: pl.InOut[pld.DistributedTensor[[1, 16], pl.FP32]],
                  part: pl.InOut[pld.DistributedTensor[[1, 8], pl.FP32]],
                  half: pl.InOut[pld.DistributedTensor[[1, 16], pl.FP16]],
                  other: pl.InOut[pld.DistributedTensor[[1, 16], pl.FP32]],
                  signal: pl.InOut[pld.DistributedTensor[[nr, 1], pl.INT32]],
                  rounds: pl.InOut[pld.DistributedTensor[[2 * (nr - 1), nr], pl.INT32]],
              ) -> pl.Tensor[[1, 16], pl.FP32]:
                  return self.step(x, y, data, part, half, other, signal, rounds)

              @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
              def on_host(
                  self,
                  x: pl.Tensor[[nr, 1, 16], pl.FP32],
                  y: pl.Out[pl.Tensor[[nr, 1, 16], pl.FP32]],
              ):
                  first = pld.alloc_window_buffer(16 * pl.FP32.get_byte())
                  second = pld.alloc_window_buffer(16 * pl.FP32.get_byte())
                  cells = pld.alloc_window_buffer(nr * pl.INT32.get_byte())
                  more = pld.alloc_window_buffer(2 * (nr - 1) * nr * pl.INT32.get_byte())
                  for r in pl.range(pld.world_size()):
                      data = pld.window(first, [1, 16], dtype=pl.FP32)
                      part = pld.window(first, [1, 8], dtype=pl.FP32)
                      half = pld.window(first, [1, 16], dtype=pl.FP16)
                      other = pld.window(second, [1, 16], dtype=pl.FP32)
                      signal = pld.window(cells, [nr, 1], dtype=pl.INT32)
                      rounds = pld.window(more, [2 * (nr - 1), nr], dtype=pl.INT32)
                      self.on_chip(
                          x[r], y[r], data, part, half, other, signal, rounds, device=r
                      )

          return Differing


      parser = argparse.ArgumentParser()
      parser.add_argument("-p", "--platform")
      parser.add_argument("-d", "--device")
      args = parser.parse_args()
      ids = [int(d) for d in args.device.split(",")]
      compiled = ir.compile(
          build(len(ids)),
          platform=args.platform,
          distributed_config=DistributedConfig(device_ids=ids, num_sub_workers=0),
      )
      x = torch.ones((len(ids), 1, 16))
      y = torch.zeros((len(ids), 1, 16))
      compiled(x, y)
      assert torch.allclose(y, x * len(ids))
      """;

  @ParameterizedTest(name = "{0}")
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          collective | barrier(signal) | broadcast(data, signal, root=0)
          algorithm | allreduce(data, signal, mode="mesh") | allreduce(data, rounds, mode="ring")
          reduce op | allreduce(data, signal, op=pld.ReduceOp.Max) | allreduce(data, signal, op=pld.ReduceOp.Min)
          root | broadcast(data, signal, root=2) | broadcast(data, signal, root=1)
          window | allreduce(data, signal) | allreduce(other, signal)
          shape | allreduce(data, signal) | allreduce(part, signal)
          dtype | allreduce(data, signal) | allreduce(half, signal)
          """)
  void theFirstDifferenceIsNamedByItsCallAndRanks(String what, String rankZero, String others) {
    for (int ranks : new int[] {2, 3, 4}) {
      if (what.equals("root") && ranks == 2) {
        continue; // There is no rank 2.
      }
      JobReport report =
          Examples.run(
              SourceFile.of("differing.py", SCRIPT.formatted(rankZero, others)),
              Examples.firstDevices(ranks));

      assertThat(report.verdict())
          .as("%s at P=%d: %s", what, ranks, Examples.words(report))
          .isEqualTo(Verdict.MISMATCH);
      assertThat(report.sentence())
          .contains("collective call 1 of comm_d0 differs between ranks in ")
          .contains(what)
          .contains("rank 0 calls " + rankZero.substring(0, rankZero.indexOf('(')))
          .contains("rank 1 calls " + others.substring(0, others.indexOf('(')));
      JobReport.FindingLine finding = report.runs().getFirst().findings().getFirst();
      assertThat(finding.kind()).isEqualTo("MISMATCH");
      assertThat(finding.places())
          .extracting(JobReport.Place::line)
          .containsOnly(line("if my_rank == 0:") + 1, line("if my_rank == 0:") + 3);
    }
  }

  private static int line(String text) {
    return (int) SCRIPT.substring(0, SCRIPT.indexOf(text)).lines().count();
  }
}
