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
 * to look when the budget is used up, since it doesn't see how much a small object stands for. What
 * is free then goes back to the device, and the budget grows to twice what lives, so that a kernel
 * with many tiles doesn't have the heap looked through for each.
 */
final class Buffers implements AutoCloseable {

  private static final long SMALLEST = 256;
  private static final long READ_WRITE = 1;
  private static final long USE_HOST_POINTER = 1 << 3;
  private static final int PATIENCE_MILLIS = 200;

  /** The collector hands the dead over one by one. */
  private static final int BETWEEN_MILLIS = 2;

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
  private final Runnable finish;
  private final ReferenceQueue<Buffer> dead = new ReferenceQueue<>();
  private final Set<Held> held = new HashSet<>();
  private final Map<Long, Deque<MemorySegment>> free = new HashMap<>();
  private long budget;
  private long taken;

  /**
   * Begins with no memory.
   *
   * @param budget bytes up to which nobody looks for dead tiles
   * @param finish waits until the queue has no command left that uses what is free
   */
  Buffers(Programs programs, long budget, Runnable finish) {
    this.programs = programs;
    this.budget = budget;
    this.finish = finish;
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
      budget = Math.max(budget, 2 * (living() + size));
      handle = reusable(size);
      if (handle == null && taken + size > budget) {
        releaseFree();
      }
    }
    if (handle == null) {
      handle = allocate("a tile", size);
      taken += size;
    }
    var buffer = new Buffer(handle);
    held.add(new Held(buffer, size, dead));
    return buffer;
  }

  /**
   * New memory that nobody gives back but who asked.
   *
   * @throws DeviceMemoryFull when the device has no more
   */
  MemorySegment allocate(String what, long bytes) {
    try {
      return make(what, bytes, READ_WRITE, MemorySegment.NULL);
    } catch (DeviceMemoryFull _) {
      lookForDead();
      finish.run();
      releaseFree();
      return make(what, bytes, READ_WRITE, MemorySegment.NULL);
    }
  }

  /** The host's memory as the device's, which nobody gives back but who asked. */
  MemorySegment share(MemorySegment host) {
    return make("the host's memory", host.byteSize(), READ_WRITE | USE_HOST_POINTER, host);
  }

  private MemorySegment make(String what, long bytes, long flags, MemorySegment host) {
    String wanted = bytes + " bytes for " + what;
    try {
      return programs
          .binding()
          .make(
              "allocating " + wanted,
              programs.binding().createBuffer,
              programs.context(),
              flags,
              bytes,
              host);
    } catch (OpenClFailure failure) {
      if (failure.isMemory()) {
        throw new DeviceMemoryFull("no " + wanted + " are left on it");
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
      for (var found = dead.remove(PATIENCE_MILLIS);
          found != null;
          found = dead.remove(BETWEEN_MILLIS)) {
        giveBack((Held) found);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      collect();
    }
  }

  /** Bytes that tiles use, as far as the heap knows. */
  private long living() {
    return held.stream().mapToLong(buffer -> buffer.bytes).sum();
  }

  /** Gives back to the device what no tile uses. */
  private void releaseFree() {
    free.forEach(
        (size, handles) -> {
          handles.forEach(this::release);
          taken -= size * handles.size();
        });
    free.clear();
  }

  private void release(MemorySegment handle) {
    Binding binding = programs.binding();
    binding.code(binding.releaseMemObject, handle);
  }

  @Override
  public void close() {
    held.forEach(buffer -> release(buffer.handle));
    held.clear();
    releaseFree();
  }
}
