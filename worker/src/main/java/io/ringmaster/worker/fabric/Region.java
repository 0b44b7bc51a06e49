package io.ringmaster.worker.fabric;

import java.lang.foreign.MemorySegment;

/** A piece of memory that a kernel addresses through {@link TensorView}s. */
public abstract sealed class Region permits HostRegion, LocalRegion, WindowSlice {

  /** The bytes; at least {@link #bytes()} long. */
  public abstract MemorySegment segment();

  /** Bytes a kernel may touch; alignment padding behind them isn't counted. */
  public abstract long bytes();

  /** Remembers that a kernel wrote {@code [from, to)}; windows keep no record. */
  void recordWrite(long from, long to) {}
}
