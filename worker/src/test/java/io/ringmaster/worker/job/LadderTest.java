package io.ringmaster.worker.job;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Steps 13 and 16 of the ladder say what their pages say, on every rank count. */
class LadderTest {

  private static final long ROW = 64 * 4;

  @ParameterizedTest
  @ValueSource(ints = {2, 3, 4, 5, 8, 16})
  void allgatherByHandPullsEachPeersRowOnce(int ranks) {
    JobReport.Run run = passed("13_allgather.py", ranks, "--mode", "hand");

    assertThat(run.log()).isEqualTo("OK\n");
    assertThat(run.checks()).hasSize(ranks).allMatch(check -> check.elements() == ranks * 64L);
    assertThat(run.evidence().operations().remoteLoad()).isEqualTo((long) ranks * ranks);
    assertThat(run.evidence().operations().put()).isZero();
    assertThat(run.collectives())
        .singleElement()
        .satisfies(
            c -> {
              assertThat(c.algorithm()).isEqualTo("hand");
              assertThat(c.wireBytes()).isEqualTo(each(ranks, (ranks - 1) * ROW));
              assertThat(c.payloadBytes()).isEqualTo(each(ranks, ranks * ROW));
            });
    assertThat(run.barriers())
        .singleElement()
        .satisfies(
            b -> {
              assertThat(b.ranks()).isEqualTo(ranks);
              assertThat(b.waitVirtualNanos()).hasSize(ranks);
            });
  }

  @ParameterizedTest
  @ValueSource(ints = {2, 3, 4, 5, 8, 16})
  void allgatherBuiltInPushesToEachRankItselfIncluded(int ranks) {
    JobReport.Run run = passed("13_allgather.py", ranks, "--mode", "builtin");

    assertThat(run.evidence().operations().put()).isEqualTo((long) ranks * ranks);
    assertThat(run.evidence().operations().remoteLoad()).isZero();
    assertThat(run.collectives())
        .singleElement()
        .satisfies(
            c -> {
              assertThat(c.op()).isEqualTo("allgather");
              assertThat(c.algorithm()).isEqualTo("push");
              assertThat(c.wireBytes()).isEqualTo(each(ranks, (ranks - 1) * ROW));
              assertThat(c.wireBytes()).isEqualTo(c.formulaBytes());
            });
  }

  @ParameterizedTest
  @ValueSource(ints = {2, 3, 4, 5, 8, 16})
  void compositionMovesWhatItsThreeCollectivesCost(int ranks) {
    for (String signals : List.of("apart", "shared")) {
      JobReport.Run run = passed("16_putting_it_together.py", ranks, "--signals", signals);

      assertThat(run.checks()).hasSize(2 * ranks);
      assertThat(run.collectives())
          .extracting(JobReport.Collective::op)
          .containsExactly("broadcast", "allreduce", "allgather");
      assertThat(run.collectives())
          .allSatisfy(c -> assertThat(c.wireBytes()).isEqualTo(c.formulaBytes()));
      assertThat(run.collectives().get(1).wireBytes()).isEqualTo(each(ranks, (ranks - 1) * ROW));
      assertThat(run.barriers()).hasSize(4).allMatch(b -> b.ranks() == ranks);
    }
  }

  @Test
  void anyDistinctDeviceIdsWillDo() {
    JobReport report = Examples.run(Examples.ladder("16_putting_it_together.py"), List.of(4, 9, 2));

    assertThat(report.verdict()).isEqualTo(Verdict.PASSED);
    assertThat(report.runs().getFirst().devices()).containsExactly(4, 9, 2);
  }

  @Test
  void oneJobRunsOnSeveralDeviceLists() {
    JobReport report =
        Examples.runOnEach(
            Examples.ladder("13_allgather.py"), List.of(List.of(0, 1), List.of(0, 1, 2, 3)));

    assertThat(report.verdict()).isEqualTo(Verdict.PASSED);
    assertThat(report.runs()).extracting(r -> r.devices().size()).containsExactly(2, 4);
  }

  @Test
  void theSameSubmissionGivesTheSameReportApartFromWallTimes() {
    JobReport first =
        Examples.run(Examples.ladder("16_putting_it_together.py"), Examples.firstDevices(4));
    JobReport second =
        Examples.run(Examples.ladder("16_putting_it_together.py"), Examples.firstDevices(4));

    assertThat(withoutWallTimes(ReportJson.write(first)))
        .isEqualTo(withoutWallTimes(ReportJson.write(second)))
        .contains("waitVirtualNanos");
  }

  private static JobReport.Run passed(String file, int ranks, String... arguments) {
    JobReport report = Examples.run(Examples.ladder(file), Examples.firstDevices(ranks), arguments);
    assertThat(report.verdict()).as(Examples.words(report)).isEqualTo(Verdict.PASSED);
    assertThat(report.runs()).hasSize(1);
    assertThat(report.runs().getFirst().findings())
        .noneMatch(finding -> finding.severity().equals("ERROR"));
    return report.runs().getFirst();
  }

  private static List<Long> each(int ranks, long value) {
    return LongStream.generate(() -> value).limit(ranks).boxed().toList();
  }

  static String withoutWallTimes(String json) {
    return json.replaceAll(
        "(?s)\"(waitWallNanos|wallNanos|compileNanos|runWallNanos|verifyNanos)\" : (\\[.*?]|\\d+)",
        "");
  }
}
