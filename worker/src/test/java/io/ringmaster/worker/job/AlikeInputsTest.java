package io.ringmaster.worker.job;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringmaster.worker.source.SourceFile;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Inputs that hide the share of a wrong rank are told of, and no others. */
class AlikeInputsTest {

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "08_allreduce_mesh.py   | ''      | torch.ones((nr, 1, SIZE))                      | all"
            + " ranks get the same in 'x'",
        "13_allgather.py        | builtin | torch.zeros((nr, 1, SIZE))                     | all"
            + " ranks get the same in 'x'",
        "15_all_to_all.py       | hand    | torch.ones((nr, nr, SIZE))                     | all"
            + " ranks get the same in 'x'",
        "15_all_to_all.py       | builtin | torch.arange(nr).reshape(nr, 1, 1) + torch.zeros((nr,"
            + " nr, SIZE)) | all parts of a rank's share of 'x'",
        "14_reduce_scatter.py   | builtin | torch.arange(nr).reshape(nr, 1, 1) + torch.zeros((nr,"
            + " nr, SIZE)) | all parts of a rank's share of 'x'",
        "15_all_to_all.py       | builtin | torch.arange(nr * nr).reshape(nr, nr, 1) +"
            + " torch.zeros((nr, nr, SIZE)) | ''",
        "08_allreduce_mesh.py   | ''      | torch.arange(nr).reshape(nr, 1, 1) + torch.zeros((nr,"
            + " 1, SIZE)) | ''",
        "15_all_to_all.py       | hand    | torch.arange(nr).reshape(nr, 1, 1) + torch.zeros((nr,"
            + " nr, SIZE)) | all parts of a rank's share of 'x'",
        "08_allreduce_mesh.py   | ''      | torch.arange(SIZE).expand(nr, 1, SIZE).contiguous() *"
            + " 1.0 | all ranks get the same in 'x'",
      })
  void areNoted(String file, String mode, String inputs, String message) {
    String text = Examples.ladder(file).text();
    String other = text.replaceFirst("(?m)^    x = torch\\.stack.*$", "    x = " + inputs);
    assertThat(other).isNotEqualTo(text);
    String[] arguments = mode.isEmpty() ? new String[0] : new String[] {"--mode", mode};
    JobReport report = Examples.run(SourceFile.of(file, other), List.of(0, 1), arguments);
    assertThat(report.verdict()).as(report.sentence()).isEqualTo(Verdict.PASSED);
    List<JobReport.FindingLine> found =
        report.runs().getFirst().findings().stream()
            .filter(one -> one.kind().equals("ALIKE_INPUTS"))
            .toList();

    if (message.isEmpty()) {
      assertThat(found).isEmpty();
    } else {
      int line = (int) other.substring(0, other.indexOf("x = " + inputs)).lines().count();
      assertThat(found)
          .singleElement()
          .satisfies(
              one -> assertThat(one.message()).startsWith(message).endsWith("(line " + line + ")"));
    }
  }

  private static final String LADDER = Examples.ladder("08_allreduce_mesh.py").text();

  /** Takes its own row for those of the others, as if it had forgotten to fetch them. */
  private static final String FORGOT =
      LADDER.replaceFirst(
          "pld\\.tile\\.remote_load\\(data, peer=peer, offsets=\\[0, 0\\], shape=\\[1, SIZE\\]\\)",
          "pl.load(data, [0, 0], [1, SIZE])");

  private static JobReport run(String kernel, String inputs, String type, int ranks) {
    String text =
        kernel
            .substring(0, kernel.indexOf("def parse_arguments"))
            .replace("pl.FP32", "pl." + type)
            .concat(
                """
                TYPES = {"FP32": torch.float32, "FP16": torch.float16, "INT32": torch.int32}
                nr = %1$d
                x = (%2$s).to(TYPES["%3$s"])
                y = torch.zeros((nr, 1, SIZE), dtype=TYPES["%3$s"])
                ir.compile(
                    AllReduceMesh,
                    platform="a2a3sim",
                    distributed_config=DistributedConfig(device_ids=list(range(nr))),
                )(x, y)
                golden = x.sum(dim=0, keepdim=True).to(TYPES["%3$s"]).expand(nr, 1, SIZE)
                assert torch.allclose(y, golden, rtol=1e-3, atol=1e-3)
                """
                    .formatted(ranks, inputs, type));
    return Examples.run(SourceFile.of("reduce.py", text), Examples.firstDevices(ranks));
  }

  private static List<String> notes(JobReport report) {
    return report.runs().getFirst().findings().stream()
        .filter(one -> one.kind().equals("ALIKE_INPUTS"))
        .map(JobReport.FindingLine::message)
        .toList();
  }

  /** What it should exchange is nowhere in its text then. */
  @ParameterizedTest
  @CsvSource({"2, FP32", "3, FP32", "4, FP32", "4, FP16", "4, INT32"})
  void areNotedWhereTheKernelForgotTheExchange(int ranks, String type) {
    JobReport ones = run(FORGOT, "torch.ones((nr, 1, SIZE))", type, ranks);
    assertThat(ones.verdict()).as(ones.sentence()).isEqualTo(Verdict.PASSED);
    assertThat(ones.sentence()).contains("all ranks got the same in 'x'");
    assertThat(notes(ones)).singleElement().asString().startsWith("all ranks get the same in 'x'");

    JobReport own = run(FORGOT, "torch.arange(nr * SIZE).reshape(nr, 1, SIZE) % 7", type, ranks);
    assertThat(own.verdict()).as(own.sentence()).isEqualTo(Verdict.WRONG_RESULT);
  }

  /** A rank that takes the share of its twin goes unnoticed. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "4 | FP32  | r % 2               | true",
        "4 | INT32 | r // 2              | true",
        "5 | FP32  | r % 2               | true",
        "3 | FP16  | r % 2 + 1           | true",
        "8 | FP32  | r % 4               | true",
        "4 | FP32  | r                   | false",
        "4 | FP32  | torch.clamp(r, max=2) | false",
        "3 | FP32  | (r == 1) * 5        | false",
        "4 | FP32  | (r == 2) * 5        | false",
        "2 | INT32 | r                   | false",
      })
  void areNotedWhereMostRanksHaveATwin(int ranks, String type, String row, boolean noted) {
    String inputs =
        "("
            + row.replaceAll("\\br\\b", "torch.arange(nr).reshape(nr, 1, 1)")
            + ") + torch.zeros((nr, 1, SIZE))";
    JobReport report = run(LADDER, inputs, type, ranks);

    assertThat(report.verdict()).as(report.sentence()).isEqualTo(Verdict.PASSED);
    if (noted) {
      assertThat(notes(report))
          .singleElement()
          .asString()
          .startsWith("most ranks get the same as some other rank in 'x'");
      assertThat(report.sentence()).contains("(ranks got the same as others in 'x'");
    } else {
      assertThat(notes(report)).isEmpty();
    }
  }
}
