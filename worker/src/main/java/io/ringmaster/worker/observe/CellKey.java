package io.ringmaster.worker.observe;

import io.ringmaster.worker.fabric.Notification;
import io.ringmaster.worker.fabric.SignalWait;

/** One signal cell of one rank's slice of one window. */
record CellKey(int window, int owner, long cell) {

  static CellKey of(Notification notification) {
    return new CellKey(notification.window().index(), notification.owner(), notification.cell());
  }

  static CellKey of(SignalWait wait) {
    return new CellKey(wait.window().index(), wait.rank(), wait.cell());
  }
}
