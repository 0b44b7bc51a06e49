package io.ringmaster.worker.lowering;

import io.ringmaster.worker.ir.Expr;
import io.ringmaster.worker.ir.IrPrinter;
import io.ringmaster.worker.source.Diagnostic;
import io.ringmaster.worker.source.DiagnosticException;
import io.ringmaster.worker.source.Span;
import java.util.List;
import java.util.stream.Collectors;

/** Users' mistakes that only lowering can see. */
final class Errors {

  private Errors() {}

  static DiagnosticException at(Span span, String message, String hint) {
    return new DiagnosticException(Diagnostic.error(message, hint, span));
  }

  /** The same of a mistake that may be no more than the consequence of another one. */
  static DiagnosticException consequence(Span span, String message, String hint) {
    return new DiagnosticException(Diagnostic.consequence(message, hint, span));
  }

  /** A shape as a message shows it: {@code [4, NR]}. */
  static String shape(List<Expr> shape) {
    return shape.stream().map(IrPrinter::print).collect(Collectors.joining(", ", "[", "]"));
  }
}
