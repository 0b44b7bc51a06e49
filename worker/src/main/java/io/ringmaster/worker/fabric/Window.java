package io.ringmaster.worker.fabric;

import java.lang.foreign.MemorySegment;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A window buffer: one zeroed, equally large slice for each member of its domain. Memory is taken
 * when the first slice is touched.
 */
public final class Window {

  /** Slots start at multiples of this many bytes. */
  public static final long SLOT_ALIGNMENT = 32;

  private final WindowInfo info;
  private final WindowSlice[] slices;
  private final Supplier<MemorySegment> source;
  private @Nullable MemorySegment memory;

  /** {@code source} makes zeroed memory for all slots. */
  Window(WindowInfo info, Supplier<MemorySegment> source) {
    this.info = info;
    this.source = source;
    this.slices = new WindowSlice[info.members().size()];
    long slot = slotBytes(info.logicalBytes());
    for (int local = 0; local < slices.length; local++) {
      slices[local] = new WindowSlice(this, local, info.members().get(local), local * slot);
    }
  }

  /** The memory of all slices. */
  MemorySegment memory() {
    MemorySegment all = memory;
    if (all == null) {
      all = source.get();
      memory = all;
    }
    return all;
  }

  /** The memory of a slice. */
  MemorySegment memory(int local) {
    long slot = slotBytes(info.logicalBytes());
    return memory().asSlice(local * slot, slot);
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
