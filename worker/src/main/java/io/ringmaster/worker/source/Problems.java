package io.ringmaster.worker.source;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Collects the errors of one source: one a place, in source order. */
final class Problems {

  private final Positions positions;
  private final List<Diagnostic> found = new ArrayList<>();
  private final Set<Long> places = new HashSet<>();
  private int reports;

  Problems(Positions positions) {
    this.positions = positions;
  }

  /** Adds an error about the text between two offsets. */
  void error(int start, int end, String message, String hint) {
    add(Diagnostic.error(message, hint, positions.span(start, end)));
  }

  void add(Diagnostic problem) {
    reports++;
    Span span = problem.span();
    if (!places.add(((long) span.line() << 32) | span.column())) {
      return;
    }
    found.add(problem);
    if (found.size() >= DiagnosticList.MOST_KEPT) {
      throw new StopReading();
    }
  }

  /** Adds an error after which going on makes no sense. */
  StopReading stop(int start, int end, String message, String hint) {
    error(start, end, message, hint);
    return new StopReading();
  }

  /** How often something was reported, a second time about the same place included. */
  int reports() {
    return reports;
  }

  boolean isEmpty() {
    return found.isEmpty();
  }

  List<Diagnostic> inSourceOrder() {
    return found.stream()
        .sorted(
            Comparator.<Diagnostic>comparingInt(d -> d.span().line())
                .thenComparingInt(d -> d.span().column()))
        .toList();
  }

  /** Ends the reading; what is wrong has been added already. */
  static final class StopReading extends RuntimeException {
    private static final long serialVersionUID = 1L;

    StopReading() {
      super("reading stopped", null, false, false);
    }
  }

  /** Gives up the statement being read; whoever reads statements adds it and goes on. */
  static final class ParseFailure extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final transient Diagnostic problem;
    private final transient Token token;

    ParseFailure(Diagnostic problem, Token token) {
      super(problem.message(), null, false, false);
      this.problem = problem;
      this.token = token;
    }

    Diagnostic problem() {
      return problem;
    }

    /** Where reading stopped, which isn't always where the fault is. */
    Token token() {
      return token;
    }
  }
}
