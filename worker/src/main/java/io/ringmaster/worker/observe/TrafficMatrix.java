package io.ringmaster.worker.observe;

import io.ringmaster.worker.fabric.FabricListener;
import io.ringmaster.worker.fabric.Notification;
import io.ringmaster.worker.fabric.Operation;
import io.ringmaster.worker.fabric.SignalWait;
import io.ringmaster.worker.fabric.Transfer;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * Counts bytes between every pair of ranks. Payload is what the kernel asked for, moves to oneself
 * included; wire is what crosses a link, padding included, so its diagonal is zero. Signals are
 * counted apart: four bytes for each notify to another rank.
 */
public final class TrafficMatrix implements FabricListener {

  private final long[][] payload;
  private final long[][] wire;
  private final Map<Operation, Long> operations = new EnumMap<>(Operation.class);
  private long notifies;
  private long waits;
  private long signalBytes;

  /** {@code ranks} is the world size. */
  public TrafficMatrix(int ranks) {
    payload = new long[ranks][];
    wire = new long[ranks][];
  }

  /** Sums don't depend on the order. */
  @Override
  public boolean needsOrder() {
    return false;
  }

  @Override
  public void transferred(Transfer transfer) {
    add(payload, transfer.from(), transfer.to(), transfer.payloadBytes());
    if (transfer.from() != transfer.to()) {
      add(wire, transfer.from(), transfer.to(), transfer.movedBytes());
    }
    operations.merge(transfer.operation(), 1L, Long::sum);
  }

  @Override
  public void notified(Notification notification) {
    notifies++;
    if (!notification.isSelf()) {
      signalBytes += Integer.BYTES;
    }
  }

  @Override
  public void waitSatisfied(SignalWait wait, int seen, long virtualNanos) {
    waits++;
  }

  private static void add(long[][] matrix, int from, int to, long bytes) {
    if (matrix[from] == null) {
      matrix[from] = new long[matrix.length];
    }
    matrix[from][to] += bytes;
  }

  /** Payload bytes from row rank to column rank. */
  public List<List<Long>> payloadBytes() {
    return rows(payload);
  }

  /** Bytes on the wire from row rank to column rank. */
  public List<List<Long>> wireBytes() {
    return rows(wire);
  }

  public long totalPayloadBytes() {
    return total(payload);
  }

  public long totalWireBytes() {
    return total(wire);
  }

  /** Most bytes on the wire into one rank. */
  public long mostWireBytesIn() {
    long most = 0;
    for (int to = 0; to < wire.length; to++) {
      long in = 0;
      for (long[] row : wire) {
        in += row == null ? 0 : row[to];
      }
      most = Math.max(most, in);
    }
    return most;
  }

  /** Bytes of notifies to other ranks. */
  public long signalBytes() {
    return signalBytes;
  }

  public OperationCounts operations() {
    return new OperationCounts(
        notifies,
        waits,
        count(Operation.PUT),
        count(Operation.GET),
        count(Operation.REMOTE_LOAD),
        count(Operation.REMOTE_STORE));
  }

  private long count(Operation operation) {
    return operations.getOrDefault(operation, 0L);
  }

  private static List<List<Long>> rows(long[][] matrix) {
    return Arrays.stream(matrix)
        .map(row -> row == null ? new long[matrix.length] : row)
        .map(row -> Arrays.stream(row).boxed().toList())
        .toList();
  }

  private static long total(long[][] matrix) {
    return Arrays.stream(matrix).filter(row -> row != null).flatMapToLong(Arrays::stream).sum();
  }
}
