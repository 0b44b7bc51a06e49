package io.ringmaster.service.workers;

import io.ringmaster.service.testing.TestService;

/** Lets a test say when silent workers are given up. */
public final class Sweeps {

  private Sweeps() {}

  /** What the service does at each heartbeat, now. */
  public static void sweep(TestService service) {
    service.bean(LostRuns.class).sweep();
  }
}
