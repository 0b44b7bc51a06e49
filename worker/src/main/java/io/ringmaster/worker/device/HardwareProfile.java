package io.ringmaster.worker.device;

import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The limits and costs of a simulated platform. Capacities in bytes.
 *
 * @param maxRanks most ranks of a domain
 * @param maxHostBuiltinRanks most ranks of a collective called from HOST
 * @param vectorCores what {@code core_num} may ask for at most
 * @param bf16AtomicAdd whether stores may add to BF16 memory
 */
public record HardwareProfile(
    String platform,
    int maxRanks,
    int maxHostBuiltinRanks,
    int vectorCores,
    long vecBytes,
    long matBytes,
    long leftBytes,
    long rightBytes,
    long accBytes,
    long biasBytes,
    boolean bf16AtomicAdd,
    CostModel cost) {

  /** Name of the platform of accelerators, as users write it. */
  public static final String OPENCL = "opencl";

  private static final long KIB = 1024;

  /** The 910B family. */
  public static HardwareProfile a2a3sim() {
    return new HardwareProfile(
        "a2a3sim",
        64,
        16,
        48,
        184 * KIB,
        512 * KIB,
        64 * KIB,
        64 * KIB,
        128 * KIB,
        KIB,
        true,
        CostModels.a2a3());
  }

  /** The 950 family. */
  public static HardwareProfile a5sim() {
    return new HardwareProfile(
        "a5sim",
        64,
        16,
        36,
        240 * KIB,
        512 * KIB,
        64 * KIB,
        64 * KIB,
        256 * KIB,
        4 * KIB,
        false,
        CostModels.a5());
  }

  /** No hardware limits, for scale studies. */
  public static HardwareProfile sim() {
    long none = Long.MAX_VALUE;
    int many = Integer.MAX_VALUE;
    return new HardwareProfile(
        "sim", many, many, many, none, none, none, none, none, none, true, CostModels.generic());
  }

  /**
   * An accelerator through OpenCL: no limits but its memory. Its costs order the ranks as on
   * platform sim; they say nothing about the device.
   */
  public static HardwareProfile opencl() {
    HardwareProfile sim = sim();
    return new HardwareProfile(
        OPENCL,
        sim.maxRanks,
        sim.maxHostBuiltinRanks,
        sim.vectorCores,
        sim.vecBytes,
        sim.matBytes,
        sim.leftBytes,
        sim.rightBytes,
        sim.accBytes,
        sim.biasBytes,
        sim.bf16AtomicAdd,
        sim.cost);
  }

  /** Whether its devices exist in memory only, and its clock is the cost model's. */
  public boolean isSimulated() {
    return !platform.equals(OPENCL);
  }

  /** Every simulated profile, in the order in which to list them to a user. */
  public static List<HardwareProfile> all() {
    return List.of(a2a3sim(), a5sim(), sim());
  }

  /** The same limits with other costs. */
  public HardwareProfile with(CostModel other) {
    return new HardwareProfile(
        platform,
        maxRanks,
        maxHostBuiltinRanks,
        vectorCores,
        vecBytes,
        matBytes,
        leftBytes,
        rightBytes,
        accBytes,
        biasBytes,
        bf16AtomicAdd,
        other);
  }

  /** The profile of a platform, simulated or not. */
  public static Optional<HardwareProfile> named(String platform) {
    return Stream.concat(all().stream(), Stream.of(opencl()))
        .filter(profile -> profile.platform().equals(platform))
        .findFirst();
  }
}
