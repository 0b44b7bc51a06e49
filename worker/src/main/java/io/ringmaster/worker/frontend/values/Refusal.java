package io.ringmaster.worker.frontend.values;

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

  private Refusal(Optional<Diagnostic> diagnostic) {
    super(
        diagnostic.map(Diagnostic::message).orElse("follows from an earlier error"),
        null,
        false,
        false);
    this.diagnostic = diagnostic;
  }

  /** A broken rule, what to do about it, and where. */
  public static Refusal of(String message, String hint, Span span) {
    return new Refusal(Optional.of(Diagnostic.error(message, hint, span)));
  }

  /** A consequence of an error that was reported already. */
  public static Refusal silent() {
    return new Refusal(Optional.empty());
  }

  public Optional<Diagnostic> diagnostic() {
    return diagnostic;
  }
}
