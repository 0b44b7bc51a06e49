package io.ringmaster.worker.job;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringmaster.worker.engine.Condition;
import io.ringmaster.worker.external.ExternalRunner;
import io.ringmaster.worker.external.ExternalSettings;
import io.ringmaster.worker.external.Runs;
import io.ringmaster.worker.source.SourceFile;
import io.ringmaster.worker.tensor.DType;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/**
 * A ladder script on "cards": a real Python runs it as the vendor's would, and what came out is
 * what its signed record says.
 */
class CardsTest {

  private static final String SCRIPT = "01_two_devices.py";
  private static final Path FAKES = Path.of("src/test/resources/cards").toAbsolutePath();

  @TempDir private Path place;

  private JobReport run(SourceFile source, String card, Duration wall, boolean rehearse) {
    var settings =
        new ExternalSettings(
            List.of("a2a3"),
            List.of(
                "python3",
                "{harness}",
                "{script}",
                "-p",
                "{platform}",
                "-d",
                "{devices}",
                "{arguments}"),
            List.of(),
            List.of("PATH", "HOME", "PYENV*"),
            Map.of("CARD", card, "PYTHONPATH", FAKES.toString(), "PYTHONDONTWRITEBYTECODE", "1"),
            place.resolve("runs"),
            Runs.SHORT,
            100_000,
            rehearse);
    try (var runner = new ExternalRunner(settings)) {
      return new JobRunner(Optional.of(runner)).run(spec(source, wall), RunControl.none());
    }
  }

  private static JobSpec spec(SourceFile source, Duration wall) {
    return new JobSpec(
        source,
        "a2a3",
        List.of(List.of(4, 5)),
        List.of(),
        new JobSpec.Limits(wall, 50_000_000, 2_000_000_000, 1L << 30),
        0);
  }

  private JobReport run(String card) {
    return run(Examples.ladder(SCRIPT), card, Duration.ofSeconds(60), false);
  }

  /** What a card does, and what has to be said of it. */
  private record Row(String card, Verdict verdict, String says) {}

  @TestFactory
  Stream<DynamicTest> whatACardDoesIsWhatIsSaid() {
    return Stream.of(
            new Row("right", Verdict.PASSED, "all 2 checks hold"),
            new Row("wrong", Verdict.WRONG_RESULT, "torch.allclose #1"),
            new Row("raises", Verdict.ERROR, "RuntimeError: device 4 doesn't answer"),
            new Row("dies", Verdict.ERROR, "exit code 139 and left no result"),
            new Row("leaves", Verdict.NOT_VERIFIED, "exit code 0 but left no result"),
            new Row("late", Verdict.ERROR, "its process then ended with exit code 9"),
            new Row("forges", Verdict.ERROR, "can't be believed: its signature isn't this run's"))
        .map(
            row ->
                DynamicTest.dynamicTest(
                    row.card(),
                    () -> {
                      var report = run(row.card());
                      assertThat(report.verdict())
                          .as(report.sentence() + "\n" + report.runs().getFirst().log())
                          .isEqualTo(row.verdict());
                      assertThat(report.sentence()).contains(row.says());
                      assertThat(report.runs().getFirst().log())
                          .contains("card " + row.card() + " on [4, 5]");
                    }));
  }

  @Test
  void aCardThatHangsIsTimedOut() {
    var report = run(Examples.ladder(SCRIPT), "hangs", Duration.ofSeconds(3), false);
    assertThat(report.verdict()).as(report.sentence()).isEqualTo(Verdict.TIMED_OUT);
    assertThat(report.sentence()).contains("its limit of 3 s");
  }

  @Test
  void theChecksNameTheirLinesAndSizes() {
    var checks = run("right").runs().getFirst().checks();
    assertThat(checks).hasSize(2).allMatch(JobReport.Check::passed);
    assertThat(checks.getFirst().name()).isEqualTo("torch.allclose #1");
    assertThat(checks.getFirst().line()).isEqualTo(89);
    assertThat(checks.getFirst().elements()).isEqualTo(64);
    assertThat(checks.getFirst().rtol()).isEqualTo(1e-5);
  }

  @Test
  void theSimulatorRehearsesIt() {
    var report = run(Examples.ladder(SCRIPT), "right", Duration.ofSeconds(60), true);
    assertThat(report.verdict()).as(report.sentence()).isEqualTo(Verdict.PASSED);
    assertThat(report.runs().getFirst().evidence().versions())
        .containsEntry("rehearsal", "a2a3sim PASSED");
  }

  /** No card is used for what the simulator finds. */
  @Test
  void whatFailsInTheRehearsalGetsNoCard() {
    var text =
        Examples.ladder(SCRIPT).text().replace("pl.add(doubled, 1.0)", "pl.add(doubled, 2.0)");
    var report = run(SourceFile.of(SCRIPT, text), "right", Duration.ofSeconds(60), true);
    assertThat(report.verdict()).isEqualTo(Verdict.WRONG_RESULT);
    assertThat(report.sentence()).startsWith("on the simulator, before a card was used: ");
    assertThat(report.runs().getFirst().log()).doesNotContain("card");
  }

  /** A comparison that can't fail is told by the rehearsal. */
  @Test
  void aCheckThatProvesNothingProvesNothingHereEither() {
    var text =
        Examples.ladder(SCRIPT)
            .text()
            .replace("torch.allclose(y[r], golden[r],", "torch.allclose(y[r], y[r],");
    var report = run(SourceFile.of(SCRIPT, text), "wrong", Duration.ofSeconds(60), true);
    assertThat(report.verdict()).as(report.sentence()).isEqualTo(Verdict.NOT_VERIFIED);
  }

