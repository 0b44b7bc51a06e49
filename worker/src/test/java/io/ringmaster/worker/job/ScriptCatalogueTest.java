package io.ringmaster.worker.job;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringmaster.worker.frontend.Catalogue;
import io.ringmaster.worker.source.SourceFile;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The rows of the catalogue of wrong programs that are seen before anything runs on a device, as
 * jobs: what lowering and the platforms refuse, and what is wrong with drivers.
 */
class ScriptCatalogueTest {

  static Stream<Catalogue.Row> rows() {
    return Stream.of("/job/lowering_catalogue.txt", "/job/driver_catalogue.txt")
        .flatMap(Catalogue::rows);
  }

  @ParameterizedTest
  @MethodSource("rows")
  void aWrongScriptIsNamedAtItsPlace(Catalogue.Row row) {
    JobReport report = run(row);

    assertThat(report.verdict().name())
        .as(Examples.words(report))
        .isEqualTo(row.setting("verdict").orElse("REJECTED"));
    List<Said> said = said(report);
    assertThat(said)
        .as("messages: %s", said)
        .isNotEmpty()
        .allSatisfy(
            message -> {
              assertThat(message.text()).contains(row.phrases());
              assertThat(message.severity()).isEqualTo(row.setting("severity").orElse("ERROR"));
              // An exception has no hint beside its words.
              if (message.severity().equals("ERROR") && report.verdict() == Verdict.REJECTED) {
                assertThat(message.hint()).isNotEmpty();
              }
              if (!row.hints().isEmpty()) {
                assertThat(message.hint()).contains(row.hints());
              }
            });
    assertThat(said).extracting(Said::place).containsExactlyElementsOf(row.places());
  }

  /** A message as users read it. */
  private record Said(String severity, String text, String hint, String place) {}

  /** What was said before the run and, of rules that only the run can look at, as it began. */
  private static List<Said> said(JobReport report) {
    List<Said> all = new ArrayList<>();
    for (JobReport.DiagnosticLine d : report.diagnostics()) {
      all.add(new Said(d.severity(), d.message(), d.hint(), d.line() + ":" + d.column()));
    }
    for (JobReport.Run run : report.runs()) {
      for (JobReport.FindingLine f : run.findings()) {
        JobReport.Place place = f.places().getFirst();
        all.add(new Said(f.severity(), f.message(), f.hint(), place.line() + ":" + place.column()));
      }
    }
    return all;
  }

  private static JobReport run(Catalogue.Row row) {
    int devices = row.setting("devices").map(Integer::parseInt).orElse(4);
    var spec =
        new JobSpec(
            SourceFile.of("wrong.py", row.source()),
            row.setting("platform").orElse("a2a3sim"),
            List.of(Examples.firstDevices(devices)),
            List.of(),
            JobSpec.Limits.DEFAULT,
            0);
    return new JobRunner().run(spec, RunControl.none());
  }
}
