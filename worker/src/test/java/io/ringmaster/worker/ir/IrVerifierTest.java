package io.ringmaster.worker.ir;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class IrVerifierTest {

  private static Program program(String kernelStatement, String hostStatement) {
    return IrParser.parse(
        """
        @pl.program
        class P:
            @pl.function(type=pl.FunctionType.InCore)
            def kernel(self, x: pl.Tensor[[1, 64], pl.FP32], w: pl.InOut[pld.DistributedTensor[[4, 1], pl.INT32]], i: pl.Scalar[pl.INT32]):
                %s

            @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
            def host(self, x: pl.Tensor[[1, 64], pl.FP32]):
                %s
        """
            .formatted(kernelStatement.indent(8).strip(), hostStatement.indent(8).strip()));
  }

  private static String problems(Program program) {
    return IrVerifier.verify(program).toString();
  }

  @Test
  void aWellFormedProgramHasNoProblems() {
    assertThat(
            IrVerifier.verify(
                program(
                    """
                    t = pl.load(x, [0, 0], [1, 64])
                    for r in pl.range(i):
                        x = pl.store(t, [0, 0], x)
                    pld.system.notify(w, peer=i, offsets=[0, 0], value=1, op=pld.NotifyOp.Set)
                    """,
                    "buf = pld.alloc_window_buffer(16)")))
        .isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "t = pl.as_type(gone, pl.Scalar[pl.INT32]) ; 'gone' is read before anything assigns it",
        "pld.system.notify(x, peer=i, offsets=[0, 0], value=1) ; pld.system.notify's target must be a"
            + " window, is pl.Tensor[[1, 64], pl.FP32]",
        "pld.system.wait(w, offsets=[1.0], expected=1) ; offsets must be a tuple of integer scalars",
        "n = pld.world_size() ; pld.world_size isn't allowed in a function of level INCORE",
        "t: pl.Scalar[pl.INT32] = pl.as_type(x, pl.Tensor[[1, 64], pl.FP32]) ; 't' of type"
            + " pl.Scalar[pl.INT32] is given a value of type",
        "x: pl.Tensor[[1, 8], pl.FP32] = pl.store(pl.load(x, [0, 0], [1, 8]), [0, 0], x) ; pl.store"
            + " must yield",
        "if i:\n    pass ; a condition must be BOOL, is pl.Scalar[pl.INT32]",
        "with pld.lowered(\"barrier\", rail=\"incore\", algorithm=\"credit\", signal=w):\n"
            + "    pld.tensor.barrier(w) ; a collective is left inside a region",
        "a, b = pl.as_targets(i, tuple[pl.Scalar[pl.INT32], pl.Scalar[pl.INT32]]) ; 2 targets don't"
            + " match the value",
      })
  void whatIsWrongInAKernelIsNamed(String row) {
    String[] parts = row.split(" ; ", 2);
    assertThat(problems(program(parts[0], "pass"))).contains(parts[1]).contains("kernel");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "t = pl.load(x, [0, 0], [1, 64]) ; pl.load isn't allowed in a function of level HOST",
        "self.kernel(x) ; kernel takes 3 arguments, got 1",
        "pl.as_type(self.nobody(x), None) ; the program has no function 'nobody'",
        "with pld.lowered(\"barrier\", rail=\"host\", algorithm=\"credit\"):\n    pass ; a lowered"
            + " collective must stand in an InCore function",
      })
  void whatIsWrongInAHostFunctionIsNamed(String row) {
    String[] parts = row.split(" ; ", 2);
    assertThat(problems(program("pass", parts[0]))).contains(parts[1]);
  }

  @Test
  void aBreakNeedsALoop() {
    Program program = program("pass", "pass");
    Function kernel = program.functions().getFirst();
    Stmt stop = new Stmt.Break(io.ringmaster.worker.source.Span.NONE);
    Function wrong =
        new Function(
            kernel.name(),
            kernel.level(),
            kernel.params(),
            kernel.returns(),
            java.util.List.of(stop),
            kernel.span());
    assertThat(problems(new Program("P", java.util.List.of(wrong), java.util.List.of())))
        .contains("break outside a loop");
  }

  @Test
  void aDomainNamesOnlyBuffersThatExist() {
    Program program = program("pass", "buf = pld.alloc_window_buffer(16)");
    Program wrong =
        new Program(
            program.name(),
            program.functions(),
            java.util.List.of(
                new Program.Domain(
                    "comm_d0", java.util.List.of(), java.util.List.of("buf", "other"))));
    assertThat(problems(wrong)).contains("no statement allocates 'other'");
  }
}
