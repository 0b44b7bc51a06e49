package io.ringmaster.worker.fabric;

import java.lang.foreign.MemorySegment;

/** Global memory of one rank that nobody else can address: what {@code pl.create_tensor} makes. */
public final class LocalRegion extends Region {

  private final MemorySegment segment;
  private final long bytes;

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
}
