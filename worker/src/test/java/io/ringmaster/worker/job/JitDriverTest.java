package io.ringmaster.worker.job;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringmaster.worker.source.SourceFile;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** What a driver does with a free function, right and wrong: the report names the line. */
class JitDriverTest {

  private static final String PROGRAM =
      """
      import pypto.language as pl
      import pypto.language.distributed as pld
      import torch
      from pypto import ir
      from pypto.ir import DistributedConfig
      from pypto.runtime import RunConfig

      NR = pl.dynamic("NR")

      @pl.jit.incore
      def kernel(x: pl.Tensor, y: pl.Out[pl.Tensor], n: pl.Scalar[pl.INT32]):
          tile = pl.load(x, [0, 0], [1, x.shape[1]])
          return pl.store(pl.mul(tile, 2.0), [0, 0], y)

      @pl.jit
      def chip(x: pl.Tensor, y: pl.Out[pl.Tensor], n: pl.Scalar[pl.INT32]):
          y = kernel(x, y, n)
          return y

      @pl.jit.host
      def host(x: pl.Tensor, y: pl.Out[pl.Tensor], n: pl.Scalar[pl.INT32]):
          for r in pl.range(pld.world_size()):
              chip(x[r], y[r], n, device=r)

      @pl.jit.host
      def dynamic(
          x: pl.Tensor[[NR, 1, 32], pl.FP32],
          y: pl.Out[pl.Tensor[[NR, 1, 32], pl.FP32]],
      ):
          for r in pl.range(pld.world_size()):
              chip(x[r], y[r], 1, device=r)

      config = RunConfig(platform="a2a3sim", distributed_config=DistributedConfig(device_ids=[0, 1]))
      x = torch.randn((2, 1, 32))
      y = torch.zeros((2, 1, 32))
      """;

  private static final int FIRST_LINE = (int) PROGRAM.lines().count() + 1;

  @Test
  void aFunctionIsReadForEverySetOfShapes() {
    JobReport report =
        run(
            """
            for cols in [32, 64, 32]:
                a = torch.randn((2, 1, cols))
                b = torch.zeros((2, 1, cols))
                host(a, b, 1, config=config)
                assert torch.equal(b, a * 2)
            """);

    assertThat(report.verdict()).as(Examples.words(report)).isEqualTo(Verdict.PASSED);
  }

  @Test
  void aFunctionIsReadWhenItIsCompiled() {
    JobReport report =
        run(
            """
            @pl.jit.host
            def broken(x: pl.Tensor):
                nonsense(x)

            host(x, y, 1, config=config)
            assert torch.equal(y, x * 2)
            """);

    assertThat(report.verdict()).as(Examples.words(report)).isEqualTo(Verdict.PASSED);
  }

  @Test
  void aWrongDecoratorIsRefusedWhereItStands() {
    JobReport report =
        run(
            """
            @pl.jit.host(level=pl.Level.HOST)
            def never_compiled(x: pl.Tensor):
                pass
            """);

    assertThat(report.verdict()).isEqualTo(Verdict.REJECTED);
    assertThat(places(report)).containsExactly(FIRST_LINE + ":14");
  }

  @Test
  void everyErrorOfAProgramIsSaidAtOnceInTheUsersText() {
    JobReport report =
        run(
            """
            @pl.jit.incore
            def bad_kernel(x: pl.Tensor, y: pl.Out[pl.Tensor]):
                tile = pl.lod(x, [0, 0], [1, 32])
                y += tile
                return y

            @pl.jit
            def bad_chip(x: pl.Tensor, y: pl.Out[pl.Tensor]):
                y = bad_kernel(x, y)
                z = nobody(y)
                return y

            @pl.jit.host
            def bad_host(x: pl.Tensor, y: pl.Out[pl.Tensor]):
                for r in range(2):
                    bad_chip(x[r], y[r], device=r)

            bad_host.compile(x, y, config=config)
            """);

    assertThat(report.verdict()).isEqualTo(Verdict.REJECTED);
    assertThat(places(report))
        .containsExactly(
            (FIRST_LINE + 2) + ":12",
            (FIRST_LINE + 3) + ":5",
            (FIRST_LINE + 9) + ":9",
            (FIRST_LINE + 14) + ":14");
  }

  static Stream<Arguments> wrongCalls() {
    return Stream.of(
        raises("host.compile(x, y, config=config)", "scalar parameter 'n' has no value"),
        raises("host(x, y, pl.RUNTIME, config=config)", "pl.RUNTIME can't be passed"),
        raises(
            "host(x, y, 1, 2, config=config)",
            "host() expects 3 (in-place) or 2 (return) arguments, got 4"),
        raises("host(x, y, 1, y=y)", "host() got multiple values for argument 'y'"),
        raises("host(x, y, x)", "host() argument 'n' must be a number, not Tensor"),
        raises("host(1, y, 2)", "host() argument 'x' must be a torch.Tensor, not int"),
        raises("host(x, y, 'a')", "host() argument 'n' must be a number, not str"),
        raises("host(x, y, 1, config=3)", "argument 'config' must be a RunConfig, not int"),
        raises("ir.compile(host)", "a JIT function is compiled by host.compile(...)"),
        raises(
            "dynamic.compile(x, y, config=config)(x)",
            "output parameter 'y' contains dynamic dimensions"),
        raises("host.compile(x, y, 1)(x, y, 1, 2)", "expects 3 (in-place) or 2 (return)"),
        refused("host(x, y, m=1)", "host() got an unexpected keyword argument 'm'"),
        refused("kernel(x, y, 1)", "'kernel' is @pl.jit.incore"),
        refused("host.compile(n=1)", "cannot infer parameter 'x'"),
        refused(
            "dynamic.compile(x, torch.zeros((4, 1, 32)), config=config)",
            "dynamic dimension NR is 2 in argument 'x' and 4 in argument 'y'"),
        refused(
            "host.compile(x, y, 1, config=config)(torch.zeros((2, 1, 64)), y, 1)",
            "argument 'x' has shape [2, 1, 64], the parameter wants 32 in dimension 2"),
        refused(
            "dynamic.compile(x, y, config=config)(torch.zeros((2, 1, 64)), y)",
            "argument 'x' has shape [2, 1, 64], the parameter wants 32 in dimension 2"),
        refused(
            "dynamic.compile(x, y, config=config)(x.to(torch.float16), y)",
            "argument 'x' has dtype FP16, the parameter is FP32"));
  }

