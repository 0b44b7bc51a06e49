package io.ringmaster.worker.job;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringmaster.worker.source.SourceFile;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Ranks that write to one host tensor: what one overwrites of another's is said. */
class SharedOutputsTest {

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
          def copy(
              self, x: pl.Tensor[[1, N], pl.FP32], y: pl.Out[pl.Tensor[[1, N], pl.FP32]]
          ) -> pl.Tensor[[1, N], pl.FP32]:
              y = pl.store(pl.load(x, [0, 0], [1, N]), [0, 0], y)
              return y

          @pl.function(type=pl.FunctionType.Orchestration)
          def one(
              self, x: pl.Tensor[[1, N], pl.FP32], y: pl.Out[pl.Tensor[[1, N], pl.FP32]]
          ) -> pl.Tensor[[1, N], pl.FP32]:
              y = self.copy(x, y)
              return y

          @pl.function(type=pl.FunctionType.InCore)
          def copy_two(
              self, x: pl.Tensor[[2, N], pl.FP32], y: pl.Out[pl.Tensor[[2, N], pl.FP32]]
          ) -> pl.Tensor[[2, N], pl.FP32]:
              y = pl.store(pl.load(x, [0, 0], [2, N]), [0, 0], y)
              return y

          @pl.function(type=pl.FunctionType.Orchestration)
          def two(
              self, x: pl.Tensor[[2, N], pl.FP32], y: pl.Out[pl.Tensor[[2, N], pl.FP32]]
          ) -> pl.Tensor[[2, N], pl.FP32]:
              y = self.copy_two(x, y)
              return y

          @pl.function(type=pl.FunctionType.InCore)
          def put(
              self,
              x: pl.Tensor[[1, N], pl.FP32],
              y: pl.Out[pl.Tensor[[4, N], pl.FP32]],
              row: pl.Scalar[pl.INT32],
          ) -> pl.Tensor[[4, N], pl.FP32]:
              y = pl.store(pl.load(x, [0, 0], [1, N]), [row, 0], y)
              return y

          @pl.function(type=pl.FunctionType.Orchestration)
          def at(
              self,
              x: pl.Tensor[[1, N], pl.FP32],
              y: pl.Out[pl.Tensor[[4, N], pl.FP32]],
              row: pl.Scalar[pl.INT32],
          ) -> pl.Tensor[[4, N], pl.FP32]:
              y = self.put(x, y, row)
              return y

          @pl.function(type=pl.FunctionType.InCore)
          def sum(
              self, x: pl.Tensor[[1, N], pl.FP32], y: pl.InOut[pl.Tensor[[1, N], pl.FP32]]
          ) -> pl.Tensor[[1, N], pl.FP32]:
              t = pl.add(pl.load(x, [0, 0], [1, N]), pl.load(y, [0, 0], [1, N]))
              y = pl.store(t, [0, 0], y)
              return y

          @pl.function(type=pl.FunctionType.Orchestration)
          def more(
              self, x: pl.Tensor[[1, N], pl.FP32], y: pl.InOut[pl.Tensor[[1, N], pl.FP32]]
          ) -> pl.Tensor[[1, N], pl.FP32]:
              y = self.sum(x, y)
              return y

          @pl.function(level=pl.Level.HOST, role=pl.Role.SubWorker)
          def clear(y: pl.Out[pl.Tensor[[4, N], pl.FP32]]):
              y.zero_()

          @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
          def host(
              self,
              x: pl.Tensor[[4, N], pl.FP32],
              y: pl.Out[pl.Tensor[[4, N], pl.FP32]],
              z: pl.Out[pl.Tensor[[4, N], pl.FP32]],
          ):
      %HOST%

      compiled = ir.compile(P, platform="a2a3sim",
                            distributed_config=DistributedConfig(device_ids=[0, 1], num_sub_workers=1))
      x = torch.arange(4 * N, dtype=torch.float32).reshape(4, N) + 1
      y = torch.zeros(4, N)
      z = torch.zeros(4, N)
      compiled(x, y, z)
      print(y.tolist() == x.tolist())
      """;

  private static List<JobReport.FindingLine> run(String host) {
    String text =
        PROGRAM.replace(
            "%HOST%\n", host.replace("; ", "\n").replace("\\n", "\n").stripTrailing().indent(8));
    JobReport report =
        new JobRunner()
            .run(
                new JobSpec(
                    SourceFile.of("k.py", text),
                    "a2a3sim",
                    List.of(List.of(0, 1)),
                    List.of(),
                    JobSpec.Limits.DEFAULT,
                    0),
                RunControl.none());
    assertThat(report.verdict())
        .as(() -> report.sentence() + report.diagnostics())
        .isIn(Verdict.PASSED, Verdict.NOT_VERIFIED, Verdict.WRONG_RESULT);
    return report.runs().getFirst().findings().stream()
        .filter(f -> f.kind().equals("OUTPUT_OVERWRITTEN"))
        .toList();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "for r in pl.range(2):\\n    self.one(x[r:r+1], y[0:1], device=r)"
            + " | rank 1 (one) writes row 0 of `y` over what rank 0 (one) had written there",
        "for r in pl.range(2):\\n    self.two(x[r:r+2], y[r:r+2], device=r)"
            + " | rank 1 (two) writes row 1 of `y` over what rank 0 (two) had written there",
        "self.two(x[0:2], y[0:2], device=1); self.one(x[2:3], y[1:2], device=0)"
            + " | rank 0 (one) writes row 1 of `y` over what rank 1 (two) had written there",
        "for r in pl.range(2):\\n    y = self.at(x[r:r+1], y, 3, device=r)"
            + " | rank 1 (at) writes row 3 of `y` over what rank 0 (at) had written there",
        "self.one(x[0:1], y[0:1], device=0); self.more(x[1:2], y[0:1], device=0);"
            + " self.one(x[2:3], y[0:1], device=1)"
            + " | rank 1 (one) writes row 0 of `y` over what rank 0 (more) had written there",
      })
  void whatOneRankWritesOverAnothersIsAWarning(String host, String says) {
    assertThat(run(host))
        .singleElement()
        .satisfies(
            found -> {
              assertThat(found.severity()).isEqualTo("WARNING");
              assertThat(found.message()).startsWith(says).contains("nobody has read");
              assertThat(found.places()).hasSize(2).allMatch(place -> place.line() > 70);
            });
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "for r in pl.range(2):\\n    self.two(x[2*r:2*r+2], y[2*r:2*r+2], device=r)",
        "for r in pl.range(2):\\n    y = self.at(x[r:r+1], y, r, device=r)",
        "for r in pl.range(2):\\n    self.more(x[r:r+1], y[0:1], device=r)",
        "self.one(x[0:1], y[0:1], device=0); self.one(y[0:1], z[0:1], device=1);"
            + " self.one(x[1:2], y[0:1], device=1); self.one(x[2:3], z[1:2], device=0)",
        "self.one(x[0:1], y[0:1], device=0); self.one(x[1:2], y[0:1], device=0);"
            + " self.one(x[1:2], y[1:2], device=1)",
        "self.two(x[0:2], y[0:2], device=1); self.clear(y)",
      })
  void ranksThatKeepApartOrReadFirstGetNone(String host) {
    assertThat(run(host)).isEmpty();
  }
}
