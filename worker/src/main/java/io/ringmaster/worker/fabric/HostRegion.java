package io.ringmaster.worker.fabric;

import io.ringmaster.worker.tensor.HostBuffer;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/** Memory of a host tensor, shared by every dispatch that receives a view of it. */
public final class HostRegion extends Region {

  private final HostBuffer buffer;
  private final String name;
  private final long rowBytes;
  private @Nullable LastWriters writers;

  /**
   * The memory of a tensor.
   *
   * @param name what HOST code calls it, for messages
   * @param rowBytes bytes from one of its rows to the next
   */
  HostRegion(HostBuffer buffer, String name, long rowBytes) {
    this.buffer = buffer;
    this.name = name;
    this.rowBytes = rowBytes;
  }

  /** {@code row 2 of `y`}, {@code rows 2..4 of `y`}, for the bytes {@code [from, to)}. */
  public String place(long from, long to) {
    if (rowBytes <= 0 || to <= from) {
      return "`" + name + "`";
    }
    long first = from / rowBytes;
    long last = (to - 1) / rowBytes;
    return (first == last ? "row " + first : "rows " + first + ".." + last) + " of `" + name + "`";
  }

  /** From now on it is noted who writes what. */
  public void watch(LastWriters by) {
    writers = by;
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
    if (writers != null) {
      writers.wrote(from, to);
    }
  }
}
