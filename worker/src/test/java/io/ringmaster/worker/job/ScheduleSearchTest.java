package io.ringmaster.worker.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ringmaster.worker.source.SourceFile;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** A script in many orders of events, and whether its outcome depends on the order. */
class ScheduleSearchTest {

  private static final Path EXAMPLES = Path.of("..", "examples");

  private static JobReport search(
      SourceFile source, String platform, int ranks, Exploration orders) {
    var spec =
        new JobSpec(
            source,
            platform,
            List.of(Examples.firstDevices(ranks)),
            List.of(),
            JobSpec.Limits.DEFAULT,
            0);
    return new JobRunner().run(spec.exploring(orders), RunControl.none());
  }

  private static SourceFile example(String name) {
    return Examples.source(EXAMPLES.resolve(name));
  }

  private static String said(JobReport report) {
    return report.runs().getFirst().findings().stream()
        .filter(finding -> finding.kind().equals("SCHEDULE_SEARCH"))
        .map(JobReport.FindingLine::message)
        .findFirst()
        .orElse("nothing");
  }

  /** With so many ranks races aren't looked for: only another order shows the missing barrier. */
  @Test
  void anOrderThatFailsIsNamedAndCanBeRunAlone() {
    SourceFile source = example("wrong/push_without_barrier.py");

    JobReport plain = search(source, "sim", 66, Exploration.NONE);
    JobReport report = search(source, "sim", 66, new Exploration(0, 3, false));

    assertThat(plain.verdict()).isEqualTo(Verdict.PASSED);
    assertThat(report.verdict()).isEqualTo(Verdict.WRONG_RESULT);
    assertThat(said(report))
        .isEqualTo(
            "the outcome depends on the order: WRONG_RESULT with seeds 1, 2, 3, PASSED with seed"
                + " 0");
    assertThat(report.sentence()).startsWith("in the order of seed 1: y[");
    JobReport.Evidence found = report.runs().getFirst().evidence();
    assertThat(found.scheduleSeed()).isEqualTo(1);

    JobReport alone = search(source, "sim", 66, new Exploration(1, 0, false));

    assertThat(alone.runs().getFirst().evidence()).isEqualTo(found);
    assertThat(report.sentence()).endsWith(alone.sentence());
  }

  /** All orders share the time of the run: one that it ends isn't one that takes too long. */
  @Test
  void anOrderThatTheTimeOfTheSearchEndsCountsAsNotRun() {
    var limits = new JobSpec.Limits(Duration.ofMillis(200), 1, 1, 1);
    var spec =
        new JobSpec(
                SourceFile.of("k.py", "x = 1\n"), "sim", List.of(List.of(0)), List.of(), limits, 0)
            .exploring(new Exploration(0, 5, false));
    var verdicts = List.of(Verdict.PASSED, Verdict.PASSED, Verdict.TIMED_OUT).iterator();

    JobReport.Run run =
        new ScheduleSearch(
                spec,
                (order, control) -> {
                  Verdict verdict = verdicts.next();
                  while (verdict == Verdict.TIMED_OUT
                      && System.nanoTime() - spec.limits().wall().toNanos() <= started) {
                    Thread.onSpinWait();
                  }
                  return new ScriptRun.Result(
                      ScriptRun.neverBegan(order, List.of(0), verdict, "said"),
                      List.of(),
                      Optional.empty());
                },
                started)
            .run(RunControl.none())
            .run();

    assertThat(run.verdict()).isEqualTo(Verdict.PASSED);
    assertThat(run.findings().getFirst().message())
        .endsWith("; the time limit ended the search after 2 of 6 orders");
  }

  private final long started = System.nanoTime();

  @Test
  void theRunThatPassedWithoutTheCheckSaysSo() {
    JobReport plain = search(example("ladder/13_allgather.py"), "sim", 66, Exploration.NONE);

    assertThat(plain.runs().getFirst().findings())
        .anySatisfy(
            finding -> {
              assertThat(finding.kind()).isEqualTo("ORDER_UNCHECKED");
              assertThat(finding.hint()).contains("--schedules");
            });
  }

  /** K45: floats added in the order of arrival. */
  @Test
  void k45FloatsAddedInAnyOrderPassWithTheNumberOfBitPatterns() {
    String text =
        example("right/sum_by_plain_put.py")
            .text()
            .replace(
                "torch.arange(nr * SIZE, dtype=torch.float32).reshape(nr, 1, SIZE) + 1",
                "torch.randn((nr, 1, SIZE)) * 1e3")
            .replace("allclose(y[r], golden)", "allclose(y[r], golden, rtol=1e-3, atol=1e-2)");
    SourceFile source = SourceFile.of("sum.py", text);

    JobReport report = search(source, "a2a3sim", 4, new Exploration(0, 19, false));

    assertThat(report.verdict()).isEqualTo(Verdict.PASSED);
    assertThat(said(report)).matches("\\d+ different outputs in 20 orders: seeds? 0.*");
    String once =
        search(source, "a2a3sim", 4, new Exploration(5, 0, false))
            .runs()
            .getFirst()
            .evidence()
            .outputDigest();
    String again =
        search(source, "a2a3sim", 4, new Exploration(5, 0, false))
            .runs()
            .getFirst()
            .evidence()
            .outputDigest();
    assertThat(again).isEqualTo(once);
  }

  @Test
  void aRightKernelEndsAlikeInEveryOrder() {
    JobReport report =
        search(
            example("ladder/16_putting_it_together.py"),
            "a2a3sim",
            4,
            new Exploration(0, 10, false));

    assertThat(report.verdict()).isEqualTo(Verdict.PASSED);
    assertThat(said(report))
        .isEqualTo("all 11 orders that were run end alike, with the same outputs");
  }

  @Test
  void aRejectedScriptIsNotRunAgain() {
    JobReport report =
        search(
            example("wrong/allgather_from_tile.py"), "a2a3sim", 4, new Exploration(0, 10, false));

    assertThat(report.verdict()).isEqualTo(Verdict.REJECTED);
    assertThat(said(report)).isEqualTo("nothing");
  }

  @Test
  void tooManyOrdersAreRefused() {
    assertThatThrownBy(() -> new Exploration(0, 1001, false))
        .hasMessage("schedules: 1001 isn't in 0..1000");
  }

  /** K49: neighbouring counts in one line, and each in a line of its own. */
  @Test
  void k49LinesAreOnlyLookedAtWhenAskedFor() {
    SourceFile packed = example("wrong/counts_in_one_line.py");
    SourceFile apart = example("right/counts_in_one_line.py");
    Exploration lines = new Exploration(0, 0, true);

    assertThat(search(packed, "a2a3sim", 4, Exploration.NONE).verdict()).isEqualTo(Verdict.PASSED);
    assertThat(search(packed, "a2a3sim", 4, lines).verdict()).isEqualTo(Verdict.RACE);
    assertThat(search(apart, "a2a3sim", 4, lines).verdict()).isEqualTo(Verdict.PASSED);
  }
}
