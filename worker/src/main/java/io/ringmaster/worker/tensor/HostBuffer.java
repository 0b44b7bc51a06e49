package io.ringmaster.worker.tensor;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * Host memory that tensors view: off-heap, zeroed, 64-byte aligned, freed when unreachable.
 *
 * <p>It also remembers which bytes were handed to a dispatch as an output and which of them a
 * kernel wrote, so that a check can tell "never written" from a wrong value.
 */
public final class HostBuffer {

  private final MemorySegment segment;
  private final ByteRanges promised = new ByteRanges();
  private final ByteRanges written = new ByteRanges();
  private final ByteRanges stale = new ByteRanges();

  private HostBuffer(MemorySegment segment) {
    this.segment = segment;
  }

  /** Allocates {@code bytes} zero bytes. */
  public static HostBuffer allocate(long bytes) {
    return new HostBuffer(Arena.ofAuto().allocate(Math.max(bytes, 1), 64));
  }

  public MemorySegment segment() {
    return segment;
  }

  public long byteSize() {
    return segment.byteSize();
  }

  /** Bytes that some dispatch received as an output. */
  public ByteRanges promised() {
    return promised;
  }

  /** Bytes that some kernel wrote. */
  public ByteRanges written() {
    return written;
  }

  /** Bytes that a kernel wrote in an earlier run than the one that promised them last. */
  public ByteRanges stale() {
    return stale;
  }
}
