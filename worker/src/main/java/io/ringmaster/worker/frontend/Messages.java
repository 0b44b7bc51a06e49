package io.ringmaster.worker.frontend;

import io.ringmaster.worker.frontend.values.Refusal;
import io.ringmaster.worker.source.Diagnostic;
import io.ringmaster.worker.source.Diagnostic.Severity;
import io.ringmaster.worker.source.DiagnosticException;
import io.ringmaster.worker.source.Span;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** Collects what is wrong or odd about a class while reading goes on. */
final class Messages {

  private final Set<Diagnostic> all = new LinkedHashSet<>();

  void add(Diagnostic diagnostic) {
    all.add(diagnostic);
  }

  void add(Refusal refusal) {
    refusal.diagnostic().ifPresent(all::add);
  }

  void error(String message, String hint, Span span) {
    all.add(Diagnostic.error(message, hint, span));
  }

  void warning(String message, String hint, Span span) {
    all.add(new Diagnostic(Severity.WARNING, message, hint, span));
  }

  boolean hasErrors() {
    return all.stream().anyMatch(Messages::isError);
  }

  /** Throws every error found, in source order; nothing when there is none. */
  void throwErrors() {
    if (hasErrors()) {
      throw new DiagnosticException(sorted().stream().filter(Messages::isError).toList());
    }
  }

  List<Diagnostic> warnings() {
    return sorted().stream().filter(diagnostic -> !isError(diagnostic)).toList();
  }

  private List<Diagnostic> sorted() {
    return all.stream()
        .sorted(
            Comparator.comparingInt((Diagnostic diagnostic) -> diagnostic.span().line())
                .thenComparingInt(diagnostic -> diagnostic.span().column()))
        .toList();
  }

  private static boolean isError(Diagnostic diagnostic) {
    return diagnostic.severity() == Severity.ERROR;
  }
}
