package io.ringmaster.worker.fabric;

/** Stops a run that asks for more memory than it may use. */
public final class MemoryLimitExceeded extends RuntimeException {

  private static final long serialVersionUID = 1L;

  private final String sentence;

  public MemoryLimitExceeded(String what, long wanted, long used, long limit) {
    this(
        what
            + " needs "
            + wanted
            + " bytes, with "
            + used
            + " in use the limit of "
            + limit
            + " bytes is passed; use smaller buffers or raise the job's memory limit");
  }

  private MemoryLimitExceeded(String sentence) {
    super(sentence, null, false, false);
    this.sentence = sentence;
  }

  /** Why, for people. */
  public String sentence() {
    return sentence;
  }
}
