package io.ringmaster.worker.device.opencl;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.ringmaster.worker.device.DeviceMemoryFull;
import io.ringmaster.worker.device.opencl.Buffers.Buffer;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * An in-order command queue of one device, for the ranks that compute on it in one run. Nothing
 * waits for the device but reads by the host. Belongs to one thread.
 */
final class Lane implements AutoCloseable {

  /** Work items of a group, always: some drivers compile a kernel again for another number. */
  private static final long GROUP = 64;

  /** Elements that a work item of kernel {@code flat} computes. */
  private static final long PIECE = 16;

  private static final int JOB_BYTES = 168;
  private static final long MAP_READ = 1;
  private static final long MAP_WRITE = 2;
  private static final long MOST_TILE_BYTES = 512L << 20;

  /** Which kernel of which program; texts are kept, so that comparing them costs nothing. */
  private record Kernel(String text, String name) {}

  private final Programs programs;
  private final Binding binding;
  private final MemorySegment queue;
  private final Buffers buffers;
  private final Arena arena = Arena.ofConfined();
  private final MemorySegment job = arena.allocate(JOB_BYTES, 8);
  private final MemorySegment pointer = arena.allocate(ADDRESS);
  private final MemorySegment global = arena.allocate(JAVA_LONG, 3);
  private final MemorySegment local = arena.allocate(JAVA_LONG, 3);
  private final MemorySegment pattern = arena.allocate(JAVA_LONG);
  private final Map<Kernel, MemorySegment> kernels = new HashMap<>();
  private final Buffer fault;
  private @Nullable Copy waiting;

  Lane(Programs programs, Accelerator device) {
    this.programs = programs;
    this.binding = programs.binding();
    this.queue =
        binding.make(
            "making a command queue for " + device.name(),
            binding.createCommandQueue,
            programs.context(),
            device.handle(),
            0L);
    this.buffers =
        new Buffers(programs, Math.min(MOST_TILE_BYTES, device.memoryBytes() / 4), this::finish);
    try {
      this.fault = buffers.take(Integer.BYTES);
      fill(fault, 0, Integer.BYTES, 0, Integer.BYTES);
    } catch (OpenClFailure | DeviceMemoryFull failure) {
      close();
      throw failure;
    }
    local.setAtIndex(JAVA_LONG, 0, GROUP);
    local.setAtIndex(JAVA_LONG, 1, 1);
    local.setAtIndex(JAVA_LONG, 2, 1);
  }

  /** Memory with anything in it, its own as long as somebody holds it. */
  Buffer take(long bytes) {
    return buffers.take(bytes);
  }

  /** Memory that nobody gives back but who asked. */
  MemorySegment allocate(String what, long bytes) {
    return buffers.allocate(what, bytes);
  }

  /** The host's memory as the device's, which nobody gives back but who asked. */
  MemorySegment share(MemorySegment host) {
    return buffers.share(host);
  }

  /** True when a division by zero happened since it was last asked; waits for the device. */
  boolean faulted() {
    read(fault, 0, pattern.asSlice(0, Integer.BYTES));
    if (pattern.get(JAVA_INT, 0) == 0) {
      return false;
    }
    fill(fault, 0, Integer.BYTES, 0, Integer.BYTES);
    return true;
  }

  /** Launches a kernel; nothing if the box is empty. */
  void launch(String text, String name, Job what) {
    launch(text, name, what, fault);
  }

  /** Launches a kernel with a fourth operand of its own. */
  void launch(String text, String name, Job what, Buffer fourth) {
    for (long extent : what.extents()) {
      if (extent == 0) {
        return;
      }
    }
    MemorySegment kernel =
        kernels.computeIfAbsent(new Kernel(text, name), _ -> programs.kernel(text, name));
    Grid grid = Grid.of(what);
    try {
      arguments(kernel, what, grid, fourth);
      long groups = Math.ceilDiv(grid.extent(0), GROUP);
      global.setAtIndex(JAVA_LONG, 0, groups * GROUP);
      global.setAtIndex(JAVA_LONG, 1, grid.extent(1));
      global.setAtIndex(JAVA_LONG, 2, grid.extent(2));
      repeat(kernel, grid, grid.extents().length - 1);
    } catch (Throwable e) {
      throw Binding.unexpected(e);
    }
  }

