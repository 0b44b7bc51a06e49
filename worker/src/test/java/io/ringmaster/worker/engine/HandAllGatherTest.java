package io.ringmaster.worker.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringmaster.worker.fabric.Operation;
import io.ringmaster.worker.ir.IrParser;
import io.ringmaster.worker.tensor.DType;
import io.ringmaster.worker.tensor.HostTensor;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HandAllGatherTest {

  private static final int SIZE = 16;

  static final String PROGRAM =
      """
      NR = pl.dynamic("NR")

      @pl.program
      class AllGather:
          @pl.function(type=pl.FunctionType.InCore)
          def step(
              self,
              x: pl.Tensor[[1, 16], pl.FP32],
              y: pl.Out[pl.Tensor[[1, NR * 16], pl.FP32]],
              data: pl.InOut[pld.DistributedTensor[[NR, 16], pl.FP32]],
              signal: pl.InOut[pld.DistributedTensor[[NR, 1], pl.INT32]],
          ) -> pl.Tensor[[1, NR * 16], pl.FP32]:
              ctx = pld.get_comm_ctx(data)
              my_rank = pld.rank(ctx)
              nranks = pld.nranks(ctx)
              local = pl.load(x, [0, 0], [1, 16])
              data = pl.store(local, [my_rank, 0], data)
              for peer in pl.range(nranks):
                  if peer != my_rank:
                      pld.system.notify(signal, peer=peer, offsets=[my_rank, 0], value=1, op=pld.NotifyOp.AtomicAdd)
              for src in pl.range(nranks):
                  if src != my_rank:
                      pld.system.wait(signal, offsets=[src, 0], expected=1, cmp=pld.WaitCmp.Ge)
              for peer2 in pl.range(nranks):
                  recv = pld.tile.remote_load(data, peer=peer2, offsets=[peer2, 0], shape=[1, 16])
                  y = pl.store(recv, [0, peer2 * 16], y)
              return y

          @pl.function(type=pl.FunctionType.Orchestration)
          def chip(
              self,
              x: pl.Tensor[[1, 16], pl.FP32],
              y: pl.Out[pl.Tensor[[1, NR * 16], pl.FP32]],
              data: pl.InOut[pld.DistributedTensor[[NR, 16], pl.FP32]],
              signal: pl.InOut[pld.DistributedTensor[[NR, 1], pl.INT32]],
          ) -> pl.Tensor[[1, NR * 16], pl.FP32]:
              return self.step(x, y, data, signal)

          @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
          def host(
              self,
              x: pl.Tensor[[NR, 1, 16], pl.FP32],
              y: pl.Out[pl.Tensor[[NR, 1, NR * 16], pl.FP32]],
          ):
              data_buf = pld.alloc_window_buffer(pld.world_size() * 64)
              signal_buf = pld.alloc_window_buffer(pld.world_size() * 4)
              for r in pl.range(pld.world_size()):
                  data = pld.window(data_buf, [pld.world_size(), 16], dtype=pl.FP32)
                  signal = pld.window(signal_buf, [pld.world_size(), 1], dtype=pl.INT32)
                  x_r = x[r]
                  y_r = y[r]
                  self.chip(x_r, y_r, data, signal, device=r)
      """;

  static HostTensor input(int ranks) {
    float[] values = new float[ranks * SIZE];
    for (int i = 0; i < values.length; i++) {
      values[i] = i;
    }
    return Runs.floats(Runs.shape(ranks, 1, SIZE), values);
  }

  static HostTensor output(int ranks) {
    return HostTensor.zeros(DType.FP32, ranks, 1, (long) ranks * SIZE);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 5, 8})
  void everyRankGetsEveryRow(int ranks) {
    var x = input(ranks);
    var y = output(ranks);
    var log = new EventLog();

    RunOutcome outcome = Runs.run(PROGRAM, ranks, log, x, y);

    assertThat(outcome.status()).isEqualTo(RunOutcome.Status.FINISHED);
    float[] result = Runs.floats(y);
    for (int i = 0; i < result.length; i++) {
      assertThat(result[i]).isEqualTo(i % (ranks * SIZE));
    }
    assertThat(outcome.operations())
        .isEqualTo(
            new RunOutcome.Operations(
                (long) ranks * (ranks - 1),
                (long) ranks * (ranks - 1),
                0,
                0,
                (long) ranks * ranks,
                0));
    long wire =
        log.transfers.stream()
            .filter(transfer -> transfer.from() != transfer.to())
            .mapToLong(transfer -> transfer.movedBytes())
            .sum();
    assertThat(wire).isEqualTo((long) ranks * (ranks - 1) * SIZE * 4);
    assertThat(log.transfers).allMatch(t -> t.operation() == Operation.REMOTE_LOAD);
  }

  @Test
  void theWholeOutputCountsAsPromisedAndWritten() {
    var y = output(4);
    Runs.run(PROGRAM, 4, new EventLog(), input(4), y);
    long bytes = y.elements() * 4;
    assertThat(y.buffer().promised().containsAll(0, bytes)).isTrue();
    assertThat(y.buffer().written().containsAll(0, bytes)).isTrue();
  }

  @Test
  void theSameSeedGivesTheSameEventsAndAnotherSeedTheSameValues() {
    var program = IrParser.parse(PROGRAM);
    List<List<String>> logs =
        java.util.stream.LongStream.of(0, 0, 7, 7, 8)
            .mapToObj(
                seed -> {
                  var log = new EventLog();
                  var y = output(4);
                  var plain = Runs.request(program, 4, List.of(log), input(4), y);
                  var outcome =
                      new Engine()
                          .run(
                              new RunRequest(
                                  program,
                                  plain.profile(),
                                  plain.deviceIds(),
                                  plain.arguments(),
                                  seed,
                                  plain.limits(),
                                  plain.listeners(),
                                  plain.cancelled()));
                  assertThat(outcome.isFinished()).isTrue();
                  assertThat(Runs.floats(y)[63]).isEqualTo(63);
                  return log.lines;
                })
            .toList();
    assertThat(logs.get(0)).isEqualTo(logs.get(1)).isNotEqualTo(logs.get(2));
    assertThat(logs.get(2)).isEqualTo(logs.get(3)).isNotEqualTo(logs.get(4));
  }

  @Test
  void listenersDontChangeTheRun() {
    var heard = Runs.run(PROGRAM, 4, new EventLog(), input(4), output(4));
    var y = output(4);
    var silent = new Engine().run(Runs.request(IrParser.parse(PROGRAM), 4, List.of(), input(4), y));
    assertThat(silent.virtualNanos()).isEqualTo(heard.virtualNanos());
    assertThat(silent.instructions()).isEqualTo(heard.instructions());
    assertThat(Runs.floats(y)[63]).isEqualTo(63);
  }
}
