package io.ringmaster.worker.lowering;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringmaster.worker.ir.Function;
import io.ringmaster.worker.ir.IrParser;
import io.ringmaster.worker.ir.OpCode;
import io.ringmaster.worker.ir.Program;
import io.ringmaster.worker.ir.Stmt.Rail;
import io.ringmaster.worker.lowering.CostCard.Call;
import io.ringmaster.worker.lowering.CostCard.RankCost;
import io.ringmaster.worker.lowering.Model.Counts;
import io.ringmaster.worker.lowering.Model.Tensor;
import io.ringmaster.worker.tensor.DType;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Lowered schedules compute what the collective promises and cost what the cost card says. */
class ScheduleBehaviourTest {

  private static final int ORDERS = 6;

  /** A kernel that stands alone: its one collective lowered for a kernel. */
  private static Function inCore(String params, String statement) {
    return Texts.step(Texts.lower(Texts.kernel(params, statement)));
  }

  /** The device function of a collective called from HOST with windows of these shapes. */
  private static Function host(String op, String call, String... windows) {
    StringBuilder text =
        new StringBuilder(
            """
            @pl.program
            class Host:
                @pl.function(type=pl.FunctionType.Orchestration)
                def chip(self, w: pl.InOut[pld.DistributedTensor[[1], pl.FP32]]):
                    pass

                @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
                def host(self):
            """);
    for (String window : windows) {
      String[] parts = window.split(":", 3);
      text.append(
          """
                  %1$s_buf = pld.alloc_window_buffer(1048576)
                  %1$s = pld.window(%1$s_buf, %2$s, dtype=pl.%3$s)
                  for r in pl.range(pld.world_size()):
                      self.chip(%1$s, device=r)
          """
              .formatted(parts[0], parts[1], parts[2])
              .indent(0));
    }
    text.append("        ").append(call).append('\n');
    Program program = Texts.lower(text.toString());
    return program.function("builtin_" + op + "_0").orElseThrow();
  }

  private static String mesh(int ranks) {
    return "s: pl.InOut[pld.DistributedTensor[[" + ranks + ", 1], pl.INT32]]";
  }

  private static String window(String name, String dtype, Object... shape) {
    return "%s: pl.InOut[pld.DistributedTensor[%s, pl.%s]]"
        .formatted(name, Arrays.toString(shape), dtype);
  }

  private static void assertCells(Tensor[] signals) {
    for (Tensor signal : signals) {
      assertThat(Arrays.stream(signal.data())).as("signal cells").allMatch(cell -> cell == 0);
    }
  }

  private static void assertCosts(Counts[] counts, Call call) {
    List<RankCost> expected = CostCard.of(call).perRank();
    for (int rank = 0; rank < counts.length; rank++) {
      RankCost cost = expected.get(rank);
      String where = call + " rank " + rank;
      assertThat(counts[rank].ingress).as(where + " ingress").isEqualTo(cost.ingressBytes());
      assertThat(counts[rank].self).as(where + " self").isEqualTo(cost.selfBytes());
      assertThat(counts[rank].notifies).as(where + " notifies").isEqualTo(cost.notifies());
      assertThat(counts[rank].selfNotifies).as(where + " self").isEqualTo(cost.selfNotifies());
      assertThat(counts[rank].waits).as(where + " waits").isEqualTo(cost.waits());
    }
  }

  private static void fill(Tensor[] tensors, Random random) {
    for (Tensor tensor : tensors) {
      Arrays.setAll(tensor.data(), _ -> random.nextInt(1, 9));
    }
  }

  private static double[] sum(Tensor[] tensors) {
    double[] total = new double[tensors[0].data().length];
    for (Tensor tensor : tensors) {
      for (int i = 0; i < total.length; i++) {
        total[i] += tensor.data()[i];
      }
    }
    return total;
  }

