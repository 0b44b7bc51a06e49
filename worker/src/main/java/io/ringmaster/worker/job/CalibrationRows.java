package io.ringmaster.worker.job;

import io.ringmaster.worker.device.Device;
import io.ringmaster.worker.device.HardwareProfile;
import io.ringmaster.worker.device.Measured;
import io.ringmaster.worker.device.Tile;
import io.ringmaster.worker.device.TileOp;
import io.ringmaster.worker.device.opencl.OpenCl;
import io.ringmaster.worker.tensor.DType;
import io.ringmaster.worker.trial.Algorithm;
import io.ringmaster.worker.trial.Bench;
import io.ringmaster.worker.trial.Trial;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.LongUnaryOperator;

/**
 * Measures single operations of the first accelerator of this process, as a calibration is fitted
 * to: best wall times, the driver's and the host's part included. The best is what the operation
 * costs; all above that is what else the machine did.
 */
public final class CalibrationRows {

  private static final int RUNS = 15;
  private static final int WARM_UPS = 5;
  private static final int BARRIERS = 60;
  private static final int MOST_RANKS = 8;
  private static final long SMALLEST = 1 << 12;
  private static final long LARGEST = 1 << 22;

  private CalibrationRows() {}

  /**
   * Loads, stores, tile operations and copies of several sizes, and barriers of several ranks.
   *
   * @param quick a few small ones only
   * @param progress told what is measured, a line each
   */
  public static List<Measured> measured(boolean quick, Consumer<String> progress) {
    List<Measured> rows = new ArrayList<>();
    progress.accept("warming up");
    for (int i = 0; i < WARM_UPS; i++) {
      var _ = operations(SMALLEST);
    }
    for (long bytes = SMALLEST; bytes <= LARGEST; bytes *= quick ? 32 : 4) {
      progress.accept("operations on " + bytes + " bytes");
      rows.addAll(operations(bytes));
    }
    long _ = barrier(MOST_RANKS, 10 * BARRIERS);
    for (int ranks : quick ? new int[] {2, MOST_RANKS} : new int[] {2, 3, 4, 6, MOST_RANKS}) {
      progress.accept("a barrier of " + ranks + " ranks");
      rows.add(new Measured(Measured.Kind.BARRIER, ranks, barrier(ranks, BARRIERS)));
    }
    return rows;
  }

  private static long barrier(int ranks, int runs) {
    var trial = new Trial(Algorithm.BARRIER_CREDIT, ranks, 0, HardwareProfile.opencl(), true);
    return Bench.measure(trial, Bench.Watch.NOTHING, 2, runs, Duration.ofSeconds(3)).bestNanos();
  }

  private static List<Measured> operations(long bytes) {
    int elements = Math.toIntExact(bytes / Float.BYTES);
    int[] shape = {1, elements};
    long[] strides = {elements, 1};
    try (Device device = OpenCl.open(List.of(0));
        Arena arena = Arena.ofShared()) {
      MemorySegment here = arena.allocate(bytes, 64);
      MemorySegment there = arena.allocate(bytes, 64);
      Tile one = device.full(DType.FP32, shape, Double.doubleToRawLongBits(1));
      Tile[] loaded = {device.full(DType.FP32, shape, 0)};
      Tile[] added = {device.full(DType.FP32, shape, 0)};
      double load =
          best(
              device,
              _ -> {
                loaded[0] = device.load(here, 0, strides, DType.FP32, shape, shape, loaded[0]);
                return 0;
              });
      double store = best(device, _ -> device.store(one, there, 0, strides, false));
      double vector =
          best(
              device,
              _ -> {
                added[0] = device.binary(TileOp.Binary.ADD, one, one, DType.FP32, added[0]);
                return 0;
              });
      double copy =
          best(
              device,
              _ -> {
                long[] all = {elements};
                device.copy(here, 0, new long[] {1}, there, 0, new long[] {1}, all, DType.FP32);
                return 0;
              });
      return List.of(
          new Measured(Measured.Kind.LOAD, bytes, load),
          new Measured(Measured.Kind.STORE, bytes, store),
          new Measured(Measured.Kind.VECTOR, bytes, vector),
          // Put and get are this here, so there are no synchronous rows.
          new Measured(Measured.Kind.ASYNC, bytes, copy));
    }
  }

  /** The first run brings memory to the device and compiles, so it doesn't count. */
  private static double best(Device device, LongUnaryOperator work) {
    long[] nanos = new long[RUNS];
    for (int i = -1; i < RUNS; i++) {
      device.settle();
      long begun = System.nanoTime();
      long _ = work.applyAsLong(i);
      device.settle();
      if (i >= 0) {
        nanos[i] = System.nanoTime() - begun;
      }
    }
    return Math.max(1, Arrays.stream(nanos).min().orElseThrow());
  }
}
