package io.ringmaster.worker.fabric;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** One rank's part of a window. */
public final class WindowSlice extends Region {

  private final Window window;
  private final int local;
  private final int global;
  private final MemorySegment segment;

  WindowSlice(Window window, int local, int global, MemorySegment segment) {
    this.window = window;
    this.local = local;
    this.global = global;
    this.segment = segment;
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
    return segment.get(ValueLayout.JAVA_INT_UNALIGNED, index * Integer.BYTES);
  }

  /** Overwrites an INT32 cell; the caller has checked the index. */
  public void setCell(long index, int value) {
    segment.set(ValueLayout.JAVA_INT_UNALIGNED, index * Integer.BYTES, value);
  }

  @Override
  public MemorySegment segment() {
    return segment;
  }

  @Override
  public long bytes() {
    return window.info().logicalBytes();
  }
}
