package io.ringmaster.service.cli;

import io.ringmaster.worker.job.JobReport;
import io.ringmaster.worker.source.Excerpt;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The report for people: verdict, checks, findings, bytes, barriers, time. No colours. */
final class ReportPrinter {

  private static final int MOST_ROWS = 24;

  private ReportPrinter() {}

  static String print(String file, JobReport report) {
    var text = new StringBuilder();
    for (JobReport.DiagnosticLine line : report.diagnostics()) {
      appendDiagnostic(text, file, line);
    }
    for (JobReport.Run run : report.runs()) {
      appendRun(text, file, run);
    }
    if (report.runs().stream().map(JobReport.Run::platform).distinct().count() > 1) {
      section(text, "side by side", SideBySideTable.of(report));
    }
    if (report.runs().size() != 1) {
      text.append(report.verdict()).append("  ").append(said(report.sentence())).append('\n');
    }
    return text.toString();
  }

  private static void appendDiagnostic(
      StringBuilder text, String file, JobReport.DiagnosticLine line) {
    if (line.field() != null) {
      text.append(line.place());
    } else {
      text.append(file);
      if (line.line() > 0) {
        text.append(':').append(line.line()).append(':').append(line.column());
      }
    }
    text.append(": ").append(line.severity().toLowerCase(java.util.Locale.ROOT));
    text.append(": ").append(said(line.message())).append('\n');
    if (!line.source().isEmpty()) {
      Excerpt excerpt = Excerpt.of(line.source(), line.column(), line.endColumn());
      text.append("    ").append(excerpt.line()).append('\n');
      text.append("    ").append(excerpt.caret()).append('\n');
    }
    if (!line.hint().isEmpty()) {
      text.append("    hint: ").append(line.hint()).append('\n');
    }
  }

  private static void appendRun(StringBuilder text, String file, JobReport.Run run) {
    text.append(run.verdict()).append("  ").append(said(run.sentence())).append('\n');
    text.append("  ").append(file).append(" on ").append(run.platform()).append(", devices ");
    text.append(String.join(",", run.devices().stream().map(String::valueOf).toList()));
    int ranks = run.evidence().ranks();
    if (ranks > 0 && ranks < run.devices().size()) {
      text.append(" (at most ").append(ranks).append(" of them at a time)");
    }
    text.append("\n");
    section(text, "findings", findings(run));
    section(text, "checks", checks(run.checks()));
    section(text, "tests", tests(run.tests()));
    boolean virtual = !run.platform().equals("opencl");
    section(text, "collectives, bytes into each rank", collectives(run.collectives(), virtual));
    if (virtual) {
      section(text, "barriers, virtual time", barriers(run.barriers()));
    }
    JobReport.Timings timings = run.timings();
    text.append("\ntime\n  compile ").append(Units.nanos(timings.compileNanos()));
    text.append(", run ").append(Units.nanos(timings.runWallNanos()));
    if (virtual) {
      text.append(" (virtual ").append(Units.nanos(timings.runVirtualNanos())).append(")");
    } else {
      text.append(" (measured; an accelerator has no virtual time)");
    }
    text.append(", verify ").append(Units.nanos(timings.verifyNanos())).append("\n");
  }

  private static void section(StringBuilder text, String title, String body) {
    if (!body.isEmpty()) {
      text.append('\n').append(title).append('\n').append(body);
    }
  }

  /**
   * What a script may have worded: no line of it looks like one of ours, nothing moves the caret.
   */
  static String said(String text) {
    return text.lines()
        .map(line -> line.replaceAll("\\p{Cntrl}", "\uFFFD"))
        .collect(Collectors.joining("\n    "));
  }

