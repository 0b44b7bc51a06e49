package io.ringmaster.worker.trial;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringmaster.worker.device.HardwareProfile;
import io.ringmaster.worker.engine.Condition;
import io.ringmaster.worker.engine.Engine;
import io.ringmaster.worker.engine.HostWork;
import io.ringmaster.worker.engine.Limits;
import io.ringmaster.worker.engine.RunOutcome;
import io.ringmaster.worker.engine.RunRequest;
import io.ringmaster.worker.ir.IrParser;
import io.ringmaster.worker.ir.OpCode;
import io.ringmaster.worker.ir.Stmt;
import io.ringmaster.worker.lowering.CostCard;
import io.ringmaster.worker.lowering.Lowering;
import io.ringmaster.worker.lowering.LoweringContext;
import io.ringmaster.worker.lowering.Platform;
import io.ringmaster.worker.observe.CollectiveTraffic;
import io.ringmaster.worker.observe.Observation;
import io.ringmaster.worker.tensor.DType;
import io.ringmaster.worker.tensor.HostTensor;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * What all_to_all_v is measured to move and signal is its formula, whatever the counts are: it
 * moves whole blocks. Beside {@link FormulaTest}, because it reads counts and so needs values.
 */
class VariableExchangeTest {

  @ParameterizedTest
  @CsvSource({
    "incore, 2, 1, 8",
    "incore, 2, 3, 100",
    "incore, 3, 2, 64",
    "incore, 4, 5, 257",
    "incore, 7, 2, 33",
    "incore, 10, 3, 1024",
    "host, 2, 1, 8",
    "host, 2, 3, 100",
    "host, 3, 2, 64",
    "host, 4, 5, 257",
    "host, 7, 2, 33",
    "host, 10, 3, 1024"
  })
  void measuredIsTheFormula(String rail, int ranks, int capacity, int width) {
    var observation = new Observation(ranks);
    HostTensor x = HostTensor.zeros(DType.FP32, ranks, (long) ranks * capacity, width);
    HostTensor counts = HostTensor.zeros(DType.INT32, ranks, ranks, 1);
    var random = new SplittableRandom(ranks * 31L + capacity);
    for (long i = 0; i < counts.elements(); i++) {
      counts.buffer().segment().setAtIndex(ValueLayout.JAVA_INT, i, random.nextInt(capacity + 1));
    }
    RunOutcome outcome = run(rail, ranks, capacity, width, List.of(x, counts), observation);

    assertThat(outcome.isFinished()).as(outcome.sentence()).isTrue();
    CollectiveTraffic measured =
        observation.collectives().stream()
            .filter(traffic -> traffic.op().equals("all_to_all_v"))
            .findFirst()
            .orElseThrow();
    CostCard card =
        CostCard.of(
            new CostCard.Call(
                OpCode.ALL_TO_ALL_V,
                Stmt.Rail.valueOf(rail.toUpperCase(Locale.ROOT)),
                measured.algorithm(),
                ranks,
                measured.shape(),
                DType.FP32,
                0,
                1));
    assertThat(measured.wireBytes())
        .isEqualTo(card.perRank().stream().map(CostCard.RankCost::ingressBytes).toList());
    assertThat(measured.wireBytes().getFirst())
        .isEqualTo((ranks - 1L) * capacity * width * Float.BYTES);
    assertThat(measured.notifies())
        .isEqualTo(card.perRank().stream().mapToLong(r -> r.notifies() + r.selfNotifies()).sum());
    assertThat(measured.waits())
        .isEqualTo(card.perRank().stream().mapToLong(CostCard.RankCost::waits).sum());
    assertThat(observation.traffic().signalBytes())
        .isEqualTo(4 * card.perRank().stream().mapToLong(CostCard.RankCost::notifies).sum());
  }

  private static RunOutcome run(
      String rail,
      int ranks,
      int capacity,
      int width,
      List<HostTensor> arguments,
      Observation observation) {
    int rows = ranks * capacity;
    String text =
        (rail.equals("host") ? HOST : IN_CORE)
            .replace("ROWS", Integer.toString(rows))
            .replace("WIDTH", Integer.toString(width))
            .replace("RANKS", Integer.toString(ranks))
            .replace("DATA_BYTES", Integer.toString(4 * rows * width))
            .replace("CELL_BYTES", Integer.toString(4 * ranks));
    HardwareProfile profile = HardwareProfile.sim();
    Platform platform = Platform.named(profile.platform()).orElseThrow();
    var program = Lowering.run(IrParser.parse(text), LoweringContext.of(platform, ranks)).program();
    return new Engine()
        .run(
            new RunRequest(
                program,
                profile,
                IntStream.range(0, ranks).boxed().toList(),
                arguments,
                0,
                Limits.DEFAULT,
                List.of(observation),
                () -> false,
                HostWork.NONE,
                List.<Condition>of(),
                false,
                Optional.empty()));
  }

