package io.ringmaster.worker.device.opencl;

import io.ringmaster.worker.device.DeviceMemoryFull;
import java.util.Map;

/** The OpenCL library or its driver refused something; the fault of the machine, not a kernel's. */
public final class OpenClFailure extends RuntimeException {

  private static final long serialVersionUID = 1L;

  private static final int NO_MEMORY_FOR_BUFFERS = -4;

  /** The codes that tell a user something. */
  private static final Map<Integer, String> NAMES =
      Map.ofEntries(
          Map.entry(-1, "CL_DEVICE_NOT_FOUND"),
          Map.entry(-2, "CL_DEVICE_NOT_AVAILABLE"),
          Map.entry(-3, "CL_COMPILER_NOT_AVAILABLE"),
          Map.entry(-4, "CL_MEM_OBJECT_ALLOCATION_FAILURE"),
          Map.entry(-5, "CL_OUT_OF_RESOURCES"),
          Map.entry(-6, "CL_OUT_OF_HOST_MEMORY"),
          Map.entry(-11, "CL_BUILD_PROGRAM_FAILURE"),
          Map.entry(-30, "CL_INVALID_VALUE"),
          Map.entry(-33, "CL_INVALID_DEVICE"),
          Map.entry(-36, "CL_INVALID_COMMAND_QUEUE"),
          Map.entry(-38, "CL_INVALID_MEM_OBJECT"),
          Map.entry(-48, "CL_INVALID_KERNEL"),
          Map.entry(-51, "CL_INVALID_ARG_SIZE"),
          Map.entry(-52, "CL_INVALID_KERNEL_ARGS"),
          Map.entry(-54, "CL_INVALID_WORK_GROUP_SIZE"),
          Map.entry(-61, "CL_INVALID_BUFFER_SIZE"),
          Map.entry(-1001, "CL_PLATFORM_NOT_FOUND_KHR"));

  private final int code;

  OpenClFailure(String what, int code, String detail) {
    super(
        "OpenCL: "
            + what
            + " failed with "
            + code
            + " ("
            + NAMES.getOrDefault(code, "see cl.h")
            + ")"
            + detail);
    this.code = code;
  }

  /**
   * Throws unless the code is 0.
   *
   * @throws DeviceMemoryFull when the device has no memory; some drivers look for it only once a
   *     command needs it
   */
  static void check(String what, int code) {
    if (code == NO_MEMORY_FOR_BUFFERS) {
      throw new DeviceMemoryFull("it has none left for " + what);
    }
    if (code != 0) {
      throw new OpenClFailure(what, code, "");
    }
  }

  /** True when that is how an allocation says that there is no memory left. */
  boolean isMemory() {
    return code == -5 || code == -6 || code == -61;
  }
}
