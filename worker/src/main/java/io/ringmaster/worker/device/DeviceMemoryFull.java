package io.ringmaster.worker.device;

/** A device has no memory left for what a kernel needs. */
public final class DeviceMemoryFull extends RuntimeException {

  private static final long serialVersionUID = 1L;

  /** {@code what} says what was asked for, and where it isn't. */
  public DeviceMemoryFull(String what) {
    super(
        "memory limit of the device: "
            + what
            + "; use smaller tiles or windows, or fewer ranks on one device",
        null,
        false,
        false);
  }
}
