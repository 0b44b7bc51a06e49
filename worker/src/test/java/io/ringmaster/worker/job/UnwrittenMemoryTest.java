package io.ringmaster.worker.job;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringmaster.worker.source.SourceFile;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Memory that nobody wrote holds marks, so that a kernel that counts on zeros there comes out red.
 */
class UnwrittenMemoryTest {

  private static final String PROGRAM =
      """
      import pypto.language as pl
      import torch
      from pypto import ir
      from pypto.ir import DistributedConfig

      N = 16

      @pl.program
      class P:
          @pl.function(type=pl.FunctionType.InCore)
          def kernel(
              self,
              x: pl.Tensor[[4, N], pl.%TYPE%],
              n: pl.Tensor[[1, N], pl.INT32],
              y: pl.Out[pl.Tensor[[4, N], pl.%TYPE%]],
          ) -> pl.Tensor[[4, N], pl.%TYPE%]:
      %BODY%
              return y

          @pl.function(type=pl.FunctionType.Orchestration)
          def chip(
              self,
              x: pl.Tensor[[4, N], pl.%TYPE%],
              n: pl.Tensor[[1, N], pl.INT32],
              y: pl.Out[pl.Tensor[[4, N], pl.%TYPE%]],
          ) -> pl.Tensor[[4, N], pl.%TYPE%]:
      %CHIP%
              return y

          @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
          def host(
              self,
              x: pl.Tensor[[4, N], pl.%TYPE%],
              n: pl.Tensor[[1, N], pl.INT32],
              y: pl.Out[pl.Tensor[[4, N], pl.%TYPE%]],
          ):
              self.chip(x, n, y, device=0)

      compiled = ir.compile(P, platform="a2a3sim",
                            distributed_config=DistributedConfig(device_ids=[0], num_sub_workers=0))
      x = (torch.arange(4 * N) % 7 + 1).to(torch.%TORCH%).reshape(4, N)
      n = torch.arange(N, dtype=torch.int32).reshape(1, N)
      y = torch.zeros((4, N), dtype=torch.%TORCH%)
      compiled(x, n, y)
      assert torch.equal(y, x)
      """;

  private static JobReport run(String type, String torch, String body, String chip) {
    String text =
        PROGRAM
            .replace("%TYPE%", type)
            .replace("%TORCH%", torch)
            .replace("%BODY%\n", body.replace("; ", "\n").stripTrailing().indent(8))
            .replace("%CHIP%\n", chip.replace("; ", "\n").stripTrailing().indent(8));
    return new JobRunner()
        .run(
            new JobSpec(
                SourceFile.of("k.py", text),
                "a2a3sim",
                List.of(List.of(0)),
                List.of(),
                JobSpec.Limits.DEFAULT,
                0),
            RunControl.none());
  }

  private static String words(JobReport report) {
    return report.sentence()
        + report.diagnostics()
        + report.runs().getFirst().findings().stream()
            .map(JobReport.FindingLine::message)
            .collect(Collectors.joining("\n"));
  }