  /**
   * Launches kernel {@code flat} if all operands of a job lie in one piece each.
   *
   * @return false when they don't, and nothing was launched
   */
  boolean flat(String text, Job what) {
    Grid grid = Grid.of(what);
    if (!grid.isFlat() || grid.extent(0) < PIECE) {
      return false;
    }
    MemorySegment kernel =
        kernels.computeIfAbsent(new Kernel(text, "flat"), _ -> programs.kernel(text, "flat"));
    try {
      arguments(kernel, what, grid, fault);
      global.setAtIndex(
          JAVA_LONG, 0, Math.ceilDiv(Math.ceilDiv(grid.extent(0), PIECE), GROUP) * GROUP);
      global.setAtIndex(JAVA_LONG, 1, 1);
      global.setAtIndex(JAVA_LONG, 2, 1);
      enqueue(kernel);
    } catch (Throwable e) {
      throw Binding.unexpected(e);
    }
    return true;
  }

  private void arguments(MemorySegment kernel, Job what, Grid grid, Buffer fourth)
      throws Throwable {
    argument(kernel, 0, what.out().buffer());
    argument(kernel, 1, what.a().buffer());
    argument(kernel, 2, what.b().buffer());
    argument(kernel, 3, fourth);
    numbers(what.numbers());
    place(0, what.out(), grid);
    place(1, what.a(), grid);
    place(2, what.b(), grid);
    job.set(JAVA_LONG, 96, grid.extent(0));
  }

  /** Copies a box of elements of one width. */
  void move(int width, long[] extents, Job.Operand from, Job.Operand to) {
    for (long extent : extents) {
      if (extent == 0) {
        return;
      }
    }
    var what = new Job(extents, to, from, from, Job.Numbers.NONE);
    Grid grid = Grid.of(what);
    if (grid.isFlat() && !from.buffer().handle().equals(to.buffer().handle())) {
      copy(
          from.buffer(),
          from.first() * width,
          to.buffer(),
          to.first() * width,
          grid.extent(0) * width);
    } else {
      launch(Texts.moves(width), "move", what);
    }
  }

  /** One launch for each index of the dimensions that don't fit into a launch. */
  private void repeat(MemorySegment kernel, Grid grid, int dim) throws Throwable {
    if (dim < 3) {
      enqueue(kernel);
      return;
    }
    long[] firsts = {job.get(JAVA_LONG, 0), job.get(JAVA_LONG, 32), job.get(JAVA_LONG, 64)};
    for (long i = 0; i < grid.extent(dim); i++) {
      for (int operand = 0; operand < firsts.length; operand++) {
        job.set(JAVA_LONG, 32L * operand, firsts[operand] + i * grid.step(operand, dim));
      }
      repeat(kernel, grid, dim - 1);
    }
    for (int operand = 0; operand < firsts.length; operand++) {
      job.set(JAVA_LONG, 32L * operand, firsts[operand]);
    }
  }

  private void enqueue(MemorySegment kernel) throws Throwable {
    enqueueCopy();
    OpenClFailure.check(
        "setting a kernel's numbers",
        (int) binding.setKernelArg.invokeExact(kernel, 4, (long) JOB_BYTES, job));
    OpenClFailure.check(
        "launching a kernel",
        (int)
            binding.enqueueNdRangeKernel.invokeExact(
                queue,
                kernel,
                3,
                MemorySegment.NULL,
                global,
                local,
                0,
                MemorySegment.NULL,
                MemorySegment.NULL));
  }

  private void argument(MemorySegment kernel, int index, Buffer buffer) throws Throwable {
    pointer.set(ADDRESS, 0, buffer.handle());
    OpenClFailure.check(
        "setting a kernel's operand",
        (int) binding.setKernelArg.invokeExact(kernel, index, ADDRESS.byteSize(), pointer));
  }

  private void place(int operand, Job.Operand what, Grid grid) {
    long at = 32L * operand;
    job.set(JAVA_LONG, at, what.first());
    for (int dim = 0; dim < 3; dim++) {
      job.set(JAVA_LONG, at + 8L * (dim + 1), grid.step(operand, dim));
    }
  }

  private void numbers(Job.Numbers numbers) {
    job.set(JAVA_LONG, 104, numbers.length());
    job.set(JAVA_LONG, 112, numbers.step());
    job.set(JAVA_LONG, 120, numbers.whole());
    job.set(JAVA_LONG, 128, numbers.left());
    job.set(JAVA_LONG, 136, numbers.right());
    job.set(JAVA_FLOAT, 144, numbers.real());
    job.set(JAVA_INT, 148, numbers.op());
    job.set(JAVA_INT, 152, numbers.type());
    job.set(JAVA_INT, 156, numbers.mode());
    job.set(JAVA_INT, 160, numbers.other());
  }

