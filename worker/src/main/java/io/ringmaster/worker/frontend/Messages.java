package io.ringmaster.worker.frontend;

import io.ringmaster.worker.frontend.values.Refusal;
import io.ringmaster.worker.ir.Draft;
import io.ringmaster.worker.source.Diagnostic;
import io.ringmaster.worker.source.Diagnostic.Severity;
import io.ringmaster.worker.source.DiagnosticException;
import io.ringmaster.worker.source.DiagnosticList;
import io.ringmaster.worker.source.Span;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
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
  private final Deque<Map<Said, Diagnostic>> open = new ArrayDeque<>(List.of(all));
  private final Deque<String> readings = new ArrayDeque<>();
  private boolean tryingOut;
  private int failures;

  private record Said(String message, Span span) {}

  void add(Diagnostic diagnostic) {
    String reading = readings.isEmpty() ? "" : readings.element();
    String hint = diagnostic.hint();
    if (all.size() >= DiagnosticList.MOST_KEPT) {
      throwErrors();
    }
    open.element()
        .putIfAbsent(
            new Said(diagnostic.message(), diagnostic.span()),
            new Diagnostic(
                diagnostic.severity(),
                diagnostic.message(),
                hint + (hint.isEmpty() || reading.isEmpty() ? "" : "; ") + reading,
                diagnostic.span(),
                diagnostic.mayFollow()));
  }

  void add(Refusal refusal) {
    failures++;
    refusal.diagnostic().ifPresent(this::add);
  }

  void error(String message, String hint, Span span) {
    add(Diagnostic.error(message, hint, span));
  }

  /** An error that may be no more than the consequence of another one. */
  void consequence(String message, String hint, Span span) {
    add(Diagnostic.consequence(message, hint, span));
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

  /** True while {@link #common} goes on. */
  boolean isTryingOut() {
    return tryingOut;
  }

  /**
   * Says what several readings of the same text all say: of a text about which something isn't
   * known, what is wrong with it either way.
   */
  void common(Collection<Runnable> trials) {
    List<Map<Said, Diagnostic>> heard = new ArrayList<>();
    boolean before = tryingOut;
    tryingOut = true;
    for (Runnable trial : trials) {
      Map<Said, Diagnostic> own = new LinkedHashMap<>();
      open.push(own);
      trial.run();
      open.pop();
      heard.add(own);
    }
    tryingOut = before;
    failures++;
    heard
        .getFirst()
        .forEach(
            (said, diagnostic) -> {
              if (heard.stream().allMatch(other -> other.containsKey(said))) {
                open.element().putIfAbsent(said, diagnostic);
              }
            });
  }

  /** Reads something that doesn't depend on what is being tried out. */
  void certainly(Runnable reading) {
    boolean before = tryingOut;
    tryingOut = false;
    open.push(all);
    reading.run();
    open.pop();
    tryingOut = before;
  }

  /** How many statements and expressions were given up, also those that only follow from others. */
  int failures() {
    return failures;
  }

  /** How many errors there are, of the reading that is tried out where one is. */
  long errors() {
    return open.element().values().stream().filter(Messages::isError).count();
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

  /** The same, with what could be read of the program. */
  void throwErrors(Draft draft) {
    if (hasErrors()) {
      throw new RefusedProgram(sorted().stream().filter(Messages::isError).toList(), draft);
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
