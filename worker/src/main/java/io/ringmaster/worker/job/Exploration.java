package io.ringmaster.worker.job;

/**
 * Which of the orders that a kernel's events can come in are run, and under which model of memory.
 * Every order can be told from its seed alone.
 *
 * @param scheduleSeed the order of the run: 0 for the plain one, by virtual time and rank
 * @param schedules further orders to run beside it, at most {@link #MOST_SCHEDULES}
 * @param cacheLines whether memory is written by whole lines of 64 bytes, so that writes of
 *     different ranks into one line need an order
 */
public record Exploration(long scheduleSeed, int schedules, boolean cacheLines) {

  /** More orders take more time than one run should. */
  public static final int MOST_SCHEDULES = 1000;

  /** The plain order, and nothing else. */
  public static final Exploration NONE = new Exploration(0, 0, false);

  /** Refuses a number of orders out of range. */
  public Exploration {
    if (schedules < 0 || schedules > MOST_SCHEDULES) {
      throw new IllegalArgumentException(
          "schedules: " + schedules + " isn't in 0.." + MOST_SCHEDULES);
    }
  }

  /** One order only. */
  Exploration only(long seed) {
    return new Exploration(seed, 0, cacheLines);
  }
}