  private static void allreduce(
      Function f,
      Rail rail,
      String mode,
      int ranks,
      long n,
      DType dtype,
      int blocks,
      long... signal) {
    for (int order = 0; order < ORDERS; order++) {
      Random random = new Random(order);
      Model model = new Model(f, ranks);
      Tensor[] target = model.argument(f.params().get(0).name(), dtype, 1, n);
      Tensor[] cells = model.argument(f.params().get(1).name(), DType.INT32, signal);
      fill(target, random);
      double[] expected = sum(target);
      Counts[] counts = model.run(random);
      for (Tensor result : target) {
        assertThat(result.data()).isEqualTo(expected);
      }
      assertCells(cells);
      assertCosts(
          counts, new Call(OpCode.ALLREDUCE, rail, mode, ranks, List.of(1L, n), dtype, 0, blocks));
    }
  }

  @ParameterizedTest
  @CsvSource({
    "1, 64, FP32",
    "2, 256, FP32",
    "3, 10, FP32",
    "4, 10000, FP32",
    "4, 40, FP16",
    "3, 10000, FP16",
    "5, 1, FP32",
  })
  void meshInAKernel(int ranks, long n, DType dtype) {
    Function f =
        inCore(
            window("g", dtype.name(), 1, n) + ", " + mesh(ranks), "g = pld.tensor.allreduce(g, s)");
    allreduce(f, Rail.INCORE, "mesh", ranks, n, dtype, 1, ranks, 1);
  }

  @ParameterizedTest
  @CsvSource({
    "1, 64, FP32",
    "2, 64, FP32",
    "3, 2, FP32",
    "4, 10, FP32",
    "5, 33, FP32",
    "3, 20000, FP32",
    "4, 40, FP16",
    "3, 10000, FP16",
  })
  void ringInAKernel(int ranks, long n, DType dtype) {
    int rows = 2 * (ranks - 1);
    Function f =
        inCore(
            window("g", dtype.name(), 1, n) + ", " + window("s", "INT32", rows, ranks),
            "g = pld.tensor.allreduce(g, s, mode=\"ring\")");
    allreduce(f, Rail.INCORE, "ring", ranks, n, dtype, 1, rows, ranks);
  }

  @ParameterizedTest
  @CsvSource({"3, FP32", "4, FP16"})
  void aRingOfUnknownSizeComputesItsSegmentsAtRunTime(int ranks, DType dtype) {
    Function f =
        inCore(
            "g: pl.InOut[pld.DistributedTensor[[1, pl.dynamic(\"N\")], pl."
                + dtype
                + "]], s: pl.InOut[pld.DistributedTensor[[pl.dynamic(\"R\"), pl.dynamic(\"NR\")],"
                + " pl.INT32]]",
            "g = pld.tensor.allreduce(g, s, mode=\"ring\")");
    allreduce(f, Rail.INCORE, "ring", ranks, 100, dtype, 1, 2L * (ranks - 1), ranks);
  }

  @ParameterizedTest
  @CsvSource({
    "2, 64, FP32, 1",
    "4, 1000, FP32, 1",
    "3, 40, FP16, 1",
    "3, 1000, FP32, 2",
    "2, 300, FP32, 8"
  })
  void meshFromHost(int ranks, long n, DType dtype, int blocks) {
    Function f =
        host(
            "allreduce",
            "g = pld.tensor.allreduce(g, s, core_num=" + blocks + ")",
            "g:[1, " + n + "]:" + dtype,
            "s:[pld.world_size(), " + blocks + "]:INT32");
    allreduce(f, Rail.HOST, "mesh", ranks, n, dtype, blocks, ranks, blocks);
  }

  @ParameterizedTest
  @CsvSource({"1, 64", "2, 64", "3, 900", "4, 4096"})
  void ringFromHost(int ranks, long n) {
    Function f =
        host(
            "allreduce",
            "g = pld.tensor.allreduce(g, s, mode=\"ring\")",
            "g:[1, " + n + "]:FP32",
            "s:[2 * (pld.world_size() - 1) + 1, pld.world_size()]:INT32");
    allreduce(f, Rail.HOST, "ring", ranks, n, DType.FP32, 1, 2L * (ranks - 1) + 1, ranks);
  }

