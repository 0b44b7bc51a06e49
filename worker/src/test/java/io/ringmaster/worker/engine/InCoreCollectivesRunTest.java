package io.ringmaster.worker.engine;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static org.assertj.core.api.Assertions.assertThat;

import io.ringmaster.worker.ir.IrParser;
import io.ringmaster.worker.ir.Program;
import io.ringmaster.worker.lowering.Lowering;
import io.ringmaster.worker.lowering.LoweringContext;
import io.ringmaster.worker.lowering.Platform;
import io.ringmaster.worker.tensor.DType;
import io.ringmaster.worker.tensor.HostTensor;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Lowered collectives give the values their definition promises, whatever the rank count. */
class InCoreCollectivesRunTest {

  private static Program lower(String text, int ranks) {
    var context = LoweringContext.of(Platform.a2a3("a2a3sim"), ranks);
    return Lowering.run(IrParser.parse(text), context).program();
  }

  /** A kernel that stages its row, calls a collective, and copies the target to its output. */
  private static Program collective(
      int ranks, String in, String target, String signal, String out, String body) {
    String text =
        Runs.kernel(
            "x: pl.Tensor[%s, pl.FP32], y: pl.Out[pl.Tensor[%s, pl.FP32]], ".formatted(in, out)
                + "g: pl.InOut[pld.DistributedTensor[%s, pl.FP32]], ".formatted(target)
                + "s: pl.InOut[pld.DistributedTensor[%s, pl.INT32]]".formatted(signal),
            body,
            "x: pl.Tensor[[NR, %s], pl.FP32], y: pl.Out[pl.Tensor[[NR, %s], pl.FP32]]"
                .formatted(in.substring(1, in.length() - 1), out.substring(1, out.length() - 1)),
            """
            gb = pld.alloc_window_buffer(%d)
            sb = pld.alloc_window_buffer(%d)
            """
                .formatted(bytes(target), bytes(signal)),
            """
            g = pld.window(gb, %s, dtype=pl.FP32)
            s = pld.window(sb, %s, dtype=pl.INT32)
            x_r = x[r]
            y_r = y[r]
            self.step(x_r, y_r, g, s, device=r)
            """
                .formatted(target, signal));
    return lower(text, ranks);
  }

  private static long bytes(String shape) {
    long total = 4;
    for (String extent : shape.substring(1, shape.length() - 1).split(",", -1)) {
      total *= Long.parseLong(extent.strip());
    }
    return total;
  }

  private static HostTensor numbers(long... shape) {
    HostTensor tensor = HostTensor.zeros(DType.FP32, shape);
    for (long i = 0; i < tensor.elements(); i++) {
      tensor.buffer().segment().setAtIndex(JAVA_FLOAT, i, (float) (i % 97 + 1));
    }
    return tensor;
  }

  @ParameterizedTest
  @CsvSource({
    "mesh, 1, 64",
    "mesh, 2, 64",
    "mesh, 3, 100",
    "mesh, 4, 5000",
    "mesh, 8, 40",
    "ring, 2, 64",
    "ring, 3, 100",
    "ring, 4, 10",
    "ring, 4, 9000",
    "ring, 5, 33",
    "ring, 3, 2"
  })
  void allreduceSumsEveryVector(String mode, int ranks, int size) {
    String row = "[1, " + size + "]";
    String signal =
        mode.equals("mesh") ? "[" + ranks + ", 1]" : "[" + 2 * (ranks - 1) + ", " + ranks + "]";
    int most = Math.min(size, 4096);
    StringBuilder body = new StringBuilder();
    for (int at = 0; at < size; at += most) {
      int width = Math.min(most, size - at);
      body.append(load("t" + at, "x", at, width));
      body.append("g = pl.store(t%d, [0, %d], g)\n".formatted(at, at));
    }
    body.append("g = pld.tensor.allreduce(g, s, mode=\"%s\")\n".formatted(mode));
    for (int at = 0; at < size; at += most) {
      int width = Math.min(most, size - at);
      body.append(load("u" + at, "g", at, width));
      body.append("y = pl.store(u%d, [0, %d], y)\n".formatted(at, at));
    }
    var x = numbers(ranks, 1, size);
    var y = HostTensor.zeros(DType.FP32, ranks, 1, size);
    var log = new EventLog();

    RunOutcome outcome =
        Runs.run(collective(ranks, row, row, signal, row, body.toString()), ranks, log, x, y);

    assertThat(outcome.status()).as(outcome.sentence()).isEqualTo(RunOutcome.Status.FINISHED);
    float[] in = Runs.floats(x);
    float[] out = Runs.floats(y);
    for (int i = 0; i < out.length; i++) {
      float sum = 0;
      for (int rank = 0; rank < ranks; rank++) {
        sum += in[rank * size + i % size];
      }
      assertThat(out[i]).as("element " + i).isEqualTo(sum);
    }
    assertThat(log.collectives).hasSize(ranks).allMatch(c -> c.algorithm().equals(mode));
    assertThat(cells(log)).as("credits left").isZero();
  }

  /** A load of {@code width} elements through a tile whose rows are aligned to 32 bytes. */
  private static String load(String tile, String from, int at, int width) {
    return "%s = pl.load(%s, [0, %d], [1, %d], valid_shape=[1, %d])\n"
        .formatted(tile, from, at, Math.ceilDiv(width, 8) * 8, width);
  }

