package io.ringmaster.worker.device.opencl;

import io.ringmaster.worker.device.DeviceMemoryFull;
import java.lang.foreign.MemorySegment;
import java.lang.ref.PhantomReference;
import java.lang.ref.ReferenceQueue;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * Device memory for the tiles of one command queue. What no tile uses any more is used again: the
 * queue executes in order, so that whoever wrote there before is done by then.
 *
 * <p>A tile is dead when the Java heap says so. As with the JDK's direct buffers, the heap is asked
 * to look when the budget is used up, since it doesn't see how much a small object stands for.
 */
final class Buffers implements AutoCloseable {

  private static final long SMALLEST = 256;
  private static final long READ_WRITE = 1;
  private static final int PATIENCE_MILLIS = 200;

  /** A piece of device memory. */
  static final class Buffer {
    private final MemorySegment handle;

    Buffer(MemorySegment handle) {
      this.handle = handle;
    }

    MemorySegment handle() {
      return handle;
    }
  }

  private static final class Held extends PhantomReference<Buffer> {
    private final MemorySegment handle;
    private final long bytes;

    Held(Buffer buffer, long bytes, ReferenceQueue<Buffer> dead) {
      super(buffer, dead);
      this.handle = buffer.handle();
      this.bytes = bytes;
    }
  }

  private final Programs programs;
  private final long budget;
  private final ReferenceQueue<Buffer> dead = new ReferenceQueue<>();
  private final Set<Held> held = new HashSet<>();
  private final Map<Long, Deque<MemorySegment>> free = new HashMap<>();
  private long taken;

  Buffers(Programs programs, long budget) {
    this.programs = programs;
    this.budget = budget;
  }

  /**
   * Memory with anything in it.
   *
   * @throws DeviceMemoryFull when the device has no more
   */
  Buffer take(long bytes) {
    long size = Math.max(SMALLEST, Long.highestOneBit(Math.max(bytes, 2) - 1) << 1);
    collect();
    MemorySegment handle = reusable(size);
    if (handle == null && taken + size > budget) {
      lookForDead();
      handle = reusable(size);
    }
    if (handle == null) {
      handle = allocate(programs, "a tile", size);
      taken += size;
    }
    var buffer = new Buffer(handle);
    held.add(new Held(buffer, size, dead));
    return buffer;
  }

  /** New memory that nobody gives back but who asked. */
  static MemorySegment allocate(Programs programs, String what, long bytes) {
    try {
      return programs
          .binding()
          .make(
              "allocating " + bytes + " bytes for " + what,
              programs.binding().createBuffer,
              programs.context(),
              READ_WRITE,
              bytes,
              MemorySegment.NULL);
    } catch (OpenClFailure failure) {
      if (failure.isMemory()) {
        throw new DeviceMemoryFull(
            "memory limit of the device: no " + bytes + " bytes for " + what + " are left on it");
      }
      throw failure;
    }
  }

  private @org.jspecify.annotations.Nullable MemorySegment reusable(long size) {
    Deque<MemorySegment> some = free.get(size);
    return some == null ? null : some.poll();
  }

  private void collect() {
    for (var reference = dead.poll(); reference != null; reference = dead.poll()) {
      giveBack((Held) reference);
    }
  }

  private void giveBack(Held buffer) {
    held.remove(buffer);
    free.computeIfAbsent(buffer.bytes, _ -> new ArrayDeque<>()).add(buffer.handle);
  }

  private void lookForDead() {
    System.gc();
    try {
      var first = dead.remove(PATIENCE_MILLIS);
      if (first != null) {
        giveBack((Held) first);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    collect();
  }

  @Override
  public void close() {
    Binding binding = programs.binding();
    held.forEach(buffer -> binding.code(binding.releaseMemObject, buffer.handle));
    free.values()
        .forEach(all -> all.forEach(handle -> binding.code(binding.releaseMemObject, handle)));
    held.clear();
    free.clear();
  }
}
