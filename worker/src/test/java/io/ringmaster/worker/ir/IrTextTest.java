package io.ringmaster.worker.ir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ringmaster.worker.source.DiagnosticException;
import io.ringmaster.worker.source.Span;
import io.ringmaster.worker.tensor.DType;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class IrTextTest {

  private static String function(String statement) {
    return """
        NR = pl.dynamic("NR")

        @pl.function(type=pl.FunctionType.InCore)
        def f(self, x: pl.Tensor[[NR, 64], pl.FP32], i: pl.Scalar[pl.INT32], w: pl.InOut[pld.DistributedTensor[[NR, 1], pl.INT32]]):
            %s
        """
        .formatted(statement);
  }

  /** The last line of what the statement prints as, stripped. */
  private static String printed(String statement) {
    String text = IrPrinter.print(IrParser.parseFunction(function(statement)));
    return text.lines().reduce((_, last) -> last).orElseThrow().strip();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "t = pl.load(x, [0, i * 64], [1, 64])",
        "t = pl.load(x, [0, 0], [1, 64], valid_shape=[1, i])",
        "t = pld.tile.remote_load(w, peer=i, offsets=[0, 0], shape=[8, 1])",
        "pld.system.notify(w, peer=3, offsets=[i, 0], value=1, op=pld.NotifyOp.AtomicAdd)",
        "pld.system.wait(w, offsets=[i, 0], expected=1, cmp=pld.WaitCmp.Ge)",
        "row = x[i]",
        "n = (i + 1) * (NR - 2) // 3 % 4",
        "n = i - (1 - i)",
        "b = not (i == 0 or i < 3 and i != 2)",
        "n = pl.min(i, pl.const(3, pl.INT32))",
        "n = -i",
        "n = pl.cast(i, pl.INDEX) + NR",
        "t = pl.tile.create([1, 64], dtype=pl.FP32, target_memory=pl.MemorySpace.Vec)",
        "return x, w",
        "return",
      })
  void statementsPrintAsTheyAreWritten(String statement) {
    assertThat(printed(statement)).isEqualTo(statement);
  }

  @Test
  void aBlockPrintsAsItIsWritten() {
    String text =
        """
        @pl.function(type=pl.FunctionType.InCore)
        def f(self, n: pl.Scalar[pl.INT32]) -> pl.Scalar[pl.INT32]:
            for i in pl.range(n):
                if i == 0:
                    continue
                elif i == 1:
                    break
                else:
                    n = pl.cast(i, pl.INT32)
            for j in pl.parallel(2, n, 3):
                while n > 0:
                    n = n - pl.const(1, pl.INT32)
            return n
        """;
    assertThat(IrPrinter.print(IrParser.parseFunction(text))).isEqualTo(text);
  }

  @Test
  void aTypeThatDoesNotFollowIsStated() {
    Expr sum =
        new Expr.Binary(
            Expr.BinaryOp.ADD,
            new Expr.IntConst(1, DType.INDEX, Span.NONE),
            new Expr.IntConst(2, DType.INDEX, Span.NONE),
            new Type.Scalar(DType.INT32),
            Span.NONE);
    Function f =
        new Function(
            "f",
            Function.Level.INCORE,
            List.of(),
            List.of(),
            List.of(
                new Stmt.Assign(new Expr.Var("a", sum.type(), Span.NONE), sum, Span.NONE),
                new Stmt.Return(List.of(sum), Span.NONE)),
            Span.NONE);
    String text = IrPrinter.print(f);
    assertThat(text)
        .contains("a: pl.Scalar[pl.INT32] = 1 + 2")
        .contains("return pl.as_type(1 + 2, pl.Scalar[pl.INT32])");
    assertThat(Spans.strip(IrParser.parseFunction(text))).isEqualTo(f);
  }

  @Test
  void aTransferWithItsStageIsSpelledAsTheTileForm() {
    Expr stage =
        Expr.Op.of(
            OpCode.CREATE_TILE,
            List.of(),
            Map.of("dtype", new Attribute.Dtype(DType.FP32)),
            new Type.Tile(List.of(1L, 8L), DType.FP32, Type.MemorySpace.VEC, List.of()),
            Span.NONE);
    assertThat(IrPrinter.print(stage)).isEqualTo("pl.tile.create([1, 8], dtype=pl.FP32)");
    assertThat(
            printed(
                "pld.tile.put(w, peer=i, src=w, dst_offsets=[0, 0], src_offsets=[0, 0], shape=[1, 1],"
                    + " stage=pl.tile.create([1, 8], dtype=pl.INT32))"))
        .startsWith("pld.tile.put(w, peer=i, src=w");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "y = nowhere ; 'nowhere' is neither a variable nor a dynamic dimension here",
        "pl.adds(x, 1) ; no operation is named pl.adds",
        "pl.store(x) ; pl.store needs offsets",
        "x += 1 ; no IR statement is written like this",
        "y = i ** 2 ; operator ** has no place in the IR",
        "y = self.g(x) ; the type of this doesn't follow from its parts",
      })
  void unreadableTextSaysWhereAndWhy(String row) {
    String[] parts = row.split(" ; ", 2);
    assertThatThrownBy(() -> IrParser.parseFunction(function(parts[0])))
        .isInstanceOfSatisfying(
            DiagnosticException.class,
            e -> {
              assertThat(e.diagnostics().getFirst().message()).contains(parts[1]);
              assertThat(e.diagnostics().getFirst().span().line()).isEqualTo(5);
            });
  }

  @Test
  void domainsStandInAComment() {
    Program program =
        new Program(
            "P",
            List.of(),
            List.of(
                new Program.Domain("comm_d0", List.of(), List.of("data", "signal")),
                new Program.Domain("comm_d1", List.of(1, 2), List.of("w"))));
    assertThat(IrPrinter.print(program))
        .isEqualTo(
            """
            @pl.program
            class P:
                # pld.comm_domain: devices=all, slots=[data, signal]
                # pld.comm_domain: devices=[1, 2], slots=[w]
                pass
            """);
    assertThat(IrParser.parse(IrPrinter.print(program))).isEqualTo(program);
  }
}
