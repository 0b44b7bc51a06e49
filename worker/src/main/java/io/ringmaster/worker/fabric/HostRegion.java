package io.ringmaster.worker.fabric;

import io.ringmaster.worker.tensor.HostBuffer;
import java.lang.foreign.MemorySegment;

/** Memory of a host tensor, shared by every dispatch that receives a view of it. */
public final class HostRegion extends Region {

  private final HostBuffer buffer;

  public HostRegion(HostBuffer buffer) {
    this.buffer = buffer;
  }

  public HostBuffer buffer() {
    return buffer;
  }

  @Override
  public MemorySegment segment() {
    return buffer.segment();
  }

  @Override
  public long bytes() {
    return buffer.byteSize();
  }

  @Override
  void recordWrite(long from, long to) {
    buffer.written().add(from, to);
  }
}
