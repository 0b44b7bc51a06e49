package io.ringmaster.service.metrics;

import java.util.List;
import java.util.Locale;

/**
 * The label values that exist. Whatever comes from a report is put into one of them, so that no
 * kernel, name or user can make new series.
 */
final class Labels {

  static final String OTHER = "other";

  /** The backend whose virtual clock is that of its devices. */
  static final String SIMULATOR = "simulator";

  static final List<String> BACKENDS = List.of(SIMULATOR, "opencl", "cuda", "ascend");
  static final List<String> PRIMITIVES =
      List.of("notify", "wait", "put", "get", "remote_load", "remote_store");
  static final List<String> COLLECTIVES =
      List.of(
          "barrier",
          "broadcast",
          "allreduce",
          "allgather",
          "reducescatter",
          "alltoall",
          "alltoallv",
          "transfer");
  static final List<String> ALGORITHMS =
      List.of("mesh", "ring", "two_phase", "push", "pull", "credit", "tree", "hand");
  static final List<String> WORLDS = List.of("2", "4", "8", "16", "32", "64", "128", "256plus");
  static final List<String> SIZES = List.of("le4KiB", "le64KiB", "le1MiB", "le16MiB", "gt16MiB");

  /** The sizes that most kernels have; the others' series start with their first event. */
  static final List<String> USUAL_SIZES = SIZES.subList(0, 3);

  static final List<String> LINKS = List.of("self", "inter");
  static final String NONE = "none";

  private Labels() {}

  /** {@code LowerCompositeOps} as {@code lower_composite_ops}. */
  static String pass(String name) {
    return name.replaceAll("(?<=[a-z0-9])(?=[A-Z])", "_").toLowerCase(Locale.ROOT);
  }

  /** Accepts the name with or without its module and underscores. */
  static String collective(String op) {
    var name = op.substring(op.lastIndexOf('.') + 1);
    return known(COLLECTIVES, name.toLowerCase(Locale.ROOT).replace("_", ""));
  }

  static String algorithm(String algorithm) {
    return known(ALGORITHMS, algorithm.toLowerCase(Locale.ROOT));
  }

  /** The smallest power of two from 2 that holds so many ranks. */
  static String world(int ranks) {
    for (int world = 2; world <= 128; world *= 2) {
      if (ranks <= world) {
        return Integer.toString(world);
      }
    }
    return "256plus";
  }

  static String size(long bytes) {
    if (bytes <= 4L << 10) {
      return "le4KiB";
    }
    if (bytes <= 64L << 10) {
      return "le64KiB";
    }
    if (bytes <= 1L << 20) {
      return "le1MiB";
    }
    return bytes <= 16L << 20 ? "le16MiB" : "gt16MiB";
  }

  private static String known(List<String> values, String value) {
    return values.contains(value) ? value : OTHER;
  }
}
