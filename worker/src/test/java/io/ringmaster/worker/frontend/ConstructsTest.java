package io.ringmaster.worker.frontend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ringmaster.worker.ir.Attribute;
import io.ringmaster.worker.ir.Expr;
import io.ringmaster.worker.ir.Function;
import io.ringmaster.worker.ir.Function.Direction;
import io.ringmaster.worker.ir.OpCode;
import io.ringmaster.worker.ir.Stmt;
import io.ringmaster.worker.ir.Type;
import io.ringmaster.worker.source.DiagnosticException;
import io.ringmaster.worker.tensor.DType;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What each construct of the language becomes. */
class ConstructsTest {

  private final Built built = Kernels.build(Frame.resource("constructs.py"));
  private final Function misc = Kernels.function(built, "misc");

  private static Built kernel(String body) {
    return Kernels.build(Frame.named("kernel").with(body));
  }

  private static List<Stmt> body(Built built) {
    return Kernels.function(built, "kernel").body();
  }

  private static Expr.Op onlyOp(Built built, OpCode code) {
    List<Expr.Op> found = new ArrayList<>();
    IrWalk.expressions(
        body(built),
        expr -> {
          if (expr instanceof Expr.Op op && op.code() == code) {
            found.add(op);
          }
        });
    assertThat(found).hasSize(1);
    return found.getFirst();
  }

  @Test
  void closureExpressionsAreFoldedTheWayPythonFoldsThem() {
    Built folded = kernel("a = (1 - N) // 2\nb = (1 - N) % N");
    assertThat(body(folded))
        .extracting(statement -> ((Expr.IntConst) ((Stmt.Assign) statement).value()).value())
        .containsExactly(-2L, 1L);
  }

  @Test
  void operationsInsideOperationsGetTemporaries() {
    Built nested = kernel("y = pl.store(pl.exp(pl.load(x, [0, 0], [4, 64])), [0, 0], y)");
    assertThat(body(nested)).hasSize(3).allMatch(Stmt.Assign.class::isInstance);
    assertThat(((Stmt.Assign) body(nested).getFirst()).target().name()).isEqualTo("y_t0");
  }

  @Test
  void aTemporaryNeverTakesANameOfTheSource() {
    Built nested = kernel("y_t0 = 1\ny = pl.store(pl.load(x, [0, 0], [4, 64]), [0, 0], y)");
    assertThat(((Stmt.Assign) body(nested).get(1)).target().name()).isEqualTo("y_t1");
  }

  @Test
  void literalsTakeTheTypeOfTheirSlot() {
    Expr.Op signal =
        onlyOp(kernel("pld.system.notify(s, 1, [2, 0], 3, op=pld.NotifyOp.Set)"), OpCode.NOTIFY);
    assertThat(signal.operands().get(1).type()).isEqualTo(new Type.Scalar(DType.INT32));
    assertThat(signal.operands().get(3).type()).isEqualTo(new Type.Scalar(DType.INT32));
    assertThat(((Expr.TupleExpr) signal.operands().get(2)).elements().getFirst().type())
        .isEqualTo(new Type.Scalar(DType.INDEX));
  }

  @Test
  void scalarsOfTilesAreConvertedToTheElementType() {
    Expr.Op op = onlyOp(kernel("t = pl.mul(pl.load(x, [0, 0], [4, 64]), 2)"), OpCode.MUL);
    assertThat(op.operands().get(1))
        .isInstanceOfSatisfying(
            Expr.FloatConst.class, constant -> assertThat(constant.value()).isEqualTo(2.0));
  }

  @Test
  void aTransferAlwaysCarriesItsRegion() {
    Expr.Op put = onlyOp(kernel("pld.tensor.put(w, 1, x)"), OpCode.PUT);
    assertThat(put.operands()).hasSize(6);
    assertThat(put.operands().subList(3, 6)).allMatch(Expr.TupleExpr.class::isInstance);
  }

  @Test
  void aWindowOfLowerRankLiesInTheTrailingDimensions() {
    Built lower = kernel("t = pl.load(x, [8], [16])");
    Expr.Op load = onlyOp(lower, OpCode.LOAD);
    assertThat(((Type.Tile) load.type()).shape()).containsExactly(1L, 16L);
    assertThat(((Type.Tile) onlyOp(lower, OpCode.RESHAPE).type()).shape()).containsExactly(16L);
  }

