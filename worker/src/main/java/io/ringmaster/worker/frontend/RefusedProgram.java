package io.ringmaster.worker.frontend;

import io.ringmaster.worker.ir.Draft;
import io.ringmaster.worker.source.Diagnostic;
import io.ringmaster.worker.source.DiagnosticException;
import java.util.List;

/** A program that breaks rules, with what could be read of it: other rules may be broken there. */
public final class RefusedProgram extends DiagnosticException {

  private static final long serialVersionUID = 1L;

  private final transient Draft draft;

  RefusedProgram(List<Diagnostic> diagnostics, Draft draft) {
    super(diagnostics);
    this.draft = draft;
  }

  public Draft draft() {
    return draft;
  }
}