  private static Arguments raises(String call, String message) {
    return Arguments.of(call, Verdict.ERROR, message);
  }

  private static Arguments refused(String call, String message) {
    return Arguments.of(call, Verdict.REJECTED, message);
  }

  @ParameterizedTest
  @MethodSource("wrongCalls")
  void aWrongCallIsNamed(String call, Verdict verdict, String message) {
    JobReport report = run(call);

    assertThat(Examples.words(report)).contains(message);
    assertThat(report.verdict()).isEqualTo(verdict);
    if (verdict == Verdict.REJECTED) {
      assertThat(report.diagnostics()).isNotEmpty().allMatch(d -> d.line() > 0 && d.column() > 0);
    } else {
      assertThat(report.runs().getFirst().log()).contains("line " + FIRST_LINE);
    }
  }

  @Test
  void anAnnotationThatTheCallContradictsIsAWarning() {
    JobReport report =
        run(
            """
            @pl.jit.incore
            def fixed(x: pl.Tensor[[1, 64], pl.FP32], y: pl.Out[pl.Tensor]):
                return pl.store(pl.load(x, [0, 0], [1, 32]), [0, 0], y)

            @pl.jit
            def outer(x: pl.Tensor, y: pl.Out[pl.Tensor]):
                y = fixed(x, y)
                return y

            outer(x[0], y[0])
            assert torch.equal(y[0], x[0])
            """);

    assertThat(report.verdict()).as(Examples.words(report)).isEqualTo(Verdict.PASSED);
    assertThat(report.diagnostics())
        .singleElement()
        .satisfies(
            d -> {
              assertThat(d.message())
                  .isEqualTo(
                      "parameter 'x' of 'fixed' is annotated Tensor [1, 64] FP32 and gets Tensor"
                          + " [1, 32] FP32: the call decides");
              assertThat(d.line()).isEqualTo(FIRST_LINE + 6);
              assertThat(d.column()).isEqualTo(15);
            });
  }

  @Test
  void callsOfAnyDepthAreReadOrRefused() {
    var text = new StringBuilder("@pl.jit.inline\ndef f0(x, y):\n    return kernel(x, y, 1)\n");
    for (int i = 1; i <= 60; i++) {
      text.append("@pl.jit.inline\ndef f%d(x, y):\n    return f%d(x, y)\n".formatted(i, i - 1));
    }
    text.append("@pl.jit\ndef top(x: pl.Tensor, y: pl.Out[pl.Tensor]):\n    return f%d(x, y)\n");
    String call = "top(x[0], y[0])\nassert torch.equal(y[0], x[0] * 2)\n";

    assertThat(run(text.toString().formatted(30) + call).verdict()).isEqualTo(Verdict.PASSED);
    assertThat(run(text.toString().formatted(60) + call).sentence())
        .isEqualTo("calls are nested more than 40 functions deep at 'f21'");
  }

  @Test
  void aTestFileCatchesWhatAFreeFunctionBreaks() {
    JobReport report =
        run(
            """
            import pytest

            @pl.jit.host
            def shaped_by_ranks(x: pl.Tensor, y: pl.Out[pl.Tensor]):
                buffer = pld.alloc_window_buffer(pld.world_size() * 4)
                for r in pl.range(pld.world_size()):
                    signal = pld.window(buffer, [pld.world_size(), 1], dtype=pl.FP32)
                    chip(signal, y[r], 1, device=r)

            @pytest.mark.parametrize("cols", [32, 64])
            def test_doubles(cols):
                a = torch.randn((2, 1, cols))
                b = torch.zeros((2, 1, cols))
                host(a, b, 1, config=config)
                assert torch.equal(b, a * 2)

            def test_shape_is_missing():
                with pytest.raises(ValueError, match="missing inferred tensor metadata for parameter 'x'"):
                    shaped_by_ranks(x, y, config=config)

            def test_number_is_missing():
                with pytest.raises(TypeError, match="has no value"):
                    host.compile(x, y, config=config)

            if __name__ == "__main__":
                pytest.main([__file__, "-v"])
            """);

    assertThat(report.verdict()).as(Examples.words(report)).isEqualTo(Verdict.PASSED);
  }

  private static List<String> places(JobReport report) {
    return report.diagnostics().stream().map(d -> d.line() + ":" + d.column()).toList();
  }

  private static JobReport run(String text) {
    return Examples.run(SourceFile.of("script.py", PROGRAM + text), List.of(0, 1));
  }
}