  /** On the simulator it compares, on cards it doesn't. */
  @Test
  void aScriptThatComparesNothingOnCardsIsNotVerified() {
    var text =
        Examples.ladder(SCRIPT)
            .text()
            .replace(
                "    for r in range(2):\n        diff",
                "    for r in range(2 if args.platform.endswith(\"sim\") else 0):\n        diff");
    var report = run(SourceFile.of(SCRIPT, text), "wrong", Duration.ofSeconds(60), true);
    assertThat(report.verdict()).as(report.sentence()).isEqualTo(Verdict.NOT_VERIFIED);
    assertThat(report.sentence()).contains("its result names no comparison");
  }

  /** A difference that the script wants is no fault, and no proof. */
  @Test
  void aWantedDifferenceIsNoFailedCheck() {
    var text =
        Examples.ladder(SCRIPT)
            .text()
            .replace("    golden = x", "    assert not torch.allclose(y, x)\n    golden = x");
    var report = run(SourceFile.of(SCRIPT, text), "right", Duration.ofSeconds(60), false);
    assertThat(report.verdict()).as(report.sentence()).isEqualTo(Verdict.PASSED);
    assertThat(report.runs().getFirst().checks()).hasSize(3);
  }

  /** The same, asked for by pytest. */
  @Test
  void aComparisonThatHasToFailIsNoFailedCheck() {
    var text =
        Examples.ladder(SCRIPT)
            .text()
            .replace("import torch\n", "import pytest\nimport torch\n")
            .replace(
                "    golden = x",
                "    with pytest.raises(AssertionError):\n"
                    + "        torch.testing.assert_close(y, x)\n    golden = x");
    var report = run(SourceFile.of(SCRIPT, text), "right", Duration.ofSeconds(60), false);
    assertThat(report.verdict())
        .as(report.sentence() + report.runs().getFirst().log())
        .isEqualTo(Verdict.PASSED);
    assertThat(report.runs().getFirst().checks()).hasSize(3);
  }

  /** Told without the simulator, too. */
  @Test
  void aTensorHeldAgainstItselfProvesNothing() {
    var text =
        Examples.ladder(SCRIPT)
            .text()
            .replace("torch.allclose(y[r], golden[r],", "torch.allclose(y[r], y[r],");
    var report = run(SourceFile.of(SCRIPT, text), "wrong", Duration.ofSeconds(60), false);
    assertThat(report.verdict()).as(report.sentence()).isEqualTo(Verdict.NOT_VERIFIED);
    assertThat(report.sentence()).contains("both sides are the same tensor");
  }

  @Test
  void aLimitBelowTheToolChainsIsRefused() {
    var report = run(Examples.ladder(SCRIPT), "right", Duration.ofSeconds(1), false);
    assertThat(report.verdict()).isEqualTo(Verdict.REJECTED);
    assertThat(report.sentence()).contains("1 s").contains("tool chain");
  }

  @Test
  void cardsDontMisbehaveToOrder() {
    try (var runner = new ExternalRunner(Runs.shell(place.resolve("runs")))) {
      var spec =
          spec(Examples.ladder(SCRIPT), Duration.ofSeconds(60))
              .under(List.of(Condition.parse("straggler=1:5us")));
      var report = new JobRunner(Optional.of(runner)).run(spec, RunControl.none());
      assertThat(report.verdict()).isEqualTo(Verdict.REJECTED);
    }
  }

  @Test
  void withoutARunnerThereAreNoCards() {
    var report =
        new JobRunner()
            .run(spec(Examples.ladder(SCRIPT), Duration.ofSeconds(60)), RunControl.none());
    assertThat(report.verdict()).isEqualTo(Verdict.REJECTED);
  }

  /** The tools for cards would run it as python FILE, which calls no test, and find nothing. */
  @Test
  void aFileOfTestsIsRefusedByName() {
    for (boolean rehearse : new boolean[] {true, false}) {
      var tests =
          SourceFile.of(
              "test_rows.py",
              Examples.ladder(SCRIPT).text().replaceAll("(?s)\nif __name__.*", "")
                  + "\n\ndef test_rows():\n    main()\n");
      var report = run(tests, "right", Duration.ofSeconds(60), rehearse);
      assertThat(report.verdict()).isEqualTo(Verdict.REJECTED);
      assertThat(report.sentence())
          .startsWith("test_rows.py would be run as a file of tests, and cards run scripts")
          .endsWith("it runs on a2a3sim and opencl");
    }
  }

  /** What the written driver imports is there for simulated runs only. */
  @Test
  void aDeclaredJobIsRefusedByName() {
    var declaration =
        new Declaration(
            SourceFile.of("declared.py", "def make(n):\n    return n\n"),
            "make(nr)",
            List.of(),
            List.of(new Declaration.Output("y", DType.FP32, List.of("nr"))),
            List.of(new Declaration.Golden("y", new Declaration.Formula("torch.ones(nr)"), 0, 0)));
    var script = (DeclaredScript.Script) DeclaredScript.of(declaration);
    var report = run(script.source(), "right", Duration.ofSeconds(60), false);
    assertThat(report.verdict()).isEqualTo(Verdict.REJECTED);
    assertThat(report.sentence())
        .startsWith("declared.py is a declared job")
        .endsWith("run it on a2a3sim or opencl");
  }
}
