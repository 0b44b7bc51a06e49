package io.ringmaster.worker.device.opencl;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Objects;
import java.util.Optional;

/**
 * What OpenCL offers on this host: the devices of one platform, that with the best of them (GPUs
 * and other accelerators before CPUs). Probed once in the life of the process, when first asked.
 */
public final class OpenCl {

  private static final String INSTALL =
      "install the OpenCL driver of the device; on Debian, apt-get install pocl-opencl-icd"
          + " ocl-icd-libopencl1 makes the CPU one";

  private static final int DEVICE_TYPE = 0x1000;
  private static final int MAX_COMPUTE_UNITS = 0x1002;
  private static final int SINGLE_FP_CONFIG = 0x101B;
  private static final int GLOBAL_MEM_SIZE = 0x101F;
  private static final int AVAILABLE = 0x1027;
  private static final int COMPILER_AVAILABLE = 0x1028;
  private static final int NAME = 0x102B;
  private static final int DOUBLE_FP_CONFIG = 0x1032;
  private static final int HOST_UNIFIED_MEMORY = 0x1035;
  private static final int PLATFORM_NAME = 0x0902;
  private static final long ALL_DEVICES = 0xFFFF_FFFFL;
  private static final long DENORM = 1;
  private static final long CORRECTLY_ROUNDED = 1 << 7;

  /** What was found on this host. */
  public sealed interface Probe {

    /** The devices, at least one, in the order of their numbers. */
    record Available(List<Accelerator> devices) implements Probe {

      /** The device of which a device id names a share: its number modulo theirs. */
      public Accelerator of(int deviceId) {
        return devices.get(Math.floorMod(deviceId, devices.size()));
      }
    }

    /** Nothing that can be used. */
    record Unavailable(String reason, String fix) implements Probe {}
  }

  private static final class Host {
    static final Host FOUND = look();

    final Probe probe;
    final List<Programs> programs;

    private Host(Probe probe, List<Programs> programs) {
      this.probe = probe;
      this.programs = programs;
    }

    private static Host look() {
      try {
        var binding = new Binding();
        List<Accelerator> devices = new OpenCl(binding).devices();
        return devices.isEmpty()
            ? without("the OpenCL library is here, and no device that it can compile for")
            : new Host(new Probe.Available(devices), List.of(new Programs(binding, devices)));
      } catch (IllegalArgumentException absent) {
        return without("libOpenCL.so.1 isn't on this host");
      } catch (NoSuchElementException old) {
        return without("the OpenCL library is older than 1.2: " + old.getMessage());
      } catch (OpenClFailure failure) {
        return without(Objects.requireNonNull(failure.getMessage()));
      }
    }

    private static Host without(String reason) {
      return new Host(new Probe.Unavailable(reason, INSTALL), List.of());
    }
  }

  private final Binding binding;

  private OpenCl(Binding binding) {
    this.binding = binding;
  }

  /** What this host offers. */
  public static Probe probe() {
    return Host.FOUND.probe;
  }

  /** How many programs were compiled so far in the life of the process. */
  static int compiled() {
    return Host.FOUND.programs.stream().mapToInt(Programs::compiled).sum();
  }

  /**
   * The driver's function that this process is in now, such as clFinish; empty for none. Never
   * waits, whatever the driver does.
   */
  public static Optional<String> doing() {
    return Binding.doing();
  }

  /**
   * Opens devices for a run, with the host's memory where they share it.
   *
   * @param deviceIds rank r computes on the r-th; id d is a share of device d modulo their number
   * @throws OpenClFailure when there is none, or it refuses
   */
  public static OpenClDevice open(List<Integer> deviceIds) {
    return open(deviceIds, true);
  }

  /**
   * As above.
   *
   * @param sharing false for memory of their own even where they share the host's
   */
  public static OpenClDevice open(List<Integer> deviceIds, boolean sharing) {
    if (Host.FOUND.probe instanceof Probe.Unavailable none) {
      throw new OpenClFailure("opening a device", -1, ": " + none.reason() + "; " + none.fix());
    }
    return OpenClDevice.open(Host.FOUND.programs.getFirst(), deviceIds, sharing);
  }

