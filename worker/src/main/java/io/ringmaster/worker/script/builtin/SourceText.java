package io.ringmaster.worker.script.builtin;

import io.ringmaster.worker.script.value.Session;
import io.ringmaster.worker.source.SourceFile;
import io.ringmaster.worker.source.Span;
import java.util.HashMap;
import java.util.Map;

/** Cuts expressions out of the source, to name things as the user wrote them. */
public final class SourceText {

  private static final int LONGEST = 120;

  /** A comparison in a loop is named once for each element. */
  private final Map<Span, String> known = new HashMap<>();

  private SourceText() {}

  /** The text of a span on one line; cut when long, empty when unknown. */
  public static String of(Session session, Span span) {
    return session
        .lasting(SourceText.class, _ -> new SourceText())
        .known
        .computeIfAbsent(span, place -> of(session.source(), place));
  }

  private static String of(SourceFile source, Span span) {
    if (!span.isKnown()) {
      return "";
    }
    StringBuilder out = new StringBuilder();
    for (int line = span.line(); line <= span.endLine() && out.length() <= LONGEST; line++) {
      int[] points = source.line(line).codePoints().toArray();
      int from = line == span.line() ? span.column() - 1 : 0;
      int to = line == span.endLine() ? span.endColumn() - 1 : points.length;
      int end = Math.min(to, points.length);
      if (from < end) {
        out.append(out.isEmpty() ? "" : " ").append(new String(points, from, end - from).strip());
      }
    }
    return out.length() <= LONGEST ? out.toString() : out.substring(0, LONGEST - 3) + "...";
  }
}
