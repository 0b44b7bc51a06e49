package io.ringmaster.worker.fabric;

import java.lang.foreign.MemorySegment;

/** A window buffer: one zeroed, equally large slice for each member of its domain. */
public final class Window {

  /** Slots start at multiples of this many bytes. */
  public static final long SLOT_ALIGNMENT = 32;

  private final WindowInfo info;
  private final WindowSlice[] slices;

  Window(WindowInfo info, MemorySegment memory) {
    this.info = info;
    this.slices = new WindowSlice[info.members().size()];
    long slot = slotBytes(info.logicalBytes());
    for (int local = 0; local < slices.length; local++) {
      slices[local] =
          new WindowSlice(
              this, local, info.members().get(local), memory.asSlice(local * slot, slot));
    }
  }

  /** Bytes a slot of {@code logicalBytes} takes. */
  static long slotBytes(long logicalBytes) {
    return Math.ceilDiv(logicalBytes, SLOT_ALIGNMENT) * SLOT_ALIGNMENT;
  }

  public WindowInfo info() {
    return info;
  }

  /** Number of ranks in the domain. */
  public int size() {
    return slices.length;
  }

  /** The slice of a domain-local rank, which the caller has checked. */
  public WindowSlice slice(int local) {
    return slices[local];
  }
}