  private static final String PLAIN = "y = self.kernel(x, n, y)";

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "t = pl.tile.create([4, N], dtype=pl.FP32); s = pl.add(t, pl.load(x, [0, 0], [4, N]));"
            + " y = pl.store(s, [0, 0], y) | tile 's' that nobody has written",
        "t = pl.tile.create([4, N], dtype=pl.FP32); z = pl.mul(t, 0.0);"
            + " s = pl.add(z, pl.load(x, [0, 0], [4, N])); y = pl.store(s, [0, 0], y)"
            + " | tile 's' that nobody has written",
        "a = pl.load(x, [0, 0], [4, N]); y = pl.store(a, [0, 0], y);"
            + " t = pl.tile.create([1, N], dtype=pl.FP32); y = pl.store(t, [3, 0], y)"
            + " | tile 't' that nobody has written are stored to 'y'",
      })
  void aTileThatNobodyFilledIsNotZero(String body, String says) {
    JobReport report = run("FP32", "float32", body, PLAIN);

    assertThat(report.verdict()).as(words(report)).isEqualTo(Verdict.WRONG_RESULT);
    assertThat(words(report)).contains(says, "hardware has anything there, here it is NaN");
    assertThat(report.sentence()).contains("that nobody has written");
  }

  @Test
  void aTileOfIntegersHoldsANumberThatIsEasyToRecognise() {
    String body =
        "t = pl.tile.create([4, N], dtype=pl.INT32); s = pl.add(t, pl.load(x, [0, 0], [4, N]));"
            + " y = pl.store(s, [0, 0], y)";
    JobReport report = run("INT32", "int32", body, PLAIN);

    assertThat(report.verdict()).as(words(report)).isEqualTo(Verdict.WRONG_RESULT);
    assertThat(words(report)).contains("here it is -1515870811");
  }

  @Test
  void anElementOfATileIsReadBeforeItIsWritten() {
    String body =
        "t = pl.tile.create([1, N], dtype=pl.INT32); v = pl.read(t, [0, 3]);"
            + " a = pl.load(x, [0, 0], [4, N]); s = pl.add(a, v); y = pl.store(s, [0, 0], y)";
    JobReport report = run("INT32", "int32", body, PLAIN);

    assertThat(report.verdict()).as(words(report)).isEqualTo(Verdict.WRONG_RESULT);
    assertThat(words(report)).contains("an element of tile 't' is read that nobody has written");
  }

  @Test
  void anArrayIsNotZeroed() {
    String body =
        "counts = pl.array.create(4, pl.INT32); v = counts[2];"
            + " a = pl.load(x, [0, 0], [4, N]); s = pl.add(a, v); y = pl.store(s, [0, 0], y)";
    JobReport report = run("INT32", "int32", body, PLAIN);

    assertThat(report.verdict()).as(words(report)).isEqualTo(Verdict.WRONG_RESULT);
    assertThat(words(report))
        .contains("element 2 of array 'counts' is read that nobody has written");
  }

  @Test
  void aTensorThatChipCodeMadeIsNotZeroed() {
    JobReport report =
        run(
            "FP32",
            "float32",
            "a = pl.load(x, [0, 0], [4, N]); y = pl.store(a, [0, 0], y)",
            "scratch = pl.create_tensor([4, N], dtype=pl.FP32);"
                + " y = self.kernel(scratch, n, y)");

    assertThat(report.verdict()).as(words(report)).isEqualTo(Verdict.WRONG_RESULT);
    assertThat(words(report)).contains("of tensor 'x' are read that nobody has written");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "t = pl.tile.full([4, N], dtype=pl.FP32, value=0.0);"
            + " s = pl.add(t, pl.load(x, [0, 0], [4, N])); y = pl.store(s, [0, 0], y)",
        "t = pl.tile.create([4, N], dtype=pl.FP32);"
            + " t = pl.assemble(t, pl.load(x, [0, 0], [4, N]), [0, 0]); y = pl.store(t, [0, 0], y)",
        "a = pl.load(x, [0, 0], [4, N], valid_shape=[2, N]);"
            + " b = pl.load(x, [2, 0], [2, N]); y = pl.store(a, [0, 0], y);"
            + " y = pl.store(b, [2, 0], y)",
      })
  void whatIsFilledFirstIsClean(String body) {
    JobReport report = run("FP32", "float32", body, PLAIN);

    assertThat(report.verdict()).as(words(report)).isEqualTo(Verdict.PASSED);
    assertThat(report.runs().getFirst().findings()).isEmpty();
  }

  @Test
  void anArrayAndATensorThatAreFilledFirstAreClean() {
    String body =
        "counts = pl.array.create(4, pl.INT32); counts[2] = pl.const(0, pl.INT32);"
            + " v = counts[2]; a = pl.load(x, [0, 0], [4, N]); s = pl.add(a, v);"
            + " y = pl.store(s, [0, 0], y)";
    JobReport report =
        run(
            "INT32",
            "int32",
            body,
            "scratch = pl.create_tensor([4, N], dtype=pl.INT32);"
                + " scratch = self.kernel(x, n, scratch); y = self.kernel(scratch, n, y)");

    assertThat(report.verdict()).as(words(report)).isEqualTo(Verdict.PASSED);
    assertThat(report.runs().getFirst().findings()).isEmpty();
  }
}
