package io.ringmaster.worker.device.opencl;

import static java.lang.foreign.ValueLayout.ADDRESS;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * One context for all devices of a platform, and what was compiled in it: each text once in the
 * life of the process. Thread-safe.
 */
final class Programs {

  private static final int BUILD_LOG = 0x1183;
  private static final int LOG_BYTES = 1 << 16;

  private final Binding binding;
  private final List<Accelerator> devices;
  private final MemorySegment context;
  private final String options;
  private final ConcurrentHashMap<String, MemorySegment> built = new ConcurrentHashMap<>();
  private final AtomicInteger compiled = new AtomicInteger();

  Programs(Binding binding, List<Accelerator> devices) {
    this.binding = binding;
    this.devices = devices;
    try (Arena arena = Arena.ofConfined()) {
      this.context =
          binding.make(
              "making a context",
              binding.createContext,
              MemorySegment.NULL,
              devices.size(),
              handles(arena),
              MemorySegment.NULL,
              MemorySegment.NULL);
    }
    boolean exact = devices.stream().allMatch(Accelerator::exactDivision);
    this.options =
        (exact ? "-cl-fp32-correctly-rounded-divide-sqrt -D EXACT" : "")
            + (devices.stream().allMatch(Accelerator::fp64) ? " -D FP64" : "");
  }

  private MemorySegment handles(Arena arena) {
    MemorySegment handles = arena.allocate(ADDRESS, devices.size());
    for (int i = 0; i < devices.size(); i++) {
      handles.setAtIndex(ADDRESS, i, devices.get(i).handle());
    }
    return handles;
  }

  Binding binding() {
    return binding;
  }

  List<Accelerator> devices() {
    return devices;
  }

  MemorySegment context() {
    return context;
  }

  /** A new kernel object; the caller releases it. */
  MemorySegment kernel(String text, String name) {
    MemorySegment program = built.computeIfAbsent(text, this::build);
    try (Arena arena = Arena.ofConfined()) {
      return binding.make(
          "making kernel " + name, binding.createKernel, program, arena.allocateFrom(name));
    }
  }

  /** How many programs were compiled in the life of the process. */
  int compiled() {
    return compiled.get();
  }

  private MemorySegment build(String text) {
    compiled.incrementAndGet();
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment source = arena.allocateFrom(ADDRESS, arena.allocateFrom(text));
      MemorySegment program =
          binding.make(
              "making a program",
              binding.createProgramWithSource,
              context,
              1,
              source,
              MemorySegment.NULL);
      int code =
          binding.code(
              binding.buildProgram,
              program,
              devices.size(),
              handles(arena),
              arena.allocateFrom(options),
              MemorySegment.NULL,
              MemorySegment.NULL);
      if (code != 0) {
        throw new OpenClFailure("compiling kernels", code, ": " + log(arena, program));
      }
      return program;
    }
  }

  private String log(Arena arena, MemorySegment program) {
    MemorySegment log = arena.allocate(LOG_BYTES);
    binding.code(
        binding.getProgramBuildInfo,
        program,
        devices.getFirst().handle(),
        BUILD_LOG,
        LOG_BYTES - 1L,
        log,
        MemorySegment.NULL);
    return log.getString(0).strip();
  }
}
