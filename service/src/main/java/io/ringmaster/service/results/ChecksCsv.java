package io.ringmaster.service.results;

import io.ringmaster.worker.job.JobReport;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The checks of a report as CSV (RFC 4180), one a line, for spreadsheets. */
final class ChecksCsv {

  private static final List<String> HEADER =
      List.of(
          "run",
          "platform",
          "devices",
          "arguments",
          "verdict",
          "test",
          "check",
          "kind",
          "passed",
          "line",
          "elements",
          "mismatches",
          "maxAbsDifference",
          "rtol",
          "atol",
          "explanation");

  private ChecksCsv() {}

  static String write(JobReport report) {
    var text = new StringBuilder();
    row(text, HEADER);
    int place = 0;
    for (var run : report.runs()) {
      place++;
      for (var check : run.checks()) {
        row(
            text,
            List.of(
                Integer.toString(place),
                run.platform(),
                run.devices().stream().map(String::valueOf).collect(Collectors.joining(" ")),
                String.join(" ", run.arguments()),
                run.verdict().name(),
                Objects.requireNonNullElse(check.test(), ""),
                check.name(),
                check.kind(),
                Boolean.toString(check.passed()),
                Integer.toString(check.line()),
                Long.toString(check.elements()),
                Long.toString(check.mismatches()),
                number(check.maxAbsDifference()),
                number(check.rtol()),
                number(check.atol()),
                check.explanation()));
      }
    }
    return text.toString();
  }

  private static String number(@Nullable Double value) {
    return value == null ? "" : value.toString();
  }

  private static void row(StringBuilder text, List<String> cells) {
    text.append(cells.stream().map(ChecksCsv::cell).collect(Collectors.joining(",")))
        .append("\r\n");
  }

  /** A spreadsheet would compute a cell that begins like a formula. */
  private static String cell(String value) {
    var safe = value.matches("(?s)[=+@\t\r].*|-[^0-9].*") ? "'" + value : value;
    return safe.matches("(?s).*[\",\r\n].*") ? "\"" + safe.replace("\"", "\"\"") + "\"" : safe;
  }
}
