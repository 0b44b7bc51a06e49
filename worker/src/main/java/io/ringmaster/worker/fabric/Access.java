package io.ringmaster.worker.fabric;

import io.ringmaster.worker.source.Span;

/**
 * One rank touched a box of bytes in some rank's slice of a window: {@code rows} runs of {@code
 * rowBytes} bytes, {@code rowStride} bytes apart, the first at {@code byteOffset} of the buffer.
 *
 * <p>A transfer reports two accesses, the read and the write; when source and destination are the
 * same bytes of the same slice (a built-in's put or get to itself in place) only the read is
 * reported, because a copy onto itself is no write.
 *
 * @param rank global rank that executes the operation
 * @param owner global rank whose slice is touched
 * @param window the buffer, see {@link WindowInfo}
 * @param virtualNanos start of the operation on the rank's virtual clock
 */
public record Access(
    int rank,
    int owner,
    WindowInfo window,
    Kind kind,
    Operation operation,
    long byteOffset,
    long rows,
    long rowBytes,
    long rowStride,
    Span span,
    long virtualNanos) {

  /** How memory was touched. */
  public enum Kind {
    READ,
    WRITE,
    ATOMIC_ADD
  }
}
