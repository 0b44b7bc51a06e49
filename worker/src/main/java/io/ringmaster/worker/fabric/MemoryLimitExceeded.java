package io.ringmaster.worker.fabric;

/** Stops a run that asks for more memory than it may use. */
public final class MemoryLimitExceeded extends RuntimeException {

  private static final long serialVersionUID = 1L;

  public MemoryLimitExceeded(String what, long wanted, long used, long limit) {
    super(
        what
            + " needs "
            + wanted
            + " bytes, with "
            + used
            + " in use the limit of "
            + limit
            + " bytes is passed; use smaller buffers or raise the job's memory limit",
        null,
        false,
        false);
  }
}
