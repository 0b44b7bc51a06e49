package io.ringmaster.worker.lowering;

import io.ringmaster.worker.source.Diagnostic;
import io.ringmaster.worker.source.DiagnosticException;
import io.ringmaster.worker.source.Span;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * The user's mistakes that the passes over one program find, so that all of them are said at once.
 */
public final class Mistakes {

  private final Set<Diagnostic> found = new LinkedHashSet<>();

  void add(DiagnosticException mistake) {
    found.addAll(mistake.diagnostics());
  }

  /** Does something that a mistake ends early. */
  void attempt(Runnable step) {
    try {
      step.run();
    } catch (DiagnosticException mistake) {
      add(mistake);
    }
  }

  /** True when a mistake was found exactly there. */
  boolean isAt(Span place) {
    return found.stream().anyMatch(d -> d.span().equals(place));
  }

  boolean isEmpty() {
    return found.isEmpty();
  }

  /** All of them, in the order in which they were found. */
  List<Diagnostic> all() {
    return List.copyOf(found);
  }

  int size() {
    return found.size();
  }

  /**
   * Ends the lowering of a program with mistakes.
   *
   * @throws DiagnosticException with all of them, in the order of the source
   */
  void throwAll() {
    if (!found.isEmpty()) {
      List<Diagnostic> sorted = new ArrayList<>(found);
      sorted.sort(
          Comparator.<Diagnostic>comparingInt(d -> d.span().line())
              .thenComparingInt(d -> d.span().column()));
      throw new DiagnosticException(sorted);
    }
  }
}
