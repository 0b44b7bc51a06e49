package io.ringmaster.worker.lowering;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringmaster.worker.ir.Function;
import io.ringmaster.worker.ir.IrParser;
import io.ringmaster.worker.ir.IrPrinter;
import io.ringmaster.worker.ir.OpCode;
import io.ringmaster.worker.ir.Spans;
import io.ringmaster.worker.ir.Stmt;
import io.ringmaster.worker.source.Diagnostic;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class InCoreCollectivesTest {

  private static final String SIGNAL = "s: pl.InOut[pld.DistributedTensor[[4, 1], pl.INT32]]";

  private static String window(String name, String shape, String dtype) {
    return name + ": pl.InOut[pld.DistributedTensor[" + shape + ", pl." + dtype + "]]";
  }

  private static String tensor(String name, String shape) {
    return name + ": pl.Tensor[" + shape + ", pl.FP32]";
  }

  private static Function lowered(String params, String statement) {
    return Texts.step(Texts.lower(Texts.kernel(params, statement)));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "pld.tensor.barrier(s); 3; 3",
        "pld.tensor.broadcast(g, s, root=1); 3; 3",
        "g = pld.tensor.allgather(x, g, s); 4; 3",
        "g = pld.tensor.reduce_scatter(g, s, op=pld.ReduceOp.Sum); 6; 6",
        "g = pld.tensor.allreduce(g, s, op=pld.ReduceOp.Sum); 7; 6",
        "g = pld.tensor.all_to_all(y, g, s); 4; 3",
      })
  void eachCollectiveHasAsManyLoopsAndBranchesAsItsSchedule(
      String statement, long loops, long branches) {
    Function f =
        lowered(
            String.join(
                ", ",
                tensor("x", "[1, 64]"),
                tensor("y", "[4, 64]"),
                window("g", "[4, 64]", "FP32"),
                SIGNAL),
            statement);
    assertThat(Texts.count(f, Stmt.For.class)).as("for").isEqualTo(loops);
    assertThat(Texts.count(f, Stmt.If.class)).as("if").isEqualTo(branches);
    assertThat(Texts.count(f, Stmt.Region.class)).isEqualTo(1);
  }

  @Test
  void allgatherPushesIncludingItselfThenHasOneBarrier() {
    Function f =
        lowered(
            String.join(", ", tensor("x", "[1, 64]"), window("g", "[NR, 64]", "FP32"), SIGNAL)
                .replace("NR", "pl.dynamic(\"NR\")"),
            "g = pld.tensor.allgather(x, g, s)");
    assertThat(IrPrinter.print(f)).isEqualTo(Texts.resource("allgather.lowered.ir"));
  }

  @Test
  void theComposedKernelLowersToThreeSchedulesInOrder() {
    assertThat(Texts.after(new LowerCompositeOps(), Texts.resource("composition.ir")))
        .isEqualTo(Texts.resource("composition.LowerCompositeOps.ir"));
  }

  @Test
  void whatWasLoweredReadsBackAsItself() {
    var program = Texts.lower(Texts.resource("composition.ir"));
    assertThat(Spans.strip(IrParser.parse(IrPrinter.print(program))))
        .isEqualTo(Spans.strip(program));
  }

  @Test
  void aVectorOfFewElementsIsOneChunkWithoutPadding() {
    Function f =
        lowered(window("g", "[1, 64]", "FP32") + ", " + SIGNAL, "g = pld.tensor.allreduce(g, s)");
    assertThat(Texts.ops(f, OpCode.FILL_PAD)).isZero();
    assertThat(IrPrinter.print(f)).contains("pl.range(0, 64, 64)").contains("value=-2");
  }

  @Test
  void aRaggedVectorIsPaddedInTheTileAndStoredWithoutThePadding() {
    Function f =
        lowered(
            window("g", "[100, 100]", "FP32") + ", " + SIGNAL, "g = pld.tensor.allreduce(g, s)");
    String text = IrPrinter.print(f);
    assertThat(text)
        .contains("pl.reshape(g, [1, 10000])")
        .contains("pl.range(0, 10000, 4096)")
        .contains("pl.min(4096, 10000 - g__col")
        .contains("value=-4")
        .doesNotContain("physical_tail_padding");
    assertThat(Texts.ops(f, OpCode.FILL_PAD)).isEqualTo(2);
  }

  @Test
  void aHalfPrecisionTailIsTransferredInWholeBlocksOf32Bytes() {
    Function f =
        lowered(window("g", "[1, 40]", "FP16") + ", " + SIGNAL, "g = pld.tensor.allreduce(g, s)");
    assertThat(IrPrinter.print(f))
        .contains("shape=[1, 48], valid_shape=[1, g__cols")
        .contains("physical_tail_padding=True");
  }

  @ParameterizedTest
  @CsvSource({"Sum,pl.add", "Max,pl.maximum", "Min,pl.minimum", "Prod,pl.mul"})
  void theReductionChoosesTheTileOperation(String op, String operation) {
    Function f =
        lowered(
            window("g", "[1, 64]", "FP32") + ", " + SIGNAL,
            "g = pld.tensor.allreduce(g, s, op=pld.ReduceOp." + op + ")");
    assertThat(IrPrinter.print(f)).contains(operation + "(g__acc");
  }

  @Test
  void anEqualRingHasNoEmptySegmentsToGuard() {
    Function f =
        lowered(
            window("g", "[1, 64]", "FP32") + ", " + window("s", "[6, 4]", "INT32"),
            "g = pld.tensor.allreduce(g, s, mode=\"ring\")");
    assertThat(IrPrinter.print(f)).isEqualTo(Texts.resource("ring.lowered.ir"));
  }

  @Test
  void anUnequalRingGuardsEmptySegments() {
    Function f =
        lowered(
            window("g", "[1, 10]", "FP32") + ", " + window("s", "[6, 4]", "INT32"),
            "g = pld.tensor.allreduce(g, s, mode=\"ring\")");
    assertThat(IrPrinter.print(f)).contains("rs_segment_cols").contains("else:");
  }

  @Test
  void allToAllVPublishesCountsAndMovesWholeBlocks() {
    Function f =
        lowered(
            String.join(
                ", ",
                tensor("x", "[8, 64]"),
                window("g", "[8, 64]", "FP32"),
                SIGNAL,
                "c: pl.Tensor[[4], pl.INT32]",
                window("rc", "[4, 1]", "INT32")),
            "g = pld.tensor.all_to_all_v(x, g, s, c, rc)");
    assertThat(IrPrinter.print(f))
        .contains("pl.read(c, [g__dest_tmp_v5], high=2, low=0)")
        .contains("op=pld.NotifyOp.Set")
        .contains("shape=[2, 64], stage=g__aav_stage_tmp_v4");
  }

  @Test
  void aResultOfAnotherNameIsTheTarget() {
    Function f =
        lowered(
            window("g", "[1, 64]", "FP32") + ", " + SIGNAL, "done = pld.tensor.allreduce(g, s)");
    assertThat(f.body()).hasSize(2);
    assertThat(IrPrinter.print(f)).contains("done__ctx_tmp_v0").endsWith("\n    done = g\n");
  }

  @Test
  void aReturnedCollectiveReturnsItsTarget() {
    Function f =
        lowered(
            window("g", "[1, 64]", "FP32") + ", " + SIGNAL, "return pld.tensor.allreduce(g, s)");
    assertThat(IrPrinter.print(f)).endsWith("    return g\n");
  }

  @Test
  void aRingShapedSignalIsRefusedWithTheShapeThatFits() {
    Diagnostic error =
        Texts.errorOf(
            Texts.kernel(
                window("g", "[1, 64]", "FP32") + ", " + window("s", "[6, 4]", "INT32"),
                "g = pld.tensor.allreduce(g, s)"));
    assertThat(error.message())
        .contains("signal shape[1] must be 1 (one cell per rank), got 4")
        .contains("mode=\"ring\"")
        .contains("expected [4, 1]");
    assertThat(error.span().line()).isEqualTo(5);
    assertThat(error.hint()).contains("[4, 1]");
  }

  @Test
  void aSymbolicColumnCountIsNotChecked() {
    Function f =
        lowered(
            window("g", "[1, 64]", "FP32") + ", " + window("s", "[6, pl.dynamic(\"NR\")]", "INT32"),
            "g = pld.tensor.allreduce(g, s)");
    assertThat(Texts.count(f, Stmt.Region.class)).isEqualTo(1);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "pld.tensor.barrier(r1) ; signal must be 2D [NR, 1], got rank 1",
        "g = pld.tensor.allreduce(g, ring, mode=\"ring\") ; signal shape[0] (7) must equal 2*(NR-1) = 6"
            + " for NR = 4",
        "g = pld.tensor.allreduce(g, r1, mode=\"ring\") ; mode=ring signal must be 2D [2*(NR-1), NR]",
        "g = pld.tensor.allreduce(g) ; requires an explicit signal outside host orchestrator"
            + " functions",
        "g = pld.tensor.allreduce(g, mode=\"ring\") ; mode=ring requires an explicit signal",
        "g = pld.tensor.allreduce(g, s, core_num=2) ; core_num > 1 is supported only in a HOST"
            + " orchestrator",
        "g = pld.tensor.allreduce(g, s, mode=\"star\") ; mode must be \"ring\" or \"mesh\", got"
            + " \"star\"",
        "g = pld.tensor.allgather(w, g, s) ; pld.tensor.allgather local_data must be a plain Tensor"
            + " [1, SIZE] on the InCore path",
        "g = pld.tensor.allreduce(empty, s) ; pld.tensor.allreduce target has no elements: shape"
            + " [1, 0]",
        "g = pld.tensor.all_to_all(g2, g, s) ; input must be a plain Tensor [NR, SIZE] on the InCore"
            + " path",
      })
  void mistakesAreNamed(String row) {
    String[] parts = row.split(" ; ", 2);
    String params =
        String.join(
            ", ",
            window("g", "[4, 64]", "FP32"),
            window("g2", "[4, 64]", "FP32"),
            window("w", "[1, 64]", "FP32"),
            SIGNAL,
            window("r1", "[4]", "INT32"),
            window("ring", "[7, 4]", "INT32"),
            window("empty", "[1, 0]", "FP32"));
    Diagnostic error = Texts.errorOf(Texts.kernel(params, parts[0]));
    assertThat(error.message()).contains(parts[1]);
    assertThat(error.hint()).isNotEmpty();
  }

  @Test
  void aRowThatDoesNotFitTheVectorMemoryIsRefused() {
    Diagnostic error =
        Texts.errorOf(
            Texts.kernel(
                tensor("x", "[1, 65536]")
                    + ", "
                    + window("g", "[4, 65536]", "FP32")
                    + ", "
                    + SIGNAL,
                "g = pld.tensor.allgather(x, g, s)"));
    assertThat(error.message())
        .contains("Vec buffer usage (262144 bytes) exceeds platform limit (188416 bytes");
  }
}
