package io.ringmaster.worker.fabric;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.jspecify.annotations.Nullable;

/** One rank's part of a window. */
public final class WindowSlice extends Region {

  private final Window window;
  private final int local;
  private final int global;
  private @Nullable MemorySegment segment;

  WindowSlice(Window window, int local, int global) {
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
    return segment().get(ValueLayout.JAVA_INT_UNALIGNED, index * Integer.BYTES);
  }

  /** Overwrites an INT32 cell; the caller has checked the index. */
  public void setCell(long index, int value) {
    segment().set(ValueLayout.JAVA_INT_UNALIGNED, index * Integer.BYTES, value);
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
