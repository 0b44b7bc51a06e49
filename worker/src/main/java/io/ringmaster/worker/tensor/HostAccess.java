package io.ringmaster.worker.tensor;

import java.lang.foreign.MemorySegment;

/**
 * Is told when the host looks at memory or changes it that a device may be at work on, or hold a
 * newer copy of. Without such a device nothing has to be done.
 */
public interface HostAccess {

  /** Whether there is memory of its own: copies are the device's work then. */
  default boolean hasOwnMemory() {
    return false;
  }

  /**
   * Before the host reads bytes.
   *
   * @param memory a whole region, as it is handed to the device
   * @param from the first byte of it
   */
  default void reading(MemorySegment memory, long from, long bytes) {}

  /** Before the host changes bytes. */
  default void changing(MemorySegment memory, long from, long bytes) {}

  /** After the host has changed bytes. */
  default void changed(MemorySegment memory, long from, long bytes) {}
}
