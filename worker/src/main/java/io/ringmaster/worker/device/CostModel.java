package io.ringmaster.worker.device;

import java.util.Map;
import java.util.TreeMap;

/**
 * How long an operation takes on a rank's virtual clock. Times in nanoseconds, rates in bytes per
 * nanosecond (GB/s). Every number comes from a calibration, see {@link CostModels}.
 *
 * @param name name and version of the calibration
 * @param loadNanos fixed part of a load from global memory
 * @param storeNanos fixed part of a store to global memory
 * @param remoteNanos what reaching another rank adds to each chunk
 * @param remoteChunkBytes largest chunk that a remote transfer moves at once; 0 where the DMA
 *     engine moves all of it
 * @param asyncNanos fixed part of a transfer by the DMA engine
 * @param linkRate one direction of the link between two ranks
 * @param portRate what a rank can send, and receive, over all its links together
 * @param notifySendNanos how long a notify keeps its sender busy
 * @param notifyNanos from the start of a notify until the cell changes
 * @param waitNanos one look at a cell
 * @param vectorNanos fixed part of a tile operation
 * @param vectorRate bytes per nanosecond of the vector unit
 * @param matrixRate multiply-adds per nanosecond of the matrix unit
 * @param scalarAccessNanos one scalar read or write of global memory
 * @param dispatchNanos from a dispatch being due until its first instruction
 * @param provenance for each group of numbers where it comes from
 */
public record CostModel(
    String name,
    double loadNanos,
    double loadRate,
    double storeNanos,
    double storeRate,
    double remoteNanos,
    long remoteChunkBytes,
    double asyncNanos,
    double asyncRate,
    double linkRate,
    double portRate,
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

  /** The same numbers under another name, with a remark that holds for all of them. */
  public CostModel named(String newName, String remark) {
    Map<String, String> notes = new TreeMap<>(provenance);
    notes.put("all", remark);
    return new CostModel(
        newName,
        loadNanos,
        loadRate,
        storeNanos,
        storeRate,
        remoteNanos,
        remoteChunkBytes,
        asyncNanos,
        asyncRate,
        linkRate,
        portRate,
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

  /** Memory to memory through a stage tile: what put and get do. */
  public long remoteCopy(long bytes, long stageBytes) {
    if (remoteChunkBytes == 0) {
      return asyncCopy(bytes);
    }
    long chunk = Math.max(1, Math.min(stageBytes, remoteChunkBytes));
    double each = remoteNanos + loadNanos + storeNanos;
    double moving = bytes / loadRate + bytes / storeRate;
    return (long) Math.max(Math.ceilDiv(bytes, chunk) * each + moving, bytes / linkRate);
  }

  /** Memory to memory by the DMA engine, which no built-in uses yet. */
  public long asyncCopy(long bytes) {
    return (long) Math.max(asyncNanos + bytes / asyncRate, bytes / linkRate);
  }

  /** A launch in which each rank notifies all others, and looks at their cells. */
  public long barrier(long ranks) {
    return dispatchNanos + (ranks - 1) * (notifySendNanos + waitNanos) + notifyNanos;
  }

  /** How long a transfer keeps a port of a rank busy. */
  public double port(long bytes) {
    return bytes / portRate;
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
    return remoteChunkBytes == 0 ? 1 : Math.max(1, Math.ceilDiv(bytes, remoteChunkBytes));
  }
}
