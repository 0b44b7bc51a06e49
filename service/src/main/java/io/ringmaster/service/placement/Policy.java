package io.ringmaster.service.placement;

import io.ringmaster.service.config.Quotas;
import java.time.Duration;

/**
 * How placement weighs one run against another.
 *
 * @param reservations for how many waiting runs of a pool devices are kept, none overlapping
 * @param grace how much longer than its limit a run may hold its devices
 * @param quotas how much one owner may have at a time
 */
public record Policy(int reservations, Duration grace, Quotas quotas) {

  /** Without quotas. */
  public Policy(int reservations, Duration grace) {
    this(reservations, grace, Quotas.UNLIMITED);
  }
}
