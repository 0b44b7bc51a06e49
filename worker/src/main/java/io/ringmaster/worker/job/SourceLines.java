package io.ringmaster.worker.job;

import io.ringmaster.worker.source.Diagnostic;
import io.ringmaster.worker.source.DiagnosticList;
import io.ringmaster.worker.source.SourceFile;
import io.ringmaster.worker.source.Span;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Looks up the text that a span points to, for messages. */
final class SourceLines {

  private static final int LONGEST = 1_000;

  private final String text;
  private int @Nullable [] starts;

  SourceLines(SourceFile source) {
    this.text = source.text();
  }

  /** Where the lines start; most runs never ask. */
  private int[] starts() {
    if (starts == null) {
      starts =
          IntStream.concat(
                  IntStream.of(0),
                  IntStream.range(0, text.length())
                      .filter(at -> text.charAt(at) == '\n')
                      .map(at -> at + 1))
              .toArray();
    }
    return starts;
  }

  /** The line's text, or empty for a place without one. */
  String text(Span span) {
    int[] begins = starts();
    if (span.line() < 1 || span.line() > begins.length) {
      return "";
    }
    int begin = begins[span.line() - 1];
    int end = text.indexOf('\n', begin);
    String line = text.substring(begin, end < 0 ? text.length() : end);
    return line.length() <= LONGEST ? line : line.substring(0, LONGEST - 3) + "...";
  }

  /** What a report says of a list. */
  List<JobReport.DiagnosticLine> lines(List<Diagnostic> diagnostics) {
    return DiagnosticList.shown(diagnostics).stream().map(this::line).toList();
  }

  private JobReport.DiagnosticLine line(Diagnostic diagnostic) {
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
