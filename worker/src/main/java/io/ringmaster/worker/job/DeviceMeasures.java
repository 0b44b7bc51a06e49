package io.ringmaster.worker.job;

import io.ringmaster.worker.device.Device;
import io.ringmaster.worker.device.HardwareProfile;
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

/** Measures the accelerators of this host: copies, barriers, collectives. */
final class DeviceMeasures {

  private static final long MIB = 1L << 20;
  private static final int COPIES = 9;

  private final boolean quick;
  private final long deadline;
  private boolean whole = true;

  /**
   * Measures nothing yet.
   *
   * @param deadline on this JVM's clock; what isn't begun by then isn't measured
   */
  DeviceMeasures(boolean quick, long deadline) {
    this.quick = quick;
    this.deadline = deadline;
  }

  /** Median times of copies to the device, on it and back. */
  List<DeviceCheck.Copy> copies() {
    long bytes = quick ? MIB : 64 * MIB;
    try (Device device = OpenCl.open(List.of(0), false);
        Arena arena = Arena.ofShared()) {
      MemorySegment here = arena.allocate(bytes, 64);
      MemorySegment there = arena.allocate(bytes, 64);
      long[] to = new long[COPIES];
      long[] on = new long[COPIES];
      long[] from = new long[COPIES];
      // From the first use on the device has a copy, and is told what the host changes.
      copy(device, here, there);
      for (int i = 0; i < COPIES; i++) {
        to[i] = timed(device, () -> device.changed(here, 0, bytes));
        on[i] = timed(device, () -> copy(device, here, there));
        from[i] = timed(device, () -> device.reading(there, 0, bytes));
      }
      return List.of(
          copied("host to device", bytes, to),
          copied("device to itself", bytes, on),
          copied("device to host", bytes, from));
    }
  }

  private static void copy(Device device, MemorySegment from, MemorySegment to) {
    long[] one = {1};
    long[] all = {from.byteSize() / Float.BYTES};
    device.copy(from, 0, one, to, 0, one, all, DType.FP32);
  }

  private static long timed(Device device, Runnable work) {
    device.settle();
    long begun = System.nanoTime();
    work.run();
    device.settle();
    return System.nanoTime() - begun;
  }

  private static DeviceCheck.Copy copied(String path, long bytes, long[] nanos) {
    Arrays.sort(nanos);
    long median = nanos[nanos.length / 2];
    return new DeviceCheck.Copy(path, bytes, median, bytes / (median / 1e9));
  }

  /** One collective of so many ranks and bytes. */
  private record Plan(Algorithm algorithm, int ranks, long bytes) {}

  private List<Plan> plans() {
    List<Plan> plans = new ArrayList<>();
    for (int ranks : quick ? new int[] {2} : new int[] {2, 4, 8}) {
      plans.add(new Plan(Algorithm.BARRIER_CREDIT, ranks, 0));
    }
    for (long bytes : quick ? new long[] {MIB / 16} : new long[] {MIB, 16 * MIB}) {
      plans.add(new Plan(Algorithm.ALLREDUCE_TWO_PHASE, 4, bytes));
      plans.add(new Plan(Algorithm.ALLREDUCE_RING, 4, bytes));
      plans.add(new Plan(Algorithm.ALLGATHER_PUSH, 4, bytes / 4));
      plans.add(new Plan(Algorithm.REDUCE_SCATTER_MESH, 4, bytes));
      plans.add(new Plan(Algorithm.ALL_TO_ALL_PUSH, 4, bytes));
      plans.add(new Plan(Algorithm.BROADCAST_PULL, 4, bytes));
    }
    return plans;
  }

  /** Median times of collectives there, and on the simulator beside it. */
  List<DeviceCheck.Collective> collectives() {
    List<DeviceCheck.Collective> all = new ArrayList<>();
    for (Plan plan : plans()) {
      if (System.nanoTime() < deadline) {
        all.add(measured(plan));
      } else {
        whole = false;
      }
    }
    return all;
  }

  /** Whether there was time for everything. */
  boolean isWhole() {
    return whole;
  }

  private static DeviceCheck.Collective measured(Plan plan) {
    var device = bench(plan, HardwareProfile.opencl());
    var simulator = bench(plan, HardwareProfile.sim());
    return new DeviceCheck.Collective(
        plan.algorithm().collective(),
        plan.algorithm().title(),
        plan.ranks(),
        plan.bytes(),
        device.medianNanos(),
        plan.bytes() / (device.medianNanos() / 1e9),
        simulator.medianNanos(),
        device.right());
  }

  private static Bench.Result bench(Plan plan, HardwareProfile profile) {
    var trial = new Trial(plan.algorithm(), plan.ranks(), plan.bytes(), profile, true);
    return Bench.measure(trial, Bench.Watch.NOTHING, 1, 7, Duration.ofSeconds(1));
  }
}
