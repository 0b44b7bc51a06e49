package io.ringmaster.worker.job;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringmaster.worker.fabric.Finding;
import io.ringmaster.worker.job.VerdictRules.Ending;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class VerdictRulesTest {

  @Test
  void passesOnlyWhenAKernelRanAndItsOutputWasCompared() {
    assertThat(decide(List.of(), List.of(check(true)), 1, 4, Ending.COMPLETED))
        .isEqualTo(Verdict.PASSED);
    assertThat(decide(List.of(), List.of(), 0, 4, Ending.COMPLETED))
        .isEqualTo(Verdict.NOT_VERIFIED);
    assertThat(decide(List.of(), List.of(check(true)), 0, 4, Ending.COMPLETED))
        .isEqualTo(Verdict.NOT_VERIFIED);
    assertThat(decide(List.of(), List.of(check(true)), 1, 0, Ending.COMPLETED))
        .isEqualTo(Verdict.NOT_VERIFIED);
  }

  @Test
  void rightValuesDontExcuseARace() {
    assertThat(
            decide(
                List.of(finding(Finding.Kind.RACE)), List.of(check(true)), 1, 4, Ending.COMPLETED))
        .isEqualTo(Verdict.RACE);
  }

  @ParameterizedTest
  @CsvSource({
    "OUT_OF_BOUNDS, DEADLOCK, OUT_OF_BOUNDS",
    "DEADLOCK, MISMATCH, MISMATCH",
    "RACE, DEADLOCK, DEADLOCK",
    "STALE_CREDIT, NEVER_WRITTEN, RACE",
    "LIMIT, RACE, RACE"
  })
  void theCauseComesBeforeTheConsequence(
      Finding.Kind first, Finding.Kind second, Verdict expected) {
    List<Finding> findings = List.of(finding(first), finding(second));

    assertThat(decide(findings, List.of(check(false)), 1, 4, Ending.CHECK_FAILED))
        .isEqualTo(expected);
  }

  @ParameterizedTest
  @EnumSource(
      value = Finding.Kind.class,
      names = {"UNINITIALISED_READ", "RESIDUE", "LAYOUT_CONFLICT", "IDLE_RANK"})
  void notesAndWarningsNeverChangeAVerdict(Finding.Kind kind) {
    assertThat(decide(List.of(finding(kind)), List.of(check(true)), 1, 4, Ending.COMPLETED))
        .isEqualTo(Verdict.PASSED);
  }

  @Test
  void aCancelledRunStaysCancelledWhateverWasFound() {
    assertThat(
            decide(
                List.of(finding(Finding.Kind.RACE)), List.of(check(false)), 1, 4, Ending.CANCELLED))
        .isEqualTo(Verdict.CANCELLED);
  }

  @Test
  void aLimitStandsOnlyWhenNoErrorCameBefore() {
    assertThat(decide(List.of(), List.of(), 0, 4, Ending.TIMED_OUT)).isEqualTo(Verdict.TIMED_OUT);
    assertThat(decide(List.of(finding(Finding.Kind.RACE)), List.of(), 0, 4, Ending.TIMED_OUT))
        .isEqualTo(Verdict.RACE);
  }

  @Test
  void aFailedAssertionWithoutAComparisonIsAWrongResult() {
    assertThat(decide(List.of(), List.of(), 0, 4, Ending.CHECK_FAILED))
        .isEqualTo(Verdict.WRONG_RESULT);
  }

  private static Verdict decide(
      List<Finding> findings,
      List<JobReport.Check> checks,
      int verifying,
      long operations,
      Ending ending) {
    return VerdictRules.decide(
            List.of(), findings, checks, verifying, operations, ending, "it ended")
        .verdict();
  }

  private static Finding finding(Finding.Kind kind) {
    return Finding.of(kind, "found " + kind, "mend it", List.of(0), List.of());
  }

  private static JobReport.Check check(boolean passed) {
    return new JobReport.Check(
        "y ~ golden",
        "allclose",
        passed,
        7,
        64,
        passed ? 0 : 3,
        0.0,
        List.of(),
        1e-5,
        1e-8,
        "",
        null);
  }
}