  private static void broadcast(
      Function f, Rail rail, int ranks, long n, int root, long... signal) {
    for (int order = 0; order < ORDERS; order++) {
      Random random = new Random(order);
      Model model = new Model(f, ranks);
      Tensor[] target = model.argument(f.params().get(0).name(), DType.FP32, 1, n);
      Tensor[] cells = model.argument(f.params().get(1).name(), DType.INT32, signal);
      fill(target, random);
      double[] expected = target[root].data().clone();
      Counts[] counts = model.run(random);
      for (Tensor result : target) {
        assertThat(result.data()).isEqualTo(expected);
      }
      assertCells(cells);
      // The HOST root copies its own data with a load and a store: no transfer to count.
      if (rail == Rail.HOST) {
        counts[root].self += n * 4;
      }
      assertCosts(
          counts,
          new Call(OpCode.BROADCAST, rail, "pull", ranks, List.of(1L, n), DType.FP32, root, 1));
    }
  }

  @Test
  void broadcastInAKernel() {
    Function f =
        inCore(window("g", "FP32", 1, 64) + ", " + mesh(4), "pld.tensor.broadcast(g, s, root=2)");
    broadcast(f, Rail.INCORE, 4, 64, 2, 4, 1);
  }

  @ParameterizedTest
  @CsvSource({"2, 64, 0", "3, 1000, 2"})
  void broadcastFromHost(int ranks, long n, int root) {
    Function f =
        host(
            "broadcast",
            "pld.tensor.broadcast(g, s, root=" + root + ")",
            "g:[1, " + n + "]:FP32",
            "s:[pld.world_size()]:INT32");
    broadcast(f, Rail.HOST, ranks, n, root, ranks);
  }

  private static void allgather(Function f, Rail rail, int ranks, long size, long... signal) {
    for (int order = 0; order < ORDERS; order++) {
      Random random = new Random(order);
      Model model = new Model(f, ranks);
      Tensor[] source = model.argument(f.params().get(0).name(), DType.FP32, 1, size);
      Tensor[] target = model.argument(f.params().get(1).name(), DType.FP32, ranks, size);
      Tensor[] cells = model.argument(f.params().get(2).name(), DType.INT32, signal);
      fill(source, random);
      Counts[] counts = model.run(random);
      for (Tensor result : target) {
        for (int row = 0; row < ranks; row++) {
          for (int i = 0; i < size; i++) {
            assertThat(result.data()[result.index(row, i)]).isEqualTo(source[row].data()[i]);
          }
        }
      }
      assertCells(cells);
      assertCosts(
          counts,
          new Call(
              OpCode.ALLGATHER,
              rail,
              "push",
              ranks,
              List.of((long) ranks, size),
              DType.FP32,
              0,
              1));
    }
  }

  @Test
  void allgatherInAKernel() {
    Function f =
        inCore(
            "x: pl.Tensor[[1, 64], pl.FP32], " + window("g", "FP32", 4, 64) + ", " + mesh(4),
            "g = pld.tensor.allgather(x, g, s)");
    allgather(f, Rail.INCORE, 4, 64, 4, 1);
  }

  @ParameterizedTest
  @CsvSource({"2, 64", "3, 300", "4, 10"})
  void allgatherFromHost(int ranks, long size) {
    Function f =
        host(
            "allgather",
            "g = pld.tensor.allgather(x, g, s)",
            "x:[1, " + size + "]:FP32",
            "g:[pld.world_size(), " + size + "]:FP32",
            "s:[pld.world_size(), 1]:INT32");
    allgather(f, Rail.HOST, ranks, size, ranks, 1);
  }

