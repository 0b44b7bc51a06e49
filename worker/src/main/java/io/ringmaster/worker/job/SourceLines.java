package io.ringmaster.worker.job;

import io.ringmaster.worker.source.Diagnostic;
import io.ringmaster.worker.source.SourceFile;
import io.ringmaster.worker.source.Span;
import java.util.stream.IntStream;

/** Looks up the text that a span points to, for messages. */
final class SourceLines {

  private static final int LONGEST = 1_000;

  private final String text;
  private final int[] starts;

  SourceLines(SourceFile source) {
    this.text = source.text();
    this.starts =
        IntStream.concat(
                IntStream.of(0),
                IntStream.range(0, text.length())
                    .filter(at -> text.charAt(at) == '\n')
                    .map(at -> at + 1))
            .toArray();
  }

  /** The line's text, or empty for a place without one. */
  String text(Span span) {
    if (span.line() < 1 || span.line() > starts.length) {
      return "";
    }
    int end = text.indexOf('\n', starts[span.line() - 1]);
    String line = text.substring(starts[span.line() - 1], end < 0 ? text.length() : end);
    return line.length() <= LONGEST ? line : line.substring(0, LONGEST - 3) + "...";
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
