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

  /** The operating system has no memory left for it; the Java heap has nothing to do with that. */
  static MemoryLimitExceeded ofTheMachine(String what, long wanted) {
    return new MemoryLimitExceeded(
        what
            + " needs "
            + wanted
            + " bytes, and this worker's machine has no native memory left for them (the Java heap"
            + " isn't meant); use smaller buffers or fewer ranks");
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