  private static void reduceScatter(Function f, Rail rail, int ranks, long size, long... signal) {
    for (int order = 0; order < ORDERS; order++) {
      Random random = new Random(order);
      Model model = new Model(f, ranks);
      Tensor[] target = model.argument(f.params().get(0).name(), DType.FP32, ranks, size);
      Tensor[] cells = model.argument(f.params().get(1).name(), DType.INT32, signal);
      fill(target, random);
      double[][] before = Arrays.stream(target).map(t -> t.data().clone()).toArray(double[][]::new);
      double[] total = sum(target);
      Counts[] counts = model.run(random);
      for (int rank = 0; rank < ranks; rank++) {
        for (int i = 0; i < ranks * size; i++) {
          double expected = i / size == rank ? total[i] : before[rank][i];
          assertThat(target[rank].data()[i]).isEqualTo(expected);
        }
      }
      assertCells(cells);
      assertCosts(
          counts,
          new Call(
              OpCode.REDUCE_SCATTER,
              rail,
              "mesh",
              ranks,
              List.of((long) ranks, size),
              DType.FP32,
              0,
              1));
    }
  }

  @Test
  void reduceScatterInAKernel() {
    Function f =
        inCore(window("g", "FP32", 3, 64) + ", " + mesh(3), "g = pld.tensor.reduce_scatter(g, s)");
    reduceScatter(f, Rail.INCORE, 3, 64, 3, 1);
  }

  @ParameterizedTest
  @CsvSource({"2, 64", "3, 300"})
  void reduceScatterFromHost(int ranks, long size) {
    Function f =
        host(
            "reduce_scatter",
            "pld.tensor.reduce_scatter(g, s)",
            "g:[pld.world_size(), " + size + "]:FP32",
            "s:[pld.world_size()]:INT32");
    reduceScatter(f, Rail.HOST, ranks, size, ranks);
  }

  private static void allToAll(Function f, Rail rail, int ranks, long size, long... signal) {
    for (int order = 0; order < ORDERS; order++) {
      Random random = new Random(order);
      Model model = new Model(f, ranks);
      Tensor[] source = model.argument(f.params().get(0).name(), DType.FP32, ranks, size);
      Tensor[] target = model.argument(f.params().get(1).name(), DType.FP32, ranks, size);
      Tensor[] cells = model.argument(f.params().get(2).name(), DType.INT32, signal);
      fill(source, random);
      Counts[] counts = model.run(random);
      for (int rank = 0; rank < ranks; rank++) {
        for (int row = 0; row < ranks; row++) {
          for (int i = 0; i < size; i++) {
            assertThat(target[rank].data()[target[rank].index(row, i)])
                .isEqualTo(source[row].data()[source[row].index(rank, i)]);
          }
        }
      }
      assertCells(cells);
      assertCosts(
          counts,
          new Call(
              OpCode.ALL_TO_ALL,
              rail,
              "push",
              ranks,
              List.of((long) ranks, size),
              DType.FP32,
              0,
              1));
    }
  }

  @Test
  void allToAllInAKernel() {
    Function f =
        inCore(
            "x: pl.Tensor[[3, 64], pl.FP32], " + window("g", "FP32", 3, 64) + ", " + mesh(3),
            "g = pld.tensor.all_to_all(x, g, s)");
    allToAll(f, Rail.INCORE, 3, 64, 3, 1);
  }

  @ParameterizedTest
  @CsvSource({"2, 64", "3, 300"})
  void allToAllFromHost(int ranks, long size) {
    Function f =
        host(
            "all_to_all",
            "g = pld.tensor.all_to_all(x, g, s)",
            "x:[pld.world_size(), " + size + "]:FP32",
            "g:[pld.world_size(), " + size + "]:FP32",
            "s:[pld.world_size()]:INT32");
    allToAll(f, Rail.HOST, ranks, size, ranks);
  }

