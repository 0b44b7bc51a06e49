package io.ringmaster.worker.device;

/** An operation that a device can't carry out; the message says which values are to blame. */
public final class DeviceFault extends RuntimeException {

  private static final long serialVersionUID = 1L;

  private final boolean outOfBounds;

  public DeviceFault(String message) {
    this(message, false);
  }

  private DeviceFault(String message, boolean outOfBounds) {
    super(message, null, false, false);
    this.outOfBounds = outOfBounds;
  }

  /** An access outside a tile. */
  public static DeviceFault outOfBounds(String message) {
    return new DeviceFault(message, true);
  }

  public boolean isOutOfBounds() {
    return outOfBounds;
  }
}
