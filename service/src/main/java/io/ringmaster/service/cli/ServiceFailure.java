package io.ringmaster.service.cli;

/** What a service answered instead of doing what it was asked to, or why it didn't answer. */
final class ServiceFailure extends RuntimeException {

  private static final long serialVersionUID = 1L;

  private final int exitCode;

  ServiceFailure(String message, int exitCode, Throwable cause) {
    super(message, cause);
    this.exitCode = exitCode;
  }

  /** Whose fault it is, as the shell is told. */
  int exitCode() {
    return exitCode;
  }
}
