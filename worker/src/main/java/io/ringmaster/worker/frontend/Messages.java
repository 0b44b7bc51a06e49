package io.ringmaster.worker.frontend;

import io.ringmaster.worker.frontend.values.Refusal;
import io.ringmaster.worker.source.Diagnostic;
import io.ringmaster.worker.source.Diagnostic.Severity;
import io.ringmaster.worker.source.DiagnosticException;
import io.ringmaster.worker.source.Span;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Collects what is wrong or odd about a program while reading goes on. A text that is read several
 * times says the same thing once.
 */
final class Messages {

  private final Map<Said, Diagnostic> all = new LinkedHashMap<>();
  private final Deque<String> readings = new ArrayDeque<>();
  private int failures;

  private record Said(String message, Span span) {}

  void add(Diagnostic diagnostic) {
    String reading = readings.isEmpty() ? "" : readings.element();
    String hint = diagnostic.hint();
    all.putIfAbsent(
        new Said(diagnostic.message(), diagnostic.span()),
        new Diagnostic(
            diagnostic.severity(),
            diagnostic.message(),
            hint + (hint.isEmpty() || reading.isEmpty() ? "" : "; ") + reading,
            diagnostic.span()));
  }

  void add(Refusal refusal) {
    failures++;
    refusal.diagnostic().ifPresent(this::add);
  }

  void error(String message, String hint, Span span) {
    add(Diagnostic.error(message, hint, span));
  }

  void warning(String message, String hint, Span span) {
    add(new Diagnostic(Severity.WARNING, message, hint, span));
  }

  /** From here to {@link #leave()} hints say for which call a function is read; empty for none. */
  void enter(String reading) {
    readings.push(reading);
  }

  void leave() {
    readings.pop();
  }

  /** How many statements and expressions were given up, also those that only follow from others. */
  int failures() {
    return failures;
  }

  long errors() {
    return all.values().stream().filter(Messages::isError).count();
  }

  boolean hasErrors() {
    return all.values().stream().anyMatch(Messages::isError);
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
    return all.values().stream()
        .sorted(
            Comparator.comparingInt((Diagnostic diagnostic) -> diagnostic.span().line())
                .thenComparingInt(diagnostic -> diagnostic.span().column()))
        .toList();
  }

  private static boolean isError(Diagnostic diagnostic) {
    return diagnostic.severity() == Severity.ERROR;
  }
}
