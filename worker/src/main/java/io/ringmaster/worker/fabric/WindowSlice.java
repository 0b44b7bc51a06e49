package io.ringmaster.worker.fabric;

import io.ringmaster.worker.tensor.HostAccess;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.jspecify.annotations.Nullable;

/** One rank's part of a window. */
public final class WindowSlice extends Region {

  private final Window window;
  private final int local;
  private final int global;
  private final long offset;
  private @Nullable MemorySegment segment;
  private @Nullable Deferred deferred;

  /** {@code offset} is where it begins in the window's memory. */
  WindowSlice(Window window, int local, int global, long offset) {
    this.offset = offset;
    this.window = window;
    this.local = local;
    this.global = global;
  }

  public Window window() {
    return window;
  }

  public WindowInfo info() {
    return window.info();
  }

  /** Domain-local rank of the owner. */
  public int localRank() {
    return local;
  }

  /** Global rank of the owner. */
  public int owner() {
    return global;
  }

  /** Value of the INT32 cell that starts at byte {@code 4 * index}; the caller has checked it. */
  public int cell(long index) {
    MemorySegment all = window.memory();
    if (deferred != null) {
      settle(index * Integer.BYTES, (index + 1) * Integer.BYTES);
    }
    HostAccess access = window.access();
    if (access != null) {
      access.reading(segment(), index * Integer.BYTES, Integer.BYTES);
    }
    return all.get(ValueLayout.JAVA_INT_UNALIGNED, offset + index * Integer.BYTES);
  }

  /** Overwrites an INT32 cell; the caller has checked the index. */
  public void setCell(long index, int value) {
    MemorySegment all = window.memory();
    if (deferred != null) {
      settle(index * Integer.BYTES, (index + 1) * Integer.BYTES);
    }
    changing(index * Integer.BYTES, (index + 1) * Integer.BYTES);
    HostAccess access = window.access();
    if (access != null) {
      access.changing(segment(), index * Integer.BYTES, Integer.BYTES);
    }
    all.set(ValueLayout.JAVA_INT_UNALIGNED, offset + index * Integer.BYTES, value);
    if (access != null) {
      access.changed(segment(), index * Integer.BYTES, Integer.BYTES);
    }
  }

  /** Whom the host tells what it does to the memory; null for nobody. */
  @Nullable HostAccess access() {
    return window.access();
  }

  /**
   * Lets copies into the slice be put off.
   *
   * @param zeros whether its memory may hold anything, and zeros have to be put there first
   */
  void defer(boolean zeros) {
    deferred = new Deferred(this, zeros, Window.slotBytes(bytes()));
  }

  @Override
  @Nullable Deferred deferred() {
    window.memory();
    return deferred;
  }

  @Override
  public MemorySegment segment() {
    MemorySegment own = segment;
    if (own == null) {
      own = window.memory(local);
      segment = own;
    }
    return own;
  }

  @Override
  public long bytes() {
    return window.info().logicalBytes();
  }
}
