package io.ringmaster.worker.job;

import io.ringmaster.worker.source.Diagnostic;
import io.ringmaster.worker.source.SourceFile;
import io.ringmaster.worker.source.Span;
import java.util.List;

/** Looks up the text that a span points to, for messages. */
final class SourceLines {

  private final List<String> lines;

  SourceLines(SourceFile source) {
    this.lines = source.text().lines().toList();
  }

  /** The line's text, or empty for a place without one. */
  String text(Span span) {
    return span.line() >= 1 && span.line() <= lines.size() ? lines.get(span.line() - 1) : "";
  }

  JobReport.DiagnosticLine line(Diagnostic diagnostic) {
    Span span = diagnostic.span();
    int endColumn = span.endLine() == span.line() ? span.endColumn() : span.column() + 1;
    return new JobReport.DiagnosticLine(
        diagnostic.severity().name(),
        diagnostic.message(),
        diagnostic.hint(),
        span.line(),
        span.column(),
        endColumn,
        text(span));
  }
}
