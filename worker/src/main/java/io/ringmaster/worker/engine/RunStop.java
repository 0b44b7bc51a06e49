package io.ringmaster.worker.engine;

/** Ends a run at a limit or on request. */
final class RunStop extends RuntimeException {

  private static final long serialVersionUID = 1L;

  private final RunOutcome.Status status;
  private final String sentence;

  RunStop(RunOutcome.Status status, String message) {
    super(message, null, false, false);
    this.status = status;
    this.sentence = message;
  }

  RunOutcome.Status status() {
    return status;
  }

  /** Why, for people. */
  String sentence() {
    return sentence;
  }
}
