package io.ringmaster.worker.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringmaster.worker.ir.IrParser;
import io.ringmaster.worker.ir.Program;
import io.ringmaster.worker.lowering.Lowering;
import io.ringmaster.worker.lowering.LoweringContext;
import io.ringmaster.worker.lowering.Platform;
import io.ringmaster.worker.tensor.DType;
import io.ringmaster.worker.tensor.HostTensor;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Collectives called from HOST, between dispatches that stage and read their windows. */
class HostCollectivesRunTest {

  private static final String PROGRAM =
      """
      NR = pl.dynamic("NR")

      @pl.program
      class HostCalls:
          @pl.function(type=pl.FunctionType.InCore)
          def stage(self, x: pl.Tensor[[1, SIZE], pl.FP32], g: pl.Out[pld.DistributedTensor[[1, SIZE], pl.FP32]]):
              for c in pl.range(0, SIZE, 8):
                  t = pl.load(x, [0, c], [1, 8])
                  g = pl.store(t, [0, c], g)

          @pl.function(type=pl.FunctionType.Orchestration)
          def stage_chip(self, x: pl.Tensor[[1, SIZE], pl.FP32], g: pl.Out[pld.DistributedTensor[[1, SIZE], pl.FP32]]):
              self.stage(x, g)

          @pl.function(type=pl.FunctionType.InCore)
          def read(self, g: pld.DistributedTensor[[1, SIZE], pl.FP32], y: pl.Out[pl.Tensor[[1, SIZE], pl.FP32]]):
              for c in pl.range(0, SIZE, 8):
                  t = pl.load(g, [0, c], [1, 8])
                  y = pl.store(t, [0, c], y)

          @pl.function(type=pl.FunctionType.Orchestration)
          def read_chip(self, g: pld.DistributedTensor[[1, SIZE], pl.FP32], y: pl.Out[pl.Tensor[[1, SIZE], pl.FP32]]):
              self.read(g, y)

          @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
          def host(self, x: pl.Tensor[[NR, 1, SIZE], pl.FP32], y: pl.Out[pl.Tensor[[NR, 1, SIZE], pl.FP32]]):
              gb = pld.alloc_window_buffer(SIZE * 4)
              sb = pld.alloc_window_buffer(SIGNAL_BYTES)
              g = pld.window(gb, [1, SIZE], dtype=pl.FP32)
              s = pld.window(sb, SIGNAL_SHAPE, dtype=pl.INT32)
              for r in pl.range(pld.world_size()):
                  x_r = x[r]
                  self.stage_chip(x_r, g, device=r)
              CALL
              for q in pl.range(pld.world_size()):
                  y_q = y[q]
                  self.read_chip(g, y_q, device=q)
      """;

  private static Program program(int ranks, int size, String signal, String call) {
    long bytes = 4;
    for (String extent : signal.substring(1, signal.length() - 1).split(",", -1)) {
      bytes *= Long.parseLong(extent.strip());
    }
    String text =
        PROGRAM
            .replace("SIGNAL_BYTES", Long.toString(bytes))
            .replace("SIGNAL_SHAPE", signal)
            .replace("SIZE", Integer.toString(size))
            .replace("CALL", call);
    return Lowering.run(IrParser.parse(text), LoweringContext.of(Platform.a2a3("a2a3sim"), ranks))
        .program();
  }

  private static HostTensor numbers(int ranks, int size) {
    float[] values = new float[ranks * size];
    for (int i = 0; i < values.length; i++) {
      values[i] = i % 89 + 1;
    }
    return Runs.floats(Runs.shape(ranks, 1, size), values);
  }

  @ParameterizedTest
  @CsvSource({
    "mesh, 1, 64, 1",
    "mesh, 2, 64, 1",
    "mesh, 3, 1000, 1",
    "mesh, 4, 1024, 8",
    "ring, 2, 64, 1",
    "ring, 4, 1024, 1",
    "ring, 3, 96, 1"
  })
  void allreduceSums(String mode, int ranks, int size, int cores) {
    String signal =
        mode.equals("ring")
            ? "[" + (2 * (ranks - 1) + 1) + ", " + ranks + "]"
            : cores == 1 ? "[" + ranks + "]" : "[" + ranks + ", " + cores + "]";
    var x = numbers(ranks, size);
    var y = HostTensor.zeros(DType.FP32, ranks, 1, size);
    var log = new EventLog();
    String call = "g = pld.tensor.allreduce(g, s, mode=\"" + mode + "\", core_num=" + cores + ")";

    RunOutcome outcome = Runs.run(program(ranks, size, signal, call), ranks, log, x, y);

    assertThat(outcome.isFinished()).as(outcome.sentence()).isTrue();
    float[] in = Runs.floats(x);
    float[] out = Runs.floats(y);
    for (int i = 0; i < out.length; i++) {
      float sum = 0;
      for (int rank = 0; rank < ranks; rank++) {
        sum += in[rank * size + i % size];
      }
      assertThat(out[i]).isEqualTo(sum);
    }
    assertThat(log.collectives).hasSize(ranks).allMatch(call1 -> call1.rail().equals("host"));
    assertThat(outcome.dispatches()).isEqualTo(3 * ranks);
  }

  @Test
  void broadcastCopiesTheRoot() {
    var y = HostTensor.zeros(DType.FP32, 3, 1, 600);
    var x = numbers(3, 600);
    RunOutcome outcome =
        Runs.run(
            program(3, 600, "[3]", "pld.tensor.broadcast(g, s, root=1)"), 3, new EventLog(), x, y);
    assertThat(outcome.isFinished()).as(outcome.sentence()).isTrue();
    float[] in = Runs.floats(x);
    float[] out = Runs.floats(y);
    for (int i = 0; i < out.length; i++) {
      assertThat(out[i]).isEqualTo(in[600 + i % 600]);
    }
  }
}
