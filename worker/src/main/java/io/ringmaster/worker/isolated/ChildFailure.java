package io.ringmaster.worker.isolated;

/** A child that had to measure or check something failed; the message says how, for people. */
public final class ChildFailure extends RuntimeException {

  private static final long serialVersionUID = 1L;

  ChildFailure(String message) {
    super(message);
  }
}