  /** Sum of what notifies added: 0 when every credit was taken back. */
  private static long cells(EventLog log) {
    return log.lines.stream()
        .filter(line -> line.startsWith("applied"))
        .mapToLong(
            line -> {
              String[] words = line.split(" ", -1);
              return Long.parseLong(words[3]) - Long.parseLong(words[2]);
            })
        .sum();
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 8})
  void reduceScatterLeavesTheSumOfTheOwnRow(int ranks) {
    String all = "[" + ranks + ", 16]";
    var program =
        collective(
            ranks,
            all,
            all,
            "[" + ranks + ", 1]",
            "[1, 16]",
            """
            me = pld.rank(pld.get_comm_ctx(g))
            t = pl.load(x, [0, 0], [%d, 16])
            g = pl.store(t, [0, 0], g)
            g = pld.tensor.reduce_scatter(g, s, op=pld.ReduceOp.Sum)
            u = pl.load(g, [me, 0], [1, 16])
            y = pl.store(u, [0, 0], y)
            """
                .formatted(ranks)
                .replace(
                    "me = pld.rank(pld.get_comm_ctx(g))",
                    "ctx = pld.get_comm_ctx(g)\nme = pld.rank(ctx)"));
    var x = numbers(ranks, ranks, 16);
    var y = HostTensor.zeros(DType.FP32, ranks, 1, 16);

    RunOutcome outcome = Runs.run(program, ranks, new EventLog(), x, y);

    assertThat(outcome.isFinished()).as(outcome.sentence()).isTrue();
    float[] in = Runs.floats(x);
    float[] out = Runs.floats(y);
    for (int rank = 0; rank < ranks; rank++) {
      for (int column = 0; column < 16; column++) {
        float sum = 0;
        for (int from = 0; from < ranks; from++) {
          sum += in[(from * ranks + rank) * 16 + column];
        }
        assertThat(out[rank * 16 + column]).isEqualTo(sum);
      }
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 5, 8})
  void allToAllTransposesRows(int ranks) {
    String all = "[" + ranks + ", 16]";
    var program =
        collective(
            ranks,
            all,
            all,
            "[" + ranks + ", 1]",
            all,
            """
            g = pld.tensor.all_to_all(x, g, s)
            u = pl.load(g, [0, 0], [%d, 16])
            y = pl.store(u, [0, 0], y)
            """
                .formatted(ranks));
    var x = numbers(ranks, ranks, 16);
    var y = HostTensor.zeros(DType.FP32, ranks, ranks, 16);

    RunOutcome outcome = Runs.run(program, ranks, new EventLog(), x, y);

    assertThat(outcome.isFinished()).as(outcome.sentence()).isTrue();
    float[] in = Runs.floats(x);
    float[] out = Runs.floats(y);
    for (int to = 0; to < ranks; to++) {
      for (int from = 0; from < ranks; from++) {
        assertThat(out[(to * ranks + from) * 16]).isEqualTo(in[(from * ranks + to) * 16]);
      }
    }
    assertThat(outcome.operations().puts()).isEqualTo((long) ranks * ranks);
    assertThat(outcome.operations().remoteLoads()).isZero();
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 5, 8})
  void theComposedKernelGivesAllThreeResults(int ranks) throws IOException {
    var program = lower(resource("composition.ir"), ranks);
    var x = numbers(ranks, 1, 64);
    var w = numbers(1, 64);
    var allred = HostTensor.zeros(DType.FP32, ranks, 1, 64);
    var gathered = HostTensor.zeros(DType.FP32, ranks, 1, ranks * 64L);
    var log = new EventLog();

    RunOutcome outcome = Runs.run(program, ranks, log, x, w, allred, gathered);

    assertThat(outcome.isFinished()).as(outcome.sentence()).isTrue();
    float[] in = Runs.floats(x);
    float[] weights = Runs.floats(w);
    float[] rows = Runs.floats(gathered);
    for (int i = 0; i < rows.length; i++) {
      int column = i % (ranks * 64);
      assertThat(rows[i]).isEqualTo(in[column] * weights[column % 64]);
    }
    assertThat(outcome.findings()).isEmpty();
    assertThat(log.collectives).hasSize(3 * ranks);
    assertThat(cells(log)).isZero();
  }

  private static String resource(String name) throws IOException {
    try (InputStream in =
        Objects.requireNonNull(
            InCoreCollectivesRunTest.class.getResourceAsStream(
                "/io/ringmaster/worker/lowering/" + name))) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  @Test
  void aTailOfHalfPrecisionMovesWholeBlocks() {
    var program =
        lower(
            Runs.kernel(
                "x: pl.Tensor[[1, 40], pl.FP16], g: pl.InOut[pld.DistributedTensor[[1, 40],"
                    + " pl.FP16]], s: pl.InOut[pld.DistributedTensor[[4, 1], pl.INT32]]",
                """
                t = pl.load(x, [0, 0], [1, 48], valid_shape=[1, 40])
                g = pl.store(t, [0, 0], g)
                g = pld.tensor.allreduce(g, s)
                """,
                "x: pl.Tensor[[NR, 1, 40], pl.FP16]",
                """
                gb = pld.alloc_window_buffer(80)
                sb = pld.alloc_window_buffer(16)
                """,
                """
                g = pld.window(gb, [1, 40], dtype=pl.FP16)
                s = pld.window(sb, [4, 1], dtype=pl.INT32)
                x_r = x[r]
                self.step(x_r, g, s, device=r)
                """),
            4);
    var log = new EventLog();

    RunOutcome outcome = Runs.run(program, 4, log, HostTensor.zeros(DType.FP16, 4, 1, 40));

    assertThat(outcome.isFinished()).as(outcome.sentence()).isTrue();
    long[] ingress = new long[4];
    log.transfers.stream()
        .filter(t -> t.from() != t.to())
        .forEach(t -> ingress[t.to()] += t.movedBytes());
    assertThat(ingress).containsOnly(288);
  }
}