  private static void allToAllV(Function f, Rail rail, int ranks, long cap, long size) {
    long rows = ranks * cap;
    for (int order = 0; order < ORDERS; order++) {
      Random random = new Random(order);
      Model model = new Model(f, ranks);
      Tensor[] source = model.argument(f.params().get(0).name(), DType.FP32, rows, size);
      Tensor[] target = model.argument(f.params().get(1).name(), DType.FP32, rows, size);
      Tensor[] cells = model.argument(f.params().get(2).name(), DType.INT32, ranks, 1);
      Tensor[] send = model.argument(f.params().get(3).name(), DType.INT32, ranks, 1);
      Tensor[] received = model.argument(f.params().get(4).name(), DType.INT32, ranks, 1);
      fill(source, random);
      for (Tensor tensor : send) {
        Arrays.setAll(tensor.data(), _ -> random.nextInt((int) cap + 1));
      }
      Counts[] counts = model.run(random);
      for (int rank = 0; rank < ranks; rank++) {
        for (int from = 0; from < ranks; from++) {
          assertThat(received[rank].data()[from]).isEqualTo(send[from].data()[rank]);
          for (long i = 0; i < cap * size; i++) {
            assertThat(target[rank].data()[(int) (from * cap * size + i)])
                .isEqualTo(source[from].data()[(int) (rank * cap * size + i)]);
          }
        }
      }
      assertCells(cells);
      assertCosts(
          counts,
          new Call(
              OpCode.ALL_TO_ALL_V, rail, "push", ranks, List.of(rows, size), DType.FP32, 0, 1));
    }
  }

  @Test
  void allToAllVInAKernel() {
    Function f =
        inCore(
            "x: pl.Tensor[[6, 64], pl.FP32], "
                + window("g", "FP32", 6, 64)
                + ", "
                + mesh(3)
                + ", c: pl.Tensor[[3, 1], pl.INT32], "
                + window("rc", "INT32", 3, 1),
            "g = pld.tensor.all_to_all_v(x, g, s, c, rc)");
    allToAllV(f, Rail.INCORE, 3, 2, 64);
  }

  @ParameterizedTest
  @CsvSource({"2, 2, 64", "3, 3, 100"})
  void allToAllVFromHost(int ranks, long cap, long size) {
    Function f =
        host(
            "all_to_all_v",
            "g = pld.tensor.all_to_all_v(x, g, s, c, rc)",
            "x:[pld.world_size() * " + cap + ", " + size + "]:FP32",
            "g:[pld.world_size() * " + cap + ", " + size + "]:FP32",
            "s:[pld.world_size(), 1]:INT32",
            "c:[pld.world_size(), 1]:INT32",
            "rc:[pld.world_size(), 1]:INT32");
    allToAllV(f, Rail.HOST, ranks, cap, size);
  }

  @ParameterizedTest
  @CsvSource({"INCORE", "HOST"})
  void barrierLeavesNoTally(Rail rail) {
    Function f =
        rail == Rail.INCORE
            ? inCore(mesh(4), "pld.tensor.barrier(s)")
            : host("barrier", "pld.tensor.barrier(s)", "s:[pld.world_size()]:INT32");
    long[] shape = rail == Rail.INCORE ? new long[] {4, 1} : new long[] {4};
    Model model = new Model(f, 4);
    Tensor[] cells = model.argument(f.params().get(0).name(), DType.INT32, shape);
    Counts[] counts = model.run(new Random(1));
    assertCells(cells);
    assertCosts(counts, new Call(OpCode.BARRIER, rail, "credit", 4, List.of(), DType.INT32, 0, 1));
  }

  @Test
  void aLoweredHostProgramReadsBackAsItself() {
    Program program = Texts.lower(Texts.resource("host_collectives.ir"));
    String text = io.ringmaster.worker.ir.IrPrinter.print(program);
    assertThat(io.ringmaster.worker.ir.Spans.strip(IrParser.parse(text)))
        .isEqualTo(io.ringmaster.worker.ir.Spans.strip(program));
  }
}
