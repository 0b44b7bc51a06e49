package io.ringmaster.worker.trial;

import io.ringmaster.worker.fabric.CollectiveCall;
import io.ringmaster.worker.fabric.FabricListener;

/** Notes when the first rank entered a collective and the last one left it. */
final class CollectiveClock implements FabricListener {

  private long entered = Long.MAX_VALUE;
  private long left = Long.MIN_VALUE;

  @Override
  public boolean needsOrder() {
    return false;
  }

  @Override
  public void collectiveEntered(CollectiveCall call, long virtualNanos) {
    entered = Math.min(entered, virtualNanos);
  }

  @Override
  public void collectiveLeft(CollectiveCall call, long virtualNanos) {
    left = Math.max(left, virtualNanos);
  }

  /** The time between; {@code otherwise} when there was no built-in collective. */
  long nanos(long otherwise) {
    return left < entered ? otherwise : left - entered;
  }
}