  @Test
  void parametersThatAreWrittenBecomeInOut() {
    assertThat(misc.params())
        .extracting(Function.Param::direction)
        .containsExactly(
            Direction.IN,
            Direction.OUT,
            Direction.INOUT,
            Direction.INOUT,
            Direction.INOUT,
            Direction.IN);
  }

  @Test
  void directionsAreInferredThroughCalls() {
    String text =
        Kernels.IMPORTS
            + """
            @pl.program
            class P:
                @pl.function(type=pl.FunctionType.InCore)
                def kernel(self, x: pl.Tensor[[1, 64], pl.FP32], w: pld.DistributedTensor[[1, 64], pl.FP32]):
                    t = pl.load(x, [0, 0], [1, 64])
                    w = pl.store(t, [0, 0], w)

                @pl.function(type=pl.FunctionType.Orchestration)
                def chip(self, x: pl.Tensor[[1, 64], pl.FP32], w: pld.DistributedTensor[[1, 64], pl.FP32]):
                    self.kernel(x, w)
            """;
    assertThat(Kernels.function(Kernels.build(text), "chip").params())
        .extracting(Function.Param::direction)
        .containsExactly(Direction.IN, Direction.INOUT);
  }

  @Test
  void carriedValuesBecomePlainAssignments() {
    List<Stmt> body =
        body(
            kernel(
                """
                for i, (a, b) in pl.range(4, init_values=(0, 1)):
                    c, d = pl.yield_(b, a)
                e = c + d
                """));
    assertThat(body.subList(0, 4)).allMatch(Stmt.Assign.class::isInstance);
    Stmt.For loop = (Stmt.For) body.get(4);
    assertThat(loop.body().getFirst()).isInstanceOf(Stmt.AssignTuple.class);
    assertThat(loop.body()).hasSize(3);
  }

  @Test
  void carriedValuesMayBeginAsAListFromOutside() {
    String text =
        """
        import pypto.language as pl

        INIT = [0, 1]

        @pl.program
        class P:
            @pl.function(type=pl.FunctionType.InCore)
            def k(self, y: pl.Out[pl.Tensor[[8], pl.INT32]]):
                for i, (a, b) in pl.range(4, init_values=INIT):
                    c, d = pl.yield_(b, a)
                pl.write(y, [0], pl.cast(c + d, pl.INT32))
        """;
    assertThat(Kernels.function(Kernels.build(text), "k").body()).hasSizeGreaterThan(4);
  }

  @Test
  void aShapeMayBeASumOfManyLists() {
    String text =
        """
        import pypto.language as pl

        ONE = [1]

        @pl.program
        class P:
            @pl.function(type=pl.FunctionType.InCore)
            def k(self, x: pl.Tensor[%s, pl.FP32], y: pl.Tensor[%s, pl.FP32]):
                pass
        """
            .formatted("[2]" + " + [1]".repeat(39), "ONE + (".repeat(39) + "ONE" + ")".repeat(39));
    assertThat(Kernels.function(Kernels.build(text), "k").params())
        .extracting(param -> ((Type.Tensor) param.type()).shape().size())
        .containsExactly(40, 40);
  }

  @Test
  void anUnrolledLoopIsCopiedWithItsVariableAsAConstant() {
    Built unrolled =
        kernel("for i in pl.unroll(2):\n    pl.tile.create([1, 8 * (i + 1)], dtype=pl.FP32)");
    assertThat(body(unrolled)).hasSize(2);
  }

  @Test
  void aConditionWithOperationsRunsThemInEveryIteration() {
    Stmt.While loop =
        (Stmt.While) body(kernel("while pl.read(s, [0, 0]) < 3:\n    pass")).getFirst();
    assertThat(loop.condition()).isInstanceOf(Expr.BoolConst.class);
    assertThat(loop.body()).hasSize(2);
  }

  @Test
  void anEarlyReturnLeavesTheRestToTheOtherPath() {
    Built early =
        kernel(
            """
            if x[0, 0] < 1.0:
                return y
            y = pl.store(pl.load(x, [0, 0], [4, 64]), [0, 0], y)
            return y
            """);
    assertThat(body(early).getLast()).isInstanceOf(Stmt.Return.class);
  }

