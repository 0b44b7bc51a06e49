package io.ringmaster.worker.ir;

import io.ringmaster.worker.source.Span;

/** A rule of the IR that a function breaks: a fault of whoever built it, not of a user. */
public record IrProblem(String function, String message, Span span) {

  @Override
  public String toString() {
    return function + (span.isKnown() ? " (" + span + ")" : "") + ": " + message;
  }
}
