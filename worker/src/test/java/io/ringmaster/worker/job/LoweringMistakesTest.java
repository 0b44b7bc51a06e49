package io.ringmaster.worker.job;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** A program with many mistakes that only lowering can see: all of them are said at once. */
class LoweringMistakesTest {

  @Test
  void everyMistakeIsSaidInSourceOrder() {
    JobReport report =
        Examples.run(
            Examples.source(
                Path.of("src", "test", "resources", "frontend", "lowering_mistakes.py")),
            Examples.firstDevices(2));

    assertThat(report.verdict()).isEqualTo(Verdict.REJECTED);
    assertThat(report.diagnostics())
        .extracting(d -> d.line() + ":" + d.column() + " " + d.message())
        .satisfiesExactly(
            first -> assertThat(first).startsWith("10:15").contains("32-byte aligned"),
            second -> assertThat(second).startsWith("12:28").contains("must be 2D [NR, 1]"),
            third -> assertThat(third).startsWith("13:45").contains("only in a HOST orchestrator"),
            fourth -> assertThat(fourth).startsWith("14:33").contains("one cell per rank"),
            fifth -> assertThat(fifth).startsWith("30:41").contains("mode must be"),
            sixth -> assertThat(sixth).startsWith("31:45").contains("AIV core count"),
            seventh -> assertThat(seventh).startsWith("33:13").contains("inside a for/while loop"),
            eighth -> assertThat(eighth).startsWith("34:41").contains("valid rank in [0, 2)"));
  }
}