  /** Fills memory with the low {@code width} bytes of a pattern. */
  void fill(Buffer buffer, long from, long bytes, long bits, int width) {
    if (bytes == 0) {
      return;
    }
    enqueueCopy();
    pattern.set(JAVA_LONG, 0, bits);
    binding.call(
        "filling device memory",
        binding.enqueueFillBuffer,
        queue,
        buffer.handle(),
        pattern,
        (long) width,
        from,
        bytes,
        0,
        MemorySegment.NULL,
        MemorySegment.NULL);
  }

  /** A copy that isn't enqueued yet, because the next one may go on where it ends. */
  private record Copy(Buffer source, long from, Buffer target, long to, long bytes) {
    boolean goesOn(Buffer nextSource, long nextFrom, Buffer nextTarget, long nextTo) {
      return source.handle().equals(nextSource.handle())
          && target.handle().equals(nextTarget.handle())
          && from + bytes == nextFrom
          && to + bytes == nextTo;
    }
  }

  /**
   * Copies from one buffer to another. Kernels move large boxes tile by tile; a row of copies that
   * go on where the one before ends is one command.
   */
  void copy(Buffer source, long from, Buffer target, long to, long bytes) {
    if (bytes == 0) {
      return;
    }
    Copy last = waiting;
    if (last != null && last.goesOn(source, from, target, to)) {
      waiting = new Copy(source, last.from, target, last.to, last.bytes + bytes);
    } else {
      enqueueCopy();
      waiting = new Copy(source, from, target, to, bytes);
    }
  }

  /** Every other command comes after the copies before it. */
  private void enqueueCopy() {
    Copy last = waiting;
    if (last != null) {
      waiting = null;
      enqueue(last);
    }
  }

  private void enqueue(Copy copy) {
    binding.call(
        "copying device memory",
        binding.enqueueCopyBuffer,
        queue,
        copy.source.handle(),
        copy.target.handle(),
        copy.from,
        copy.to,
        copy.bytes,
        0,
        MemorySegment.NULL,
        MemorySegment.NULL);
  }

  /** Reads what is there once everything before is done. */
  void read(Buffer buffer, long from, MemorySegment to) {
    transfer(binding.enqueueReadBuffer, "reading device memory", buffer, from, to);
  }

  /** Writes after everything before. */
  void write(Buffer buffer, long from, MemorySegment source) {
    transfer(binding.enqueueWriteBuffer, "writing device memory", buffer, from, source);
  }

  private void transfer(
      java.lang.invoke.MethodHandle function,
      String what,
      Buffer buffer,
      long from,
      MemorySegment host) {
    if (host.byteSize() == 0) {
      return;
    }
    enqueueCopy();
    binding.call(
        what,
        function,
        queue,
        buffer.handle(),
        1,
        from,
        host.byteSize(),
        host,
        0,
        MemorySegment.NULL,
        MemorySegment.NULL);
  }

  /** Lets the host look at memory that it shares, and change it, once everything before is done. */
  MemorySegment map(Buffer buffer, long bytes) {
    enqueueCopy();
    return binding.make(
        "mapping memory",
        binding.enqueueMapBuffer,
        queue,
        buffer.handle(),
        1,
        MAP_READ | MAP_WRITE,
        0L,
        bytes,
        0,
        MemorySegment.NULL,
        MemorySegment.NULL);
  }

  /** Takes it back for what comes next. */
  void unmap(Buffer buffer, MemorySegment mapped) {
    binding.call(
        "unmapping memory",
        binding.enqueueUnmapMemObject,
        queue,
        buffer.handle(),
        mapped,
        0,
        MemorySegment.NULL,
        MemorySegment.NULL);
  }

  /** Waits until everything is done. */
  void finish() {
    enqueueCopy();
    binding.call("waiting for the device", binding.finish, queue);
  }

  @Override
  public void close() {
    // What a failed device says to this is said already.
    binding.code(binding.finish, queue);
    kernels.values().forEach(kernel -> binding.code(binding.releaseKernel, kernel));
    buffers.close();
    binding.code(binding.releaseCommandQueue, queue);
    arena.close();
  }
}
