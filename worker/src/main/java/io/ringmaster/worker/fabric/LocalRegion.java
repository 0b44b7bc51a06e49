package io.ringmaster.worker.fabric;

import io.ringmaster.worker.tensor.ByteRanges;
import java.lang.foreign.MemorySegment;

/** Global memory of one rank that nobody else can address: what {@code pl.create_tensor} makes. */
public final class LocalRegion extends Region {

  /** Scattered writes beyond this many aren't told apart any more: the memory counts as written. */
  private static final int MOST_RANGES = 1 << 16;

  private final MemorySegment segment;
  private final long bytes;
  private final ByteRanges written = new ByteRanges();

  LocalRegion(MemorySegment segment, long bytes) {
    this.segment = segment;
    this.bytes = bytes;
  }

  @Override
  public MemorySegment segment() {
    return segment;
  }

  @Override
  public long bytes() {
    return bytes;
  }

  @Override
  void recordWrite(long from, long to) {
    written.add(from, to);
    if (written.count() > MOST_RANGES) {
      written.add(0, bytes);
    }
  }

  /** True when every byte of {@code [from, to)} was written since the memory was made. */
  public boolean isWritten(long from, long to) {
    return written.containsAll(from, to);
  }
}
