package io.ringmaster.worker.fabric;

import io.ringmaster.worker.tensor.HostAccess;
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
  private final Supplier<SpareMemory.Piece> source;
  private final @Nullable HostAccess access;
  private @Nullable MemorySegment memory;

  /**
   * @param source makes memory for all slots
   * @param access whom the host tells when it looks at the memory; null for nobody
   */
  Window(WindowInfo info, Supplier<SpareMemory.Piece> source, @Nullable HostAccess access) {
    this.info = info;
    this.access = access;
    this.source = source;
    this.slices = new WindowSlice[info.members().size()];
    long slot = slotBytes(info.logicalBytes());
    for (int local = 0; local < slices.length; local++) {
      slices[local] = new WindowSlice(this, local, info.members().get(local), local * slot);
    }
  }

  @Nullable HostAccess access() {
    return access;
  }

  /** The memory of all slices. */
  MemorySegment memory() {
    MemorySegment all = memory;
    if (all == null) {
      SpareMemory.Piece piece = source.get();
      all = piece.memory();
      memory = all;
      boolean hostCopies = access == null || !access.hasOwnMemory();
      if (hostCopies && slotBytes(info.logicalBytes()) >= Deferred.SHORTEST) {
        for (WindowSlice slice : slices) {
          slice.defer(!piece.zeroed());
        }
      } else if (!piece.zeroed()) {
        all.fill((byte) 0);
      }
    }
    return all;
  }

  /** The memory of a slice, which may be behind, see {@link Deferred}. */
  MemorySegment memory(int local) {
    long slot = slotBytes(info.logicalBytes());
    return memory().asSlice(local * slot, slot);
  }

  /** The memory of a slice when all its bytes are in it. */
  MemorySegment settled(int local) {
    MemorySegment own = memory(local);
    Deferred open = slice(local).deferred();
    if (open != null) {
      open.settleAll();
    }
    return own;
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
