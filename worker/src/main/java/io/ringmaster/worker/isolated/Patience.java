package io.ringmaster.worker.isolated;

import java.time.Duration;

/**
 * How long what may take.
 *
 * @param start until a child is ready
 * @param probe until it knows the devices
 * @param stop after the order to stop, until a child is ended
 * @param polite how long its processes may take to end when asked
 * @param kill how long the kernel may take to end those that don't
 * @param idle how long a child without work is kept
 */
record Patience(
    Duration start, Duration probe, Duration stop, Duration polite, Duration kill, Duration idle) {

  /**
   * The order to stop takes effect within stop, polite and kill: less than the 5 s after which a
   * service or a worker gives up the thread of a run.
   */
  static final Patience STANDARD =
      new Patience(
          Duration.ofSeconds(60),
          Duration.ofSeconds(30),
          Duration.ofSeconds(3),
          Duration.ofMillis(200),
          Duration.ofMillis(1500),
          Duration.ofSeconds(60));
}
