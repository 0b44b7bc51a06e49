package io.ringmaster.worker.observe;

import io.ringmaster.worker.fabric.Finding;
import io.ringmaster.worker.source.Span;
import java.util.Comparator;
import java.util.List;

/** The order in which findings are reported: gravest kind first, then by place in the source. */
final class Findings {

  /** By file, line and column. */
  static final Comparator<Span> SPANS =
      Comparator.comparing(Span::file)
          .thenComparingInt(Span::line)
          .thenComparingInt(Span::column)
          .thenComparingInt(Span::endLine)
          .thenComparingInt(Span::endColumn);

  private static final Comparator<Finding> ORDER =
      Comparator.comparing(Finding::kind)
          .thenComparing(Findings::firstSpan, SPANS)
          .thenComparing(finding -> finding.window().orElse(""))
          .thenComparingInt(finding -> finding.ranks().isEmpty() ? -1 : finding.ranks().getFirst())
          .thenComparing(Finding::message);

  private Findings() {}

  static List<Finding> sorted(List<Finding> findings) {
    return findings.stream().sorted(ORDER).toList();
  }

  private static Span firstSpan(Finding finding) {
    return finding.places().isEmpty() ? Span.NONE : finding.places().getFirst().span();
  }
}
