package io.ringmaster.service.problems;

import io.ringmaster.api.model.DiagnosticLine;
import io.ringmaster.api.model.Severity;
import io.ringmaster.worker.job.JobReport;
import java.util.List;

/** Shows messages about a script's source the way the contract has them. */
public final class DiagnosticViews {

  private DiagnosticViews() {}

  /** All of them, in their order. */
  public static List<DiagnosticLine> of(List<JobReport.DiagnosticLine> lines) {
    return lines.stream()
        .map(
            line ->
                new DiagnosticLine(
                        Severity.fromValue(line.severity()),
                        line.message(),
                        line.hint(),
                        line.line(),
                        line.column(),
                        line.endColumn(),
                        line.source())
                    .field(line.field()))
        .toList();
  }
}