  @Test
  void aNegativeDividendIsWarnedAbout() {
    Built risky =
        kernel(
            """
            me = pld.rank(pld.get_comm_ctx(w))
            n = pld.nranks(pld.get_comm_ctx(w))
            left = (me - 1) % n
            """);
    assertThat(Kernels.warnings(risky))
        .singleElement()
        .asString()
        .contains("dividend can be negative", "(-1 % n is -1)");
    Built quotient =
        kernel(
            """
            me = pld.rank(pld.get_comm_ctx(w))
            half = (me - 1) // 2
            """);
    assertThat(Kernels.warnings(quotient))
        .singleElement()
        .asString()
        .contains("dividend can be negative", "(-1 // n is 0)")
        .doesNotContain("%");
    Built right =
        kernel(
            """
            me = pld.rank(pld.get_comm_ctx(w))
            n = pld.nranks(pld.get_comm_ctx(w))
            left = (me - 1 + n) % n
            """);
    assertThat(right.warnings()).isEmpty();
  }

  @Test
  void aBlockOnACoreGroupBecomesAKernelAndACall() {
    Built outlined = Kernels.build(Frame.resource("outlined.py"));
    assertThat(outlined.program().functions())
        .extracting(Function::name)
        .containsExactly(
            "chip_stage", "chip_incore", "chip", "host_chip_incore", "host_chip", "host");
    assertThat(Kernels.function(outlined, "chip_stage").params())
        .extracting(Function.Param::direction)
        .containsExactly(Direction.IN, Direction.INOUT);
    assertThat(Kernels.function(outlined, "chip").body().getFirst())
        .isInstanceOfSatisfying(
            Stmt.Assign.class, assign -> assertThat(assign.value()).isInstanceOf(Expr.Call.class));
  }

  @Test
  void defaultsOfAttributesAreLeftOut() {
    assertThat(onlyOp(kernel("t = pl.load(x, [0, 0], [4, 64])"), OpCode.LOAD).attributes())
        .isEmpty();
    assertThat(onlyOp(kernel("w = pld.tensor.allreduce(w, s)"), OpCode.ALLREDUCE).attributes())
        .containsEntry("op", new Attribute.Reduce(Attribute.ReduceOp.SUM))
        .containsEntry("mode", new Attribute.Text("mesh"));
  }

  @Test
  void everyErrorOfAClassIsReportedOnce() {
    assertThatThrownBy(
            () ->
                kernel(
                    """
                    t = pl.load(x, [0], [4, 64])
                    u = pl.exp(t)
                    y = pl.store(u, [0, 0], y)
                    pl.lod(x)
                    for i in range(3):
                        nowhere(i)
                    """))
        .isInstanceOfSatisfying(
            DiagnosticException.class,
            refused ->
                assertThat(refused.diagnostics())
                    .extracting(diagnostic -> diagnostic.message().split(":", 2)[0])
                    .containsExactly(
                        "pl.load expects offsets and shapes to have same number of dimensions, got"
                            + " 1 and 2",
                        "Unknown operation 'pl.lod'",
                        "For loop must use pl.range(), pl.parallel(), pl.unroll(), pl.pipeline() or"
                            + " pl.spmd()",
                        "Unsupported function call"));
  }

  @Test
  void aClosureValueThatNoKernelCanUseIsNamed() {
    assertThatThrownBy(() -> kernel("a = NAMES"))
        .hasMessageContaining("Unsupported closure variable type")
        .hasMessageContaining("set");
  }

  @Test
  void missingArgumentsAreNamedInPythonsWords() {
    assertThatThrownBy(
            () -> kernel("pld.system.notify(s, offsets=[0, 0], value=1, op=pld.NotifyOp.Set)"))
        .hasMessage("pld.system.notify() missing 1 required positional argument: 'peer'");
    assertThatThrownBy(() -> kernel("pld.system.notify(s, 1, [0, 0], 1)"))
        .hasMessage("pld.system.notify() missing 1 required keyword-only argument: 'op'");
  }

  @Test
  void bf16IsAddedAtomicallyOnOneFamilyOnly() {
    String text =
        Kernels.IMPORTS
            + """
            @pl.program
            class P:
                @pl.function(type=pl.FunctionType.InCore)
                def kernel(self, x: pl.Tensor[[1, 64], pl.BF16], w: pld.DistributedTensor[[1, 64], pl.BF16]):
                    pld.tensor.put(w, 0, x, atomic=pld.AtomicType.Add)
            """;
    Built bf16 = Kernels.build(text);
    PlatformChecks.check(bf16.program(), "a2a3sim");
    assertThatThrownBy(() -> PlatformChecks.check(bf16.program(), "a5sim"))
        .hasMessageContaining("atomic-add into a bf16 global tensor is not supported on the 'a5'");
  }
}
