package io.ringmaster.worker.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.List;
import org.junit.jupiter.api.Test;

class ReportJsonTest {

  @Test
  void whatDoesNotApplyIsAbsentAndReadsBackAsSuch() {
    JobReport report = Examples.run(Examples.ladder("13_allgather.py"), List.of(0, 1));

    String json = ReportJson.write(report);

    assertThat(json).contains("\"notify\" : 2").doesNotContain("null");
    assertThat(ReportJson.read(json)).isEqualTo(report);
  }

  @Test
  void somethingElseIsRefused() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> ReportJson.read("[1, 2]"))
        .withMessageStartingWith("not a job report");
  }
}
