package io.ringmaster.worker.observe;

import io.ringmaster.worker.fabric.Notification;

/**
 * What a notify did to a signal cell.
 *
 * @param notification the notify; the last of several that were merged
 * @param value added, or set; of all together where several were merged
 * @param sent the point at which it was sent
 */
record Modification(Notification notification, int value, boolean set, Stamp sent, boolean merged) {

  /** True for what could let a wait through. */
  boolean gives() {
    return set || value > 0;
  }

  int applyTo(int before) {
    return set ? value : before + value;
  }
}
