package io.ringmaster.worker.device;

/** A device has no memory left for what a kernel needs. */
public final class DeviceMemoryFull extends RuntimeException {

  private static final long serialVersionUID = 1L;

  /** {@code sentence} says what was asked for, and where it isn't. */
  public DeviceMemoryFull(String sentence) {
    super(sentence, null, false, false);
  }
}
