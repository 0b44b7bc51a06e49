package io.ringmaster.worker.lowering;

import java.util.Optional;

/**
 * What lowering must know of a platform.
 *
 * @param vecBytes on-chip vector memory a kernel may use; {@link Long#MAX_VALUE} for no limit
 * @param vectorCores most blocks that {@code core_num} may ask for
 * @param hostRanks most ranks of a HOST built-in
 */
public record Platform(String name, long vecBytes, int vectorCores, int hostRanks) {

  private static final int NO_LIMIT = Integer.MAX_VALUE;

  /** The 910B family. */
  public static Platform a2a3(String name) {
    return new Platform(name, 184L << 10, 48, 16);
  }

  /** The 950 family. */
  public static Platform a5(String name) {
    return new Platform(name, 240L << 10, 36, 16);
  }

  /** A platform without the limits of a chip. */
  public static Platform unlimited(String name) {
    return new Platform(name, Long.MAX_VALUE, NO_LIMIT, NO_LIMIT);
  }

  /** Finds a platform by the name that users write; empty for an unknown one. */
  public static Optional<Platform> named(String name) {
    return switch (name) {
      case "a2a3", "a2a3sim" -> Optional.of(a2a3(name));
      case "a5", "a5sim" -> Optional.of(a5(name));
      case "sim", "opencl" -> Optional.of(unlimited(name));
      default -> Optional.empty();
    };
  }
}
