package io.ringmaster.worker.lowering;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringmaster.worker.ir.IrParser;
import io.ringmaster.worker.ir.Program;
import io.ringmaster.worker.ir.Program.Domain;
import java.util.List;
import org.junit.jupiter.api.Test;

class DomainsTest {

  private static final String CHIP =
      """
      @pl.program
      class Host:
          @pl.function(type=pl.FunctionType.Orchestration)
          def chip(self, w: pl.InOut[pld.DistributedTensor[[1, 64], pl.FP32]]):
              pass

          @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
          def host(self, n: pl.Scalar[pl.INT32]):
      """;

  private static String host(String body) {
    return CHIP + body.indent(8);
  }

  private static List<Domain> domains(String body, LoweringContext context) {
    Program program =
        Lowering.run(
                IrParser.parse(host(body)), context, List.of(new MaterializeCommDomainScopes()))
            .program();
    return program.domains();
  }

  private static String error(String body, LoweringContext context) {
    return Texts.errorOf(host(body), context).message();
  }

  private static final String TWO_LOOPS =
      """
      a = pld.alloc_window_buffer(256)
      b = pld.alloc_window_buffer(256)
      for r in pl.range(%s):
          wa = pld.window(a, [1, 64], dtype=pl.FP32)
          self.chip(wa, device=r)
      for r in pl.range(%s):
          wb = pld.window(b, [1, 64], dtype=pl.FP32)
          self.chip(wb, device=r)
      """;

  @Test
  void windowsOfTheSameRanksShareADomain() {
    assertThat(
            domains(TWO_LOOPS.formatted("pld.world_size()", "pld.world_size()"), Texts.ANY_WORLD))
        .containsExactly(new Domain("comm_d0", List.of(), List.of("a", "b")));
  }

  @Test
  void subsetsFormDomainsOfTheirOwn() {
    assertThat(domains(TWO_LOOPS.formatted("2", "1, 3"), Texts.world(3)))
        .containsExactly(
            new Domain("comm_d0", List.of(0, 1), List.of("a")),
            new Domain("comm_d1", List.of(1, 2), List.of("b")));
  }

  @Test
  void namingEveryRankMeansAllOfThem() {
    assertThat(domains(TWO_LOOPS.formatted("2", "pld.world_size()"), Texts.world(2)))
        .containsExactly(new Domain("comm_d0", List.of(), List.of("a", "b")));
  }

  @Test
  void aWindowHandedToSeveralDispatchesBelongsToAllTheirRanks() {
    assertThat(
            domains(
                """
                a = pld.alloc_window_buffer(256)
                w = pld.window(a, [1, 64], dtype=pl.FP32)
                self.chip(w, device=0)
                self.chip(w, device=1)
                """,
                Texts.world(2)))
        .containsExactly(new Domain("comm_d0", List.of(), List.of("a")));
  }

  @Test
  void aRankBeyondTheDevicesIsRefused() {
    assertThat(error(TWO_LOOPS.formatted("2", "1, 4"), Texts.world(2)))
        .contains("device= reaches rank 3, but the run has 2 devices");
  }

  @Test
  void theDeviceMustBeALoopVariableOrAConstant() {
    String body =
        """
        a = pld.alloc_window_buffer(256)
        for r in pl.range(%s):
            w = pld.window(a, [1, 64], dtype=pl.FP32)
            self.chip(w, device=%s)
        """;
    assertThat(error(body.formatted("pld.world_size()", "(r + 1) % 2"), Texts.ANY_WORLD))
        .contains("device= expression must be ConstInt or the induction var");
    assertThat(error(body.formatted("pld.world_size()", "n"), Texts.ANY_WORLD))
        .contains("device= Var is not the induction variable of any enclosing pl.range loop");
    assertThat(error(body.formatted("n", "r"), Texts.ANY_WORLD))
        .contains("loop bound must be ConstInt or pld.system.world_size()");
    assertThat(error(body.formatted("0, 4, 2", "r"), Texts.ANY_WORLD))
        .contains("over a non-unit-step loop is not supported");
    assertThat(error(body.formatted("4", "-1"), Texts.ANY_WORLD))
        .contains("device= ConstInt must be non-negative");
  }

  @Test
  void aDispatchWithAWindowNeedsADevice() {
    assertThat(
            error(
                """
                a = pld.alloc_window_buffer(256)
                w = pld.window(a, [1, 64], dtype=pl.FP32)
                self.chip(w)
                """,
                Texts.ANY_WORLD))
        .contains("passes a window and needs device=");
  }

  @Test
  void deadAllocationsAreNamed() {
    assertThat(error("a = pld.alloc_window_buffer(256)", Texts.ANY_WORLD))
        .contains("'a' has no pld.tensor.window materialisation (dead allocation)");
    assertThat(
            error(
                """
                a = pld.alloc_window_buffer(256)
                w = pld.window(a, [1, 64], dtype=pl.FP32)
                """,
                Texts.ANY_WORLD))
        .contains("'a' is not consumed by any chip_orch dispatch");
  }

  @Test
  void aViewLargerThanItsAllocationIsRefusedWithBothSizes() {
    assertThat(
            error(
                """
                a = pld.alloc_window_buffer(pld.world_size())
                w = pld.window(a, [pld.world_size(), 1], dtype=pl.INT32)
                """,
                Texts.world(4)))
        .contains("needs 16 bytes, the allocation has 4");
  }

  @Test
  void windowsMustNotBeMergedByABranch() {
    assertThat(
            error(
                """
                a = pld.alloc_window_buffer(256)
                b = pld.alloc_window_buffer(256)
                if n == 0:
                    w = pld.window(a, [1, 64], dtype=pl.FP32)
                else:
                    w = pld.window(b, [1, 64], dtype=pl.FP32)
                self.chip(w, device=0)
                """,
                Texts.ANY_WORLD))
        .contains("Assigning a different DistributedTensor in each branch of an `if`");
  }
}
