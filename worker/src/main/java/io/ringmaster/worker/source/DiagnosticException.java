package io.ringmaster.worker.source;

import java.util.List;

/** Stops reading a source that breaks the rules; carries every message found, in source order. */
public class DiagnosticException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  private final transient List<Diagnostic> diagnostics;

  public DiagnosticException(List<Diagnostic> diagnostics) {
    super(diagnostics.isEmpty() ? "rejected" : DiagnosticList.headline(diagnostics));
    this.diagnostics = List.copyOf(diagnostics);
  }

  public DiagnosticException(Diagnostic diagnostic) {
    this(List.of(diagnostic));
  }

  public List<Diagnostic> diagnostics() {
    return diagnostics;
  }
}
