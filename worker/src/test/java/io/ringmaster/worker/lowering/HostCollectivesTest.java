package io.ringmaster.worker.lowering;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringmaster.worker.ir.Function;
import io.ringmaster.worker.ir.IrPrinter;
import io.ringmaster.worker.ir.Program;
import io.ringmaster.worker.source.Diagnostic;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HostCollectivesTest {

  private static final String WINDOWS =
      """
      @pl.program
      class Host:
          @pl.function(type=pl.FunctionType.Orchestration)
          def chip(
              self,
              a: pl.InOut[pld.DistributedTensor[[1, 64], pl.FP32]],
              b: pl.InOut[pld.DistributedTensor[[1, 64], pl.FP32]],
          ):
              pass

          @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
          def host(self, plain: pl.Tensor[[1, 64], pl.FP32]):
              a_buf = pld.alloc_window_buffer(256)
              rows_buf = pld.alloc_window_buffer(4096)
              half_buf = pld.alloc_window_buffer(256)
              cells_buf = pld.alloc_window_buffer(4096)
              a = pld.window(a_buf, [1, 64], dtype=pl.FP32)
              a2 = pld.window(a_buf, [1, 64], dtype=pl.INT32)
              odd = pld.window(a_buf, [1, 50], dtype=pl.FP32)
              rows = pld.window(rows_buf, [4, 64], dtype=pl.FP32)
              half = pld.window(half_buf, [1, 64], dtype=pl.FP16)
              s1 = pld.window(cells_buf, [4], dtype=pl.INT32)
              s2 = pld.window(cells_buf, [4, 1], dtype=pl.INT32)
              short = pld.window(cells_buf, [3], dtype=pl.INT32)
              ring = pld.window(cells_buf, [7, 4], dtype=pl.INT32)
              ring6 = pld.window(cells_buf, [6, 4], dtype=pl.INT32)
              for r in pl.range(pld.world_size()):
                  self.chip(a, rows, device=r)
                  self.chip(half, s1, device=r)
              %s
      """;

  private static String host(String statement) {
    return WINDOWS.replace("%s", statement.indent(8).strip());
  }

  private static Diagnostic error(String statement) {
    return Texts.errorOf(host(statement), Texts.world(4));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "pld.tensor.allgather(plain, rows, s1) ; input must be a window-bound DistributedTensor (a"
            + " view of an alloc_window_buffer) when called from a HOST orchestrator",
        "pld.tensor.allreduce(a, a2) ; target and signal must be different window allocations (two"
            + " pld.window views 'a' and 'a2' of buffer 'a_buf')",
        "pld.tensor.broadcast(half, s1) ; currently supports only dtype=FP32",
        "pld.tensor.barrier(s2) ; signal must be a rank-1 DistributedTensor",
        "pld.tensor.allreduce(a, short) ; collective signal shape[0] (3) must be at least the"
            + " participating device count (4)",
        "pld.tensor.allreduce(a, s1, core_num=2) ; rank-1 signal is valid only when one signal lane"
            + " is required",
        "pld.tensor.allreduce(a, s2, core_num=2) ; rank-2 signal shape[1] (1) must be at least the"
            + " required lane count (2)",
        "pld.tensor.allgather(a, rows, ring) ; rank-2 signal shape[1] (4) must equal the required"
            + " lane count (1)",
        "pld.tensor.allreduce(a, s1, core_num=1000) ; core_num (1000) exceeds the backend AIV core"
            + " count (48",
        "pld.tensor.allreduce(a, ring, mode=\"ring\", core_num=2) ; mode=\"ring\" does not support"
            + " core_num > 1",
        "pld.tensor.allreduce(odd, ring, mode=\"ring\") ; must be an exact multiple of the rank count"
            + " (4), remainder 2",
        "pld.tensor.allreduce(a, ring6, mode=\"ring\") ; signal shape[0] (6) must equal 2*(NR-1) + 1"
            + " = 7 for NR = 4",
        "pld.tensor.allreduce(half, ring, mode=\"ring\") ; mode=\"ring\" currently supports only"
            + " dtype=FP32",
        "pld.tensor.allreduce(a, ring, mode=\"ring\", op=pld.ReduceOp.Max) ; supports only"
            + " ReduceOp.Sum",
        "pld.tensor.allreduce(a, s1, mode=\"star\") ; mode must be \"ring\" or \"mesh\", got \"star\"",
        "pld.tensor.broadcast(a, s1, root=5) ; root (5) must be a valid rank in [0, 4)",
        "pld.tensor.allreduce(a, mode=\"ring\") ; mode=\"ring\" requires an explicit signal; host"
            + " signal synthesis only supports mesh mode",
        "pld.tensor.reduce_scatter(a, s1) ; target first dimension (1) must be at least the"
            + " participating device count (4)",
      })
  void mistakesAreNamed(String row) {
    String[] parts = row.split(" ; ", 2);
    Diagnostic error = error(parts[0]);
    assertThat(error.message()).contains(parts[1]);
    assertThat(error.hint()).isNotEmpty();
  }

  @Test
  void anOmittedSignalIsRefusedInALoop() {
    assertThat(error("for i in pl.range(2):\n    pld.tensor.allreduce(a)").message())
        .contains(
            "pld.tensor.allreduce without an explicit signal is not supported inside a for/while"
                + " loop on the HOST rail");
  }

  @Test
  void moreRanksThanABuiltInCanServeAreRefused() {
    String text = host("pld.tensor.allreduce(a)");
    assertThat(Texts.errorOf(text, Texts.world(17)).message())
        .contains("16 or fewer participating devices");
    assertThat(
            Lowering.run(
                    io.ringmaster.worker.ir.IrParser.parse(text),
                    LoweringContext.of(Platform.unlimited("sim"), 17))
                .program()
                .functions())
        .hasSize(4);
  }

  @Test
  void anOmittedSignalGetsAWindowWithACellForEachBlock() {
    Program program = Texts.lower(host("a = pld.tensor.allreduce(a, core_num=3)"));
    assertThat(IrPrinter.print(program))
        .contains("__allreduce_signal_0 = pld.alloc_window_buffer(pld.world_size() * 12)")
        .contains(
            "__allreduce_signal_0_view = pld.window(__allreduce_signal_0, [pld.world_size(), 3],"
                + " dtype=pl.INT32)")
        .contains("slots=[a_buf, rows_buf, half_buf, cells_buf, __allreduce_signal_0]");
  }

  @Test
  void aCollectiveIsOneDispatchForEachDevice() {
    Program program = Texts.lower(host("done = pld.tensor.allreduce(a, s1)"));
    assertThat(IrPrinter.print(program))
        .endsWith(
            """
                    for builtin_allreduce_0_chip_rank in pl.range(pld.world_size()):
                        self.builtin_allreduce_0_chip(a, s1, device=builtin_allreduce_0_chip_rank)
                    done = a
            """);
    assertThat(program.function("builtin_allreduce_0").orElseThrow().level())
        .isEqualTo(Function.Level.INCORE);
  }

  @Test
  void theMeshOfABuiltInReadsLikeThis() {
    Program program = Texts.lower(host("pld.tensor.allreduce(a, s1)"));
    assertThat(IrPrinter.print(program.function("builtin_allreduce_0").orElseThrow()))
        .isEqualTo(Texts.resource("host_mesh.lowered.ir"));
  }
}
