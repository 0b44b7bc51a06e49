package io.ringmaster.worker.stop;

/**
 * The order to stop. A thread gets it by being interrupted: by the watchdog of the job for which it
 * works, once the job is cancelled or over its time.
 *
 * <p>Whatever can work for longer than about 50 ms looks at it that often, so that a run never
 * holds its thread after its end: each step of the evaluator, each instruction of a kernel, each
 * token of a source, and loops over many elements once a {@link #STRETCH}.
 */
public final class StopOrder {

  /** Elements that a loop may go through between two looks. */
  public static final int STRETCH = 1 << 16;

  private StopOrder() {}

  /** The order came; nothing but the end of the run may catch this. */
  public static final class Stopped extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private Stopped() {
      super("stopped", null, false, false);
    }
  }

  /**
   * Looks, and leaves the order in place for whoever looks next.
   *
   * @throws Stopped when this thread has the order
   */
  public static void look() {
    if (Thread.currentThread().isInterrupted()) {
      throw new Stopped();
    }
  }

  /** Looks once a {@link #STRETCH} of a loop that counts by ones. */
  public static void look(long count) {
    if ((count & (STRETCH - 1)) == 0) {
      look();
    }
  }
}
