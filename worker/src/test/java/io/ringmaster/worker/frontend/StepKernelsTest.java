package io.ringmaster.worker.frontend;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringmaster.worker.ir.Expr;
import io.ringmaster.worker.ir.Function;
import io.ringmaster.worker.ir.Function.Direction;
import io.ringmaster.worker.ir.Function.Level;
import io.ringmaster.worker.ir.OpCode;
import io.ringmaster.worker.ir.Stmt;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The kernels of the published step pages 13 and 16, as a user would write them. */
class StepKernelsTest {

  private final Built step13 = Kernels.build(Frame.resource("steps/13_allgather.py"));
  private final Built step16 = Kernels.build(Frame.resource("steps/16_composition.py"));

  @Test
  void bothStepsHaveNothingToComplainAbout() {
    assertThat(step13.warnings()).isEmpty();
    assertThat(step16.warnings()).isEmpty();
    assertThat(step16.program().functions())
        .extracting(Function::level)
        .containsExactly(Level.INCORE, Level.ORCHESTRATION, Level.HOST);
  }

  @Test
  void theHandWrittenAllGatherIsStagedThenWaitsThenPulls() {
    assertThat(codes("hand_step", step13))
        .containsExactly(
            OpCode.GET_COMM_CTX,
            OpCode.RANK,
            OpCode.NRANKS,
            OpCode.LOAD,
            OpCode.STORE,
            OpCode.NOTIFY,
            OpCode.WAIT,
            OpCode.REMOTE_LOAD,
            OpCode.STORE);
  }

  @Test
  void theBuiltinKeepsTheCollectiveForLowering() {
    assertThat(codes("builtin_step", step13))
        .containsExactly(
            OpCode.GET_COMM_CTX, OpCode.NRANKS, OpCode.ALLGATHER, OpCode.LOAD, OpCode.STORE);
  }

  @Test
  void aClosureBoolBecomesAConstantConditionWithBothBranchesRead() {
    Stmt first = Kernels.function(step13, "chip_orch").body().getFirst();
    assertThat(first).isInstanceOf(Stmt.If.class);
    assertThat(((Stmt.If) first).condition())
        .isInstanceOfSatisfying(
            Expr.BoolConst.class, condition -> assertThat(condition.value()).isFalse());
    assertThat(((Stmt.If) first).thenBody()).hasSize(1);
  }

  @Test
  void theCompositionCallsItsThreeCollectivesInOrder() {
    assertThat(codes("compose_step", step16).stream().filter(OpCode::isCollective))
        .containsExactly(OpCode.BROADCAST, OpCode.ALLREDUCE, OpCode.ALLGATHER);
  }

  @Test
  void aDispatchSlicesHostTensorsAndNamesItsRank() {
    List<Stmt> loop =
        Kernels.function(step13, "host_orch").body().stream()
            .filter(Stmt.For.class::isInstance)
            .map(statement -> ((Stmt.For) statement).body())
            .findFirst()
            .orElseThrow();
    assertThat(loop.getLast())
        .isInstanceOfSatisfying(
            Stmt.Eval.class,
            eval -> {
              Expr.Call call = (Expr.Call) eval.value();
              assertThat(call.function()).isEqualTo("chip_orch");
              assertThat(call.device()).isPresent();
              assertThat(call.arguments()).hasSize(4).allMatch(Expr.Var.class::isInstance);
            });
  }

  @Test
  void directionsAreTheDeclaredOnes() {
    assertThat(Kernels.function(step13, "host_orch").params())
        .extracting(Function.Param::direction)
        .containsExactly(Direction.IN, Direction.OUT);
  }

  @Test
  void everyOperationKnowsItsLine() {
    Expr.Op put = ops("builtin_step", step13).get(2);
    assertThat(put.span().line()).isEqualTo(48);
    assertThat(put.span().column()).isEqualTo(16);
  }

  private static List<OpCode> codes(String function, Built built) {
    return ops(function, built).stream().map(Expr.Op::code).toList();
  }

  private static List<Expr.Op> ops(String function, Built built) {
    List<Expr.Op> found = new ArrayList<>();
    IrWalk.expressions(
        Kernels.function(built, function).body(),
        expr -> {
          if (expr instanceof Expr.Op op) {
            found.add(op);
          }
        });
    return found;
  }
}
