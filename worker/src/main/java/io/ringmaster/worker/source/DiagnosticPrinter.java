package io.ringmaster.worker.source;

import java.util.List;
import java.util.Locale;

/**
 * Writes diagnostics the way compilers do: place and message, the source line, a caret under the
 * place, and the hint.
 *
 * <pre>
 * kernel.py:3:9: error: expected ':' but found the end of the line
 *     if x
 *         ^
 *   hint: the line that starts with 'if' ends with ':'
 * </pre>
 */
public final class DiagnosticPrinter {

  /** Longer lines are cut to the surroundings of the caret. */
  private static final int WIDEST = 160;

  private static final int BEFORE_CARET = 60;

  private DiagnosticPrinter() {}

  /** The lines for one diagnostic, each ended by a line feed. */
  public static String print(Diagnostic diagnostic, SourceFile source) {
    Span span = diagnostic.span();
    var out = new StringBuilder();
    if (span.isKnown()) {
      out.append(span).append(": ");
    }
    out.append(diagnostic.severity().name().toLowerCase(Locale.ROOT))
        .append(": ")
        .append(diagnostic.message())
        .append('\n');
    if (span.isKnown() && span.file().equals(source.name())) {
      excerpt(span, source.line(span.line()), out);
    }
    if (!diagnostic.hint().isEmpty()) {
      out.append("  hint: ").append(diagnostic.hint()).append('\n');
    }
    return out.toString();
  }

  /** All of them, one after the other. */
  public static String print(List<Diagnostic> diagnostics, SourceFile source) {
    var out = new StringBuilder();
    diagnostics.forEach(diagnostic -> out.append(print(diagnostic, source)));
    return out.toString();
  }

  private static void excerpt(Span span, String text, StringBuilder out) {
    int[] line = text.codePoints().toArray();
    int start = Math.min(span.column() - 1, line.length);
    int end =
        span.endLine() > span.line() ? line.length : Math.min(span.endColumn() - 1, line.length);
    int from = 0;
    int to = line.length;
    if (line.length > WIDEST) {
      from = Math.max(0, start - BEFORE_CARET);
      to = Math.min(line.length, from + WIDEST);
    }
    out.append(from > 0 ? "..." : "");
    for (int i = from; i < to; i++) {
      out.appendCodePoint(isShown(line[i]) ? line[i] : 0xFFFD);
    }
    out.append(to < line.length ? "..." : "").append('\n');
    out.append(from > 0 ? "   " : "");
    for (int i = from; i < start; i++) {
      out.append(line[i] == '\t' ? '\t' : ' ');
    }
    out.repeat('^', Math.max(1, Math.min(end, to) - start)).append('\n');
  }

  /** Control characters would move the caret, or worse, on a terminal. */
  private static boolean isShown(int codePoint) {
    return codePoint == '\t' || !Character.isISOControl(codePoint);
  }
}
