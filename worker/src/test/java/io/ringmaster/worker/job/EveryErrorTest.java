package io.ringmaster.worker.job;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringmaster.worker.source.SourceFile;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * All that is wrong with a script is said at once, by whatever part of the compiler it is found.
 * Lines that are wrong end in {@code # <- } and a part of what there is to say.
 */
class EveryErrorTest {

  private static final String HEAD =
      """
      import pypto.language as pl
      import pypto.language.distributed as pld
      import torch
      from pypto import ir
      from pypto.ir import DistributedConfig

      """;

  private static final String DRIVER =
      """
      config = DistributedConfig(device_ids=[0, 1])
      compiled = ir.compile(P, platform="a5sim", distributed_config=config)
      """;

  private static final String KERNEL_AND_HOST =
      """
      @pl.program
      class NAME:
          @pl.function(type=pl.FunctionType.InCore)
          def kernel(
              self,
              x: pl.Tensor[[1, 64], pl.FP32],
              y: pl.Out[pl.Tensor[[1, 64], pl.FP32]],
              data: pld.DistributedTensor[[1, 64], pl.FP32],
              sig: pld.DistributedTensor[[2, 1], pl.INT32],
              row: pld.DistributedTensor[[2], pl.INT32],
              half: pld.DistributedTensor[[1, 64], pl.BF16],
          ):
      BODY
          @pl.function(type=pl.FunctionType.Orchestration)
          def chip(
              self,
              x: pl.Tensor[[1, 64], pl.FP32],
              y: pl.Out[pl.Tensor[[1, 64], pl.FP32]],
              data: pld.DistributedTensor[[1, 64], pl.FP32],
              sig: pld.DistributedTensor[[2, 1], pl.INT32],
              row: pld.DistributedTensor[[2], pl.INT32],
              half: pld.DistributedTensor[[1, 64], pl.BF16],
          ):
              self.kernel(x, y, data, sig, row, half)

          @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
          def host(
              self,
              x: pl.Tensor[[2, 1, 64], pl.FP32],
              y: pl.Out[pl.Tensor[[2, 1, 64], pl.FP32]],
          ):
              data_buf = pld.alloc_window_buffer(256)
              sig_buf = pld.alloc_window_buffer(8)
              row_buf = pld.alloc_window_buffer(8)
              half_buf = pld.alloc_window_buffer(128)
              row = pld.window(row_buf, [2], dtype=pl.INT32)
              for r in pl.range(pld.world_size()):
                  data = pld.window(data_buf, [1, 64], dtype=pl.FP32)
                  sig = pld.window(sig_buf, [2, 1], dtype=pl.INT32)
                  half = pld.window(half_buf, [1, 64], dtype=pl.BF16)
                  self.chip(x[r], y[r], data, sig, row, half, device=r)
      HOST
      """;

  private static String program(String name, String body, String host) {
    return KERNEL_AND_HOST
        .replace("NAME", name)
        .replace("BODY\n", body.isEmpty() ? "        pass\n" : body.indent(8))
        .replace("HOST\n", host.indent(8));
  }

  private static String program(String name, String body) {
    return program(name, body, "");
  }

  private static JobReport run(String script) {
    var spec =
        new JobSpec(
            SourceFile.of("script.py", script),
            "a5sim",
            List.of(List.of(0, 1)),
            List.of(),
            JobSpec.Limits.DEFAULT,
            0);
    return new JobRunner().run(spec, RunControl.none());
  }

  /** Runs a script on platform a5sim, and compares what is said with the marks in it. */
  private static void requireMarks(String script) {
    List<String> marks = new ArrayList<>();
    List<String> lines = script.lines().toList();
    for (int i = 0; i < lines.size(); i++) {
      int mark = lines.get(i).indexOf("# <- ");
      if (mark >= 0) {
        marks.add((i + 1) + ": " + lines.get(i).substring(mark + 5));
      }
    }
    JobReport report = run(script);
    assertThat(report.verdict()).as(report.sentence()).isEqualTo(Verdict.REJECTED);
    List<String> said = new ArrayList<>();
    for (JobReport.DiagnosticLine line : report.diagnostics()) {
      String text = line.line() + ": " + line.message();
      said.add(marks.stream().filter(mark -> isOf(mark, text)).findFirst().orElse(text));
    }
    assertThat(said).containsExactlyElementsOf(marks);
  }

  private static boolean isOf(String mark, String said) {
    int colon = mark.indexOf(' ');
    return said.startsWith(mark.substring(0, colon + 1))
        && said.contains(mark.substring(colon + 1));
  }

  @Test
  void theSentenceIsOfTheCauseAndNotOfWhatOftenFollows() {
    String host =
        """
        late_buf = pld.alloc_window_buffer(256)
        late = pld.window(late_buf, [1, 64], dtype=pl.FP32)
        for r in pl.range(pld.world_size()):
            self.chip(x[r], y[r], data, sig, row, half, device=(r + 1) % 2)
        """;
    JobReport report = run(HEAD + program("P", "", host) + DRIVER);

    assertThat(report.diagnostics())
        .extracting(JobReport.DiagnosticLine::message)
        .satisfiesExactly(
            first -> assertThat(first).contains("'late_buf' is not consumed by any chip_orch"),
            second -> assertThat(second).contains("device= expression must be ConstInt"));
    assertThat(report.sentence()).contains("device= expression must be ConstInt");

    String alone = host.lines().limit(2).reduce("", (a, b) -> a + b + "\n");
    assertThat(run(HEAD + program("P", "", alone) + DRIVER).sentence())
        .contains("'late_buf' is not consumed by any chip_orch dispatch");
  }

  @Test
  void rulesOfTheLanguageAndOfThePlatformInOneKernel() {
    requireMarks(
        HEAD
            + program(
                "P",
                """
                t = pl.load(x, [0, 32], [1, 64])  # <- reads past the end
                u = pl.add(t, x)  # <- cannot mix Tensor and Tile
                big = pl.tile.create([512, 512], dtype=pl.FP32)  # <- Vec buffer usage
                pl.tile.create([2, 1], dtype=pl.INT32)
                data = pld.tensor.allreduce(data, row)  # <- signal must be 2D [NR, 1]
                pl.store(pl.cast(u, pl.BF16), [0, 0], half, atomic=pl.AtomicType.Add)  # <- 'a5'
                """)
            + DRIVER);
  }

  @Test
  void whatIsAssignedByARefusedCallKeepsItsType() {
    requireMarks(
        HEAD
            + program(
                "P",
                """
                data = pld.tensor.allreduce(data, None)  # <- signal cannot be None
                t = pl.load(data, [0, 32], [1, 64])  # <- reads past the end
                pl.write(data, [0], 1.0)  # <- indices count (1)
                ctx = pld.get_comm_ctx(x)  # <- expects a DistributedTensor
                me = pld.rank(data)  # <- expects a CommCtx
                if me:  # <- condition must be a Bool-typed
                    y = pl.store(t, [0, 32], y)  # <- writes past the end
                n = pld.nranks(ctx)
                s = pl.adds(t, 1.0)  # <- Unknown operation 'pl.adds'
                s = pl.cast(s, pl.FP32)  # <- same-dtype cast
                v = pl.read(y, [0])  # <- indices count (1)
                pl.write(sig, [0, 0], v)  # <- requires value dtype to match
                """)
            + DRIVER);
  }

  @Test
  void hostRulesBesideAKernelThatIsWrong() {
    requireMarks(
        HEAD
            + program(
                "P",
                "t = pl.load(nope, [0, 0], [1, 64])  # <- Undefined variable 'nope'\n",
                """
                pld.tensor.allreduce(data, mode="tree")  # <- mode must be
                pld.tensor.barrier(sig)  # <- rank-1
                pld.tensor.allreduce(data, core_num=1000)  # <- AIV core count
                """)
            + DRIVER);
  }

  @Test
  void aCollectiveThatIsWrongWhereItStandsBesideAKernelThatIsWrong() {
    for (String other : List.of("", "z = nope  # <- Undefined variable 'nope'\n")) {
      requireMarks(
          HEAD
              + program(
                  "P",
                  "t = pl.load(x, [0, 32], [1, 64])  # <- reads past the end\n",
                  other
                      + """
                      g = pld.window(data_buf, [1, 64], dtype=pl.FP32)
                      for i in pl.range(2):
                          g = pld.tensor.allreduce(g)  # <- not supported inside a for/while loop
                      """)
              + DRIVER);
    }
  }

  @Test
  void hostCollectivesBesideAMistakeInTheSameHost() {
    requireMarks(
        HEAD
            + program(
                "P",
                "",
                """
                z = nope  # <- Undefined variable 'nope'
                pld.tensor.barrier(sig)  # <- rank-1
                pld.tensor.allreduce(data, sig, core_num=1000)  # <- AIV core count
                """)
            + DRIVER);
  }

  @Test
  void programsThatNobodyGotToCompile() {
    String rank1 = "pld.tensor.barrier(row)  # <- signal must be 2D [NR, 1]\n";
    String undefined = "t = pl.load(nope, [0, 0], [1, 64])  # <- Undefined variable 'nope'\n";
    requireMarks(
        HEAD
            + program("First", rank1)
            + program("P", undefined)
            + program("Healthy", "")
            + program("Second", rank1)
            + DRIVER);
    requireMarks(HEAD + program("P", rank1) + DRIVER + program("Second", rank1 + undefined));
  }

  @Test
  void programsBesideASyntaxError() {
    requireMarks(
        HEAD
            + program("P", "pld.tensor.barrier(row)  # <- signal must be 2D [NR, 1]\n")
            + "x = = 3  # <- expected an expression\n"
            + DRIVER);
  }

  @Test
  void whatIsExpectedToBeWrongIsNotSaid() {
    requireMarks(
        HEAD
            + "import pytest\n\n"
            + program("Wanted", "pld.tensor.barrier(row)\n")
            + program("P", "t = nope  # <- Undefined variable 'nope'\n")
            + "def test_refused():\n"
            + "    with pytest.raises(ValueError):\n"
            + "        ir.compile(Wanted)\n");
  }

  @Test
  void aProgramThatIsNotReadIsNamed() {
    String leaning =
        program("Second", "t = nope\n")
            .replace("[[1, 64]", "[[1, M]")
            .replace("class Second:", "class Second:  # <- wasn't read: it needs 'M'");
    requireMarks(
        HEAD
            + program("P", "t = nope  # <- Undefined variable 'nope'\n")
            + "M = int(torch.ones(1).sum())\n"
            + leaning);
    requireMarks(
        HEAD
            + program("P", "t = nope  # <- Undefined variable 'nope'\n")
                .replace("@pl.program", "@pl.program  # <- the class that starts here wasn't read")
                .replace("class P:", "class P(:  # <- '(' was never closed")
                .replace("t = nope  # <- Undefined variable 'nope'", "t = nope"));
    requireMarks(
        HEAD
            + program("P", "t = nope  # <- Undefined variable 'nope'\n")
                .replace("class P:", "class P  # <- expected ':'"));
  }

  @Test
  void aBarrierOfNobodysWindowIsSaidOnce() {
    requireMarks(
        HEAD
            + program(
                "P",
                "",
                """
                own_buf = pld.alloc_window_buffer(8)
                own = pld.window(own_buf, [2], dtype=pl.INT32)
                pld.tensor.barrier(own)  # <- has no inferred comm-domain
                """)
            + DRIVER);
  }
}
