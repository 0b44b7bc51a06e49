package io.ringmaster.worker.frontend;

/**
 * Limits of the front end.
 *
 * @param maxUnrolled how many copies of a body one {@code pl.unroll} may ask for
 */
public record FrontendOptions(int maxUnrolled) {

  /** What a job gets when nobody says otherwise. */
  public static final FrontendOptions DEFAULTS = new FrontendOptions(1024);
}
