package io.ringmaster.worker.frontend.values;

import io.ringmaster.worker.ir.Type;
import io.ringmaster.worker.source.Diagnostic;
import io.ringmaster.worker.source.Span;
import java.util.Optional;

/**
 * Ends the reading of one statement: it breaks a rule, or reads a name whose own definition already
 * broke one (then there is nothing new to say).
 */
public final class Refusal extends RuntimeException {

  private static final long serialVersionUID = 1L;

  private final transient Optional<Diagnostic> diagnostic;
  private final transient Optional<Type> meant;

  private Refusal(Optional<Diagnostic> diagnostic, Optional<Type> meant) {
    super(
        diagnostic.map(Diagnostic::message).orElse("follows from an earlier error"),
        null,
        false,
        false);
    this.diagnostic = diagnostic;
    this.meant = meant;
  }

  /** A broken rule, what to do about it, and where. */
  public static Refusal of(String message, String hint, Span span) {
    return new Refusal(Optional.of(Diagnostic.error(message, hint, span)), Optional.empty());
  }

  /** A consequence of an error that was reported already. */
  public static Refusal silent() {
    return new Refusal(Optional.empty(), Optional.empty());
  }

  /** The same of an operation whose result was surely meant to be of a type. */
  public Refusal of(Optional<Type> type) {
    return new Refusal(diagnostic, type);
  }

  public Optional<Diagnostic> diagnostic() {
    return diagnostic;
  }

  /** The type of what was refused, where there is no doubt about it. */
  public Optional<Type> meant() {
    return meant;
  }
}
