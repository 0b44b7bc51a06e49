package io.ringmaster.worker.device;

import java.util.Map;

/**
 * How long an operation takes on a rank's virtual clock. Times in nanoseconds, rates in bytes per
 * nanosecond (GB/s); every number is a setting, {@code provenance} says where it comes from.
 *
 * @param loadNanos fixed part of a load from global memory
 * @param storeNanos fixed part of a store to global memory
 * @param remoteNanos what reaching another rank adds to each chunk
 * @param linkRate one direction of the link between two ranks
 * @param remoteChunkBytes largest chunk that a remote transfer moves at once
 * @param notifySendNanos how long a notify keeps its sender busy
 * @param notifyNanos from the start of a notify until the cell changes
 * @param waitNanos one look at a cell
 * @param vectorNanos fixed part of a tile operation
 * @param vectorRate bytes per nanosecond of the vector unit
 * @param matrixRate multiply-adds per nanosecond of the matrix unit
 * @param scalarAccessNanos one scalar read or write of global memory
 * @param dispatchNanos from a dispatch being due until its first instruction
 */
public record CostModel(
    String name,
    double loadNanos,
    double loadRate,
    double storeNanos,
    double storeRate,
    double remoteNanos,
    double linkRate,
    long remoteChunkBytes,
    long notifySendNanos,
    long notifyNanos,
    long waitNanos,
    double vectorNanos,
    double vectorRate,
    double matrixRate,
    long scalarAccessNanos,
    long dispatchNanos,
    Map<String, String> provenance) {

  public CostModel {
    provenance = Map.copyOf(provenance);
  }

  /** The default numbers for the 910B family. */
  public static CostModel a2a3() {
    return new CostModel(
        "a2a3-default-1",
        115,
        265,
        58,
        30,
        410,
        28,
        4096,
        200,
        1040,
        20,
        20,
        236,
        32_768,
        100,
        8_000,
        Map.of(
            "load", "fit of published global-memory-to-UB figures (peak 247 GiB/s)",
            "store", "fit of published UB-to-global-memory figures (peak 28 GiB/s)",
            "remote", "calibrated on a published synchronous read of 4 KiB: 0.73 us a chunk",
            "link", "half of a community figure of 56 GB/s both ways; not a vendor figure",
            "notify", "anchored at a published 1.04 us write-and-invalidate hop; assumption",
            "vector", "128 bytes a cycle at 1.85 GHz; start-up is an assumption",
            "matrix", "assumption",
            "dispatch", "published 8 us a task; the fixed host part is left out"));
  }

  /** The 910B numbers under the 950 family's name: nothing better is published. */
  public static CostModel a5() {
    CostModel base = a2a3();
    return base.named("a5-default-1", "910B numbers: no figures for the 950 family are published");
  }

  /** For simulations without a chip in mind. */
  public static CostModel generic() {
    return a2a3().named("sim-default-1", "910B numbers without the 910B limits");
  }

  private CostModel named(String newName, String note) {
    var notes = new java.util.HashMap<>(provenance);
    notes.put("all", note);
    return new CostModel(
        newName,
        loadNanos,
        loadRate,
        storeNanos,
        storeRate,
        remoteNanos,
        linkRate,
        remoteChunkBytes,
        notifySendNanos,
        notifyNanos,
        waitNanos,
        vectorNanos,
        vectorRate,
        matrixRate,
        scalarAccessNanos,
        dispatchNanos,
        notes);
  }

  /** Global memory to tile. */
  public long load(long bytes) {
    return (long) (loadNanos + bytes / loadRate);
  }

  /** Tile to global memory. */
  public long store(long bytes) {
    return (long) (storeNanos + bytes / storeRate);
  }

  /** A peer's memory to a tile, or a tile to a peer's memory. */
  public long remoteTile(long bytes, boolean write) {
    double each = remoteNanos + (write ? storeNanos : loadNanos);
    double rate = write ? storeRate : loadRate;
    return (long) Math.max(chunks(bytes) * each + bytes / rate, bytes / linkRate);
  }

  /** Memory to memory through a stage tile. */
  public long remoteCopy(long bytes, long stageBytes) {
    long chunk = Math.max(1, Math.min(stageBytes, remoteChunkBytes));
    double each = remoteNanos + loadNanos + storeNanos;
    double moving = bytes / loadRate + bytes / storeRate;
    return (long) Math.max(Math.ceilDiv(bytes, chunk) * each + moving, bytes / linkRate);
  }

  /** A tile operation over {@code bytes}. */
  public long vector(long bytes) {
    return (long) (vectorNanos + bytes / vectorRate);
  }

  /** A matrix product with {@code multiplyAdds} steps. */
  public long matrix(long multiplyAdds) {
    return (long) (vectorNanos + multiplyAdds / matrixRate);
  }

  private long chunks(long bytes) {
    return Math.max(1, Math.ceilDiv(bytes, remoteChunkBytes));
  }
}
