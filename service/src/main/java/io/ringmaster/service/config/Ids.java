package io.ringmaster.service.config;

import java.security.SecureRandom;
import java.time.InstantSource;
import java.util.UUID;

/**
 * Makes ids that sort by time: UUID version 7 behind a prefix that says what is meant. Ids of one
 * process are strictly ascending, also within a millisecond.
 */
public final class Ids {

  private static final int COUNTER_BITS = 12;

  private final InstantSource clock;
  private final SecureRandom random = new SecureRandom();
  private long last;

  public Ids(InstantSource clock) {
    this.clock = clock;
  }

  public String job() {
    return "job_" + next();
  }

  public String run() {
    return "run_" + next();
  }

  public String worker() {
    return "worker_" + next();
  }

  /** A secret as well: its random part has 62 bits, from a secure source. */
  public String lease() {
    return "lease_" + next();
  }

  /** A bare id, for rows that no client names. */
  public String row() {
    return next().toString();
  }

  private UUID next() {
    long stamp = stamp();
    long high = ((stamp >>> COUNTER_BITS) << 16) | 0x7000 | (stamp & 0xFFF);
    long low = (random.nextLong() >>> 2) | 0x8000_0000_0000_0000L;
    return new UUID(high, low);
  }

  /** Milliseconds and a counter in one number; a clock that stands or jumps back only counts on. */
  private synchronized long stamp() {
    last = Math.max(last + 1, clock.millis() << COUNTER_BITS);
    return last;
  }
}
