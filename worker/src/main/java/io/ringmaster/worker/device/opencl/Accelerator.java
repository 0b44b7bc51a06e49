package io.ringmaster.worker.device.opencl;

import java.lang.foreign.MemorySegment;
import java.util.Locale;

/**
 * A device that the OpenCL library offers.
 *
 * @param platform whose driver it is
 * @param units parallel compute units
 * @param memoryBytes all of its memory
 * @param fp64 whether it computes in double precision
 * @param exactDivision whether single-precision division and square root round as IEEE 754 says
 * @param denormals whether single precision keeps numbers below the smallest normal one
 * @param sharesMemory whether its memory is the host's
 */
public record Accelerator(
    String platform,
    String name,
    Kind kind,
    int units,
    long memoryBytes,
    boolean fp64,
    boolean exactDivision,
    boolean denormals,
    boolean sharesMemory,
    MemorySegment handle) {

  /** What a device is. */
  public enum Kind {
    GPU,
    ACCELERATOR,
    CPU,
    OTHER
  }

  /** Element types of its tiles. */
  public static final String DTYPES = "FP32, FP16, BF16, INT8..INT64, UINT8..UINT64, BOOL";

  /** One line for people. */
  public String text() {
    return String.format(
        Locale.ROOT,
        "%s (%s, %s): %d compute units, %.1f GiB, %s%s",
        name,
        platform,
        kind.name().toLowerCase(Locale.ROOT),
        units,
        memoryBytes / (double) (1L << 30),
        DTYPES,
        deviations());
  }

  /** In what its results may differ from the simulator's beyond the functions IEEE leaves open. */
  public String deviations() {
    StringBuilder text = new StringBuilder();
    if (!exactDivision && !fp64) {
      text.append("; division and square root may be off in the last bits");
    }
    if (!denormals) {
      text.append("; numbers below the smallest normal one become 0");
    }
    return text.toString();
  }
}
