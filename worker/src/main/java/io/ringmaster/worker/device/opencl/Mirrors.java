package io.ringmaster.worker.device.opencl;

import io.ringmaster.worker.device.opencl.Buffers.Buffer;
import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.Map;

/**
 * The device's copies of host memory in one run. From its making on, the copy is what counts, and
 * the host's memory is brought up to date, or the copy told, only for the bytes that the host looks
 * at or changes: so signals that no tile touches never leave the host, and data that the host
 * doesn't look at never comes back before the end.
 *
 * <p>Memory is known by its address, so a window's slice of each rank is a copy of its own.
 */
final class Mirrors implements AutoCloseable {

  private static final class Mirror {
    final MemorySegment host;
    final Buffer buffer;
    Lane last;
    boolean written;

    Mirror(MemorySegment host, Buffer buffer, Lane lane) {
      this.host = host;
      this.buffer = buffer;
      this.last = lane;
    }
  }

  private final Programs programs;
  private final Map<Long, Mirror> mirrors = new HashMap<>();

  Mirrors(Programs programs) {
    this.programs = programs;
  }

  /** The device's copy, for a command that will be enqueued on {@code lane} next. */
  Buffer use(MemorySegment memory, Lane lane, boolean writes) {
    Mirror mirror = mirrors.get(memory.address());
    if (mirror == null) {
      mirror = make(memory, lane);
      lane.write(mirror.buffer, 0, memory);
    }
    return used(mirror, lane, writes);
  }

  /** As {@link #use} for writing, for memory that is overwritten as a whole. */
  Buffer overwrite(MemorySegment memory, Lane lane) {
    Mirror mirror = mirrors.get(memory.address());
    return used(mirror == null ? make(memory, lane) : mirror, lane, true);
  }

  private Mirror make(MemorySegment memory, Lane lane) {
    long bytes = Math.max(memory.byteSize(), 1);
    var buffer = new Buffer(lane.allocate("a window or tensor", bytes));
    var mirror = new Mirror(memory, buffer, lane);
    mirrors.put(memory.address(), mirror);
    return mirror;
  }

  private static Buffer used(Mirror mirror, Lane lane, boolean writes) {
    if (!mirror.last.equals(lane)) {
      // By the host, not by events: some drivers leave a queue alone that nobody waits for.
      mirror.last.finish();
      mirror.last = lane;
    }
    mirror.written |= writes;
    return mirror.buffer;
  }

  /** Brings the host's bytes up to date. */
  void toHost(MemorySegment memory, long from, long bytes) {
    Mirror mirror = mirrors.get(memory.address());
    if (mirror != null && mirror.written) {
      mirror.last.read(mirror.buffer, from, mirror.host.asSlice(from, bytes));
    }
  }

  /** Takes over what the host has changed. */
  void fromHost(MemorySegment memory, long from, long bytes) {
    Mirror mirror = mirrors.get(memory.address());
    if (mirror != null) {
      mirror.last.write(mirror.buffer, from, mirror.host.asSlice(from, bytes));
    }
  }

  @Override
  public void close() {
    Binding binding = programs.binding();
    for (Mirror mirror : mirrors.values()) {
      binding.code(binding.releaseMemObject, mirror.buffer.handle());
    }
    mirrors.clear();
  }
}
