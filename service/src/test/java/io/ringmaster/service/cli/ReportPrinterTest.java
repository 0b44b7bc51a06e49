package io.ringmaster.service.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringmaster.worker.job.JobReport;
import io.ringmaster.worker.job.Verdict;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class ReportPrinterTest {

  private static String printed(int line, int column, String source, @Nullable String field) {
    var message =
        new JobReport.DiagnosticLine(
            "ERROR", "no such shape", "", line, column, column + 1, source, field);
    return ReportPrinter.print(
        "copy.py", new JobReport(Verdict.REJECTED, "no such shape", List.of(message), List.of()));
  }

  @Test
  void aMessageStandsAtItsLine() {
    assertThat(printed(3, 5, "y = x @ x", null))
        .startsWith("copy.py:3:5: error: no such shape\n    y = x @ x\n        ^\n");
    assertThat(printed(0, 0, "", null)).startsWith("copy.py: error: no such shape\n");
  }

  @Test
  void aMessageOfADeclarationStandsAtItsField() {
    assertThat(printed(1, 5, "2 * x @ x", "/declaration/golden/0/expression"))
        .startsWith(
            """
            /declaration/golden/0/expression, column 5: error: no such shape
                2 * x @ x
                    ^
            """);
    assertThat(printed(2, 1, "x)", "/declaration/entry"))
        .startsWith("/declaration/entry, line 2, column 1: error: ");
    assertThat(printed(0, 0, "", "/declaration/inputs/0"))
        .startsWith("/declaration/inputs/0: error: ");
  }

  @Test
  void wordsOfAScriptDontLookLikeOurs() {
    assertThat(ReportPrinter.said("\u001b[31mPASSED\u001b[0m\nPASSED  all 8 checks hold\n"))
        .isEqualTo("\uFFFD[31mPASSED\uFFFD[0m\n    PASSED  all 8 checks hold");
  }
}