  private static String findings(JobReport.Run run) {
    var text = new StringBuilder();
    for (JobReport.FindingLine finding : run.findings()) {
      text.append("  ").append(finding.severity().toLowerCase(java.util.Locale.ROOT));
      text.append(" ")
          .append(finding.kind())
          .append(": ")
          .append(said(finding.message()))
          .append('\n');
      for (JobReport.Place place : finding.places()) {
        text.append("    rank ").append(place.rank());
        text.append(place.line() > 0 ? ", line " + place.line() : "");
        text.append(": ").append(place.what());
        if (!place.text().isEmpty()) {
          text.append("   | ").append(Excerpt.of(place.text()));
        }
        text.append('\n');
      }
      if (!finding.hint().isEmpty()) {
        text.append("    hint: ").append(finding.hint()).append('\n');
      }
    }
    return text.toString();
  }

  private static String checks(List<JobReport.Check> checks) {
    var table =
        new Table("", "line", "compared", "how", "elements", "rtol", "atol", "largest diff", "at");
    for (JobReport.Check check : checks.subList(0, Math.min(MOST_ROWS, checks.size()))) {
      table.row(
          check.passed() ? "ok" : "FAILED",
          check.line() > 0 ? check.line() : "-",
          check.name(),
          check.kind(),
          check.elements(),
          real(check.rtol()),
          real(check.atol()),
          real(check.maxAbsDifference()),
          check.maxAt().isEmpty() ? "-" : check.maxAt());
    }
    var text = new StringBuilder(table.isEmpty() ? "" : table.render());
    appendCut(text, checks.size());
    checks.stream()
        .filter(check -> !check.explanation().isEmpty())
        .limit(MOST_ROWS)
        .forEach(
            check ->
                text.append(check.line() > 0 ? "  line " + check.line() : "  " + check.name())
                    .append(": ")
                    .append(said(check.explanation()))
                    .append('\n'));
    return text.toString();
  }

  private static String tests(List<JobReport.TestCase> tests) {
    var text = new StringBuilder();
    for (JobReport.TestCase test : tests) {
      text.append("  ").append(test.verdict()).append("  ").append(test.nodeId());
      text.append(test.message().isEmpty() ? "" : "  " + said(test.message())).append('\n');
    }
    return text.toString();
  }

  private static String collectives(List<JobReport.Collective> collectives, boolean virtual) {
    var table =
        new Table(
            "op",
            "algorithm",
            "rail",
            "ranks",
            "line",
            "payload",
            "wire",
            "formula",
            "least",
            "notifies",
            "waits",
            "took");
    for (JobReport.Collective c : collectives.subList(0, Math.min(MOST_ROWS, collectives.size()))) {
      table.row(
          c.op(),
          c.algorithm(),
          c.rail(),
          c.ranks(),
          c.line(),
          Units.perRank(c.payloadBytes()),
          Units.perRank(c.wireBytes()),
          Units.perRank(c.formulaBytes()),
          c.minimumBytes(),
          c.notifies(),
          c.waits(),
          Units.nanos(virtual ? c.virtualNanos() : c.wallNanos()));
    }
    var text = new StringBuilder(table.isEmpty() ? "" : table.render());
    appendCut(text, collectives.size());
    return text.toString();
  }

  private static String barriers(List<JobReport.Barrier> barriers) {
    var table = new Table("window", "round", "line", "ranks", "last rank", "skew", "release");
    for (JobReport.Barrier b : barriers.subList(0, Math.min(MOST_ROWS, barriers.size()))) {
      table.row(
          b.window(),
          b.round(),
          b.line(),
          b.ranks(),
          b.lastArriver(),
          Units.nanos(b.skewVirtualNanos()),
          Units.nanos(b.releaseVirtualNanos()));
    }
    var text = new StringBuilder(table.isEmpty() ? "" : table.render());
    appendCut(text, barriers.size());
    return text.toString();
  }

  private static void appendCut(StringBuilder text, int rows) {
    if (rows > MOST_ROWS) {
      text.append("  ... and ").append(rows - MOST_ROWS).append(" more; --json has them all\n");
    }
  }

  private static String real(@Nullable Double value) {
    return value == null ? "-" : Units.real(value);
  }
}
