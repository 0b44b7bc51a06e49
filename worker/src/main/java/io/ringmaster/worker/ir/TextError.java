package io.ringmaster.worker.ir;

import io.ringmaster.worker.source.Diagnostic;
import io.ringmaster.worker.source.DiagnosticException;
import io.ringmaster.worker.source.Span;

/** Errors of the IR's text form. */
final class TextError {

  private TextError() {}

  static DiagnosticException at(Span span, String message) {
    return new DiagnosticException(
        Diagnostic.error(message, "Compare with the text that the printer writes.", span));
  }
}