  private static final String IN_CORE =
      """
      NR = pl.dynamic("NR")

      @pl.program
      class Trial:
          @pl.function(type=pl.FunctionType.InCore)
          def step(self, x: pl.Tensor[[ROWS, WIDTH], pl.FP32], c: pl.Tensor[[RANKS, 1], pl.INT32], g: pl.InOut[pld.DistributedTensor[[ROWS, WIDTH], pl.FP32]], s: pl.InOut[pld.DistributedTensor[[RANKS, 1], pl.INT32]], rc: pl.InOut[pld.DistributedTensor[[RANKS, 1], pl.INT32]]):
              g = pld.tensor.all_to_all_v(x, g, s, c, rc)

          @pl.function(type=pl.FunctionType.Orchestration)
          def step_chip(self, x: pl.Tensor[[ROWS, WIDTH], pl.FP32], c: pl.Tensor[[RANKS, 1], pl.INT32], g: pl.InOut[pld.DistributedTensor[[ROWS, WIDTH], pl.FP32]], s: pl.InOut[pld.DistributedTensor[[RANKS, 1], pl.INT32]], rc: pl.InOut[pld.DistributedTensor[[RANKS, 1], pl.INT32]]):
              self.step(x, c, g, s, rc)

          @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
          def host(self, x: pl.Tensor[[NR, ROWS, WIDTH], pl.FP32], c: pl.Tensor[[NR, RANKS, 1], pl.INT32]):
              gb = pld.alloc_window_buffer(DATA_BYTES)
              sb = pld.alloc_window_buffer(CELL_BYTES)
              rb = pld.alloc_window_buffer(CELL_BYTES)
              g = pld.window(gb, [ROWS, WIDTH], dtype=pl.FP32)
              s = pld.window(sb, [RANKS, 1], dtype=pl.INT32)
              rc = pld.window(rb, [RANKS, 1], dtype=pl.INT32)
              for r in pl.range(pld.world_size()):
                  x_r = x[r]
                  c_r = c[r]
                  self.step_chip(x_r, c_r, g, s, rc, device=r)
      """;

  private static final String HOST =
      """
      NR = pl.dynamic("NR")

      @pl.program
      class Trial:
          @pl.function(type=pl.FunctionType.InCore)
          def stage(self, c: pl.Tensor[[RANKS, 1], pl.INT32], h: pl.InOut[pld.DistributedTensor[[ROWS, WIDTH], pl.FP32]], k: pl.InOut[pld.DistributedTensor[[RANKS, 1], pl.INT32]]):
              for q in pl.range(RANKS):
                  n = pl.read(c, [q, 0])
                  pl.write(k, [q, 0], n)

          @pl.function(type=pl.FunctionType.Orchestration)
          def stage_chip(self, c: pl.Tensor[[RANKS, 1], pl.INT32], h: pl.InOut[pld.DistributedTensor[[ROWS, WIDTH], pl.FP32]], k: pl.InOut[pld.DistributedTensor[[RANKS, 1], pl.INT32]]):
              self.stage(c, h, k)

          @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
          def host(self, x: pl.Tensor[[NR, ROWS, WIDTH], pl.FP32], c: pl.Tensor[[NR, RANKS, 1], pl.INT32]):
              hb = pld.alloc_window_buffer(DATA_BYTES)
              gb = pld.alloc_window_buffer(DATA_BYTES)
              sb = pld.alloc_window_buffer(CELL_BYTES)
              kb = pld.alloc_window_buffer(CELL_BYTES)
              rb = pld.alloc_window_buffer(CELL_BYTES)
              h = pld.window(hb, [ROWS, WIDTH], dtype=pl.FP32)
              g = pld.window(gb, [ROWS, WIDTH], dtype=pl.FP32)
              s = pld.window(sb, [RANKS, 1], dtype=pl.INT32)
              k = pld.window(kb, [RANKS, 1], dtype=pl.INT32)
              rc = pld.window(rb, [RANKS, 1], dtype=pl.INT32)
              for r in pl.range(pld.world_size()):
                  c_r = c[r]
                  self.stage_chip(c_r, h, k, device=r)
              g = pld.tensor.all_to_all_v(h, g, s, k, rc)
      """;
}
