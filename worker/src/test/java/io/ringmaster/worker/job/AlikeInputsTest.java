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
}
