package io.ringmaster.worker.script;

import io.ringmaster.worker.source.Span;

/**
 * The script used more than it may. Nothing in the script can catch this; too many nested calls
 * alone are an exception of the script first.
 */
public final class LimitExceeded extends RuntimeException {

  private static final long serialVersionUID = 1L;

  private final Kind kind;
  private final transient Span place;

  /** What ran out. */
  public enum Kind {
    STEPS,
    RECURSION,
    MEMORY,
    NUMBER_SIZE,
    TEXT_SIZE
  }

  public LimitExceeded(Kind kind, String message, Span place) {
    super(message);
    this.kind = kind;
    this.place = place;
  }

  public Kind kind() {
    return kind;
  }

  /** Where the script was. */
  public Span place() {
    return place;
  }
}