  private List<Accelerator> devices() {
    List<Accelerator> best = List.of();
    for (MemorySegment platform : platforms()) {
      List<Accelerator> devices = devices(platform);
      if (!devices.isEmpty()
          && (best.isEmpty() || devices.getFirst().kind().compareTo(best.getFirst().kind()) < 0)) {
        best = devices;
      }
    }
    return best;
  }

  private List<MemorySegment> platforms() {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment count = arena.allocate(JAVA_INT);
      binding.call("listing platforms", binding.getPlatformIds, 0, MemorySegment.NULL, count);
      int found = count.get(JAVA_INT, 0);
      if (found == 0) {
        return List.of();
      }
      MemorySegment ids = arena.allocate(ADDRESS, found);
      binding.call("listing platforms", binding.getPlatformIds, found, ids, count);
      return handles(ids, found);
    }
  }

  private List<Accelerator> devices(MemorySegment platform) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment count = arena.allocate(JAVA_INT);
      int code =
          binding.code(binding.getDeviceIds, platform, ALL_DEVICES, 0, MemorySegment.NULL, count);
      int found = code == 0 ? count.get(JAVA_INT, 0) : 0;
      if (found == 0) {
        return List.of();
      }
      MemorySegment ids = arena.allocate(ADDRESS, found);
      binding.call(
          "listing devices", binding.getDeviceIds, platform, ALL_DEVICES, found, ids, count);
      List<Accelerator> devices = new ArrayList<>();
      for (MemorySegment handle : handles(ids, found)) {
        if (number(handle, AVAILABLE) != 0 && number(handle, COMPILER_AVAILABLE) != 0) {
          devices.add(device(platform, handle));
        }
      }
      devices.sort(Comparator.comparing(Accelerator::kind));
      return List.copyOf(devices);
    }
  }

  private Accelerator device(MemorySegment platform, MemorySegment handle) {
    long single = number(handle, SINGLE_FP_CONFIG);
    long type = number(handle, DEVICE_TYPE);
    Accelerator.Kind kind =
        (type & 4) != 0
            ? Accelerator.Kind.GPU
            : (type & 8) != 0
                ? Accelerator.Kind.ACCELERATOR
                : (type & 2) != 0 ? Accelerator.Kind.CPU : Accelerator.Kind.OTHER;
    return new Accelerator(
        text(binding.getPlatformInfo, platform, PLATFORM_NAME),
        text(binding.getDeviceInfo, handle, NAME),
        kind,
        (int) number(handle, MAX_COMPUTE_UNITS),
        number(handle, GLOBAL_MEM_SIZE),
        number(handle, DOUBLE_FP_CONFIG) != 0,
        (single & CORRECTLY_ROUNDED) != 0,
        (single & DENORM) != 0,
        number(handle, HOST_UNIFIED_MEMORY) != 0,
        handle);
  }

  private static List<MemorySegment> handles(MemorySegment array, int count) {
    List<MemorySegment> handles = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      handles.add(array.getAtIndex(ADDRESS, i));
    }
    return handles;
  }

  /** A number that a device tells of itself; 0 for what it doesn't know. */
  private long number(MemorySegment device, int parameter) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment value = arena.allocate(JAVA_LONG);
      int code =
          binding.code(
              binding.getDeviceInfo,
              device,
              parameter,
              value.byteSize(),
              value,
              MemorySegment.NULL);
      return code == 0 ? value.get(JAVA_LONG, 0) : 0;
    }
  }

  private String text(java.lang.invoke.MethodHandle query, MemorySegment of, int parameter) {
    int most = 1024;
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment text = arena.allocate(most);
      int code = binding.code(query, of, parameter, most - 1L, text, MemorySegment.NULL);
      return code == 0 ? text.getString(0).strip() : "?";
    }
  }
}
