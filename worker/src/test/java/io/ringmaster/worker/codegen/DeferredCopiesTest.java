package io.ringmaster.worker.codegen;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringmaster.worker.device.Device;
import io.ringmaster.worker.device.opencl.OpenCl;
import io.ringmaster.worker.device.sim.SimDevice;
import io.ringmaster.worker.fabric.Box;
import io.ringmaster.worker.fabric.Fabric;
import io.ringmaster.worker.fabric.HostRegion;
import io.ringmaster.worker.fabric.Region;
import io.ringmaster.worker.fabric.SpareMemory;
import io.ringmaster.worker.fabric.Window;
import io.ringmaster.worker.fabric.WindowSlice;
import io.ringmaster.worker.tensor.DType;
import io.ringmaster.worker.tensor.HostBuffer;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/**
 * Copies that are put off can't be told from copies made at once: random copies, tiles, sums,
 * scalars and cells over windows and host memory, beside plain arrays that do the same.
 */
class DeferredCopiesTest {

  private static final int BYTES = 40_960;
  private static final int CELLS = BYTES / Integer.BYTES;

  /** A tile on its way, and what it has to hold. */
  @SuppressWarnings("ArrayRecordComponent") // Never compared.
  private record Flying(BorrowedTile tile, int[] values) {}

  @Test
  void deferredCopiesCannotBeToldFromCopies() {
    var spare = new SpareMemory();
    for (int seed = 1; seed <= 60; seed++) {
      try (var device = new SimDevice();
          var fabric = new Fabric(List.of(), 1L << 30, false, spare)) {
        run(device, fabric, new Random(seed), 400, "seed " + seed);
      }
    }
  }

  /** Where host and device share memory, the host copies beside what the device computes. */
  @Test
  void norBesideADeviceThatSharesTheMemory() {
    var spare = new SpareMemory();
    // Many begin anew: a memory that the device hasn't touched yet is a case of its own.
    for (int seed = 1; seed <= 100; seed++) {
      try (var device = OpenCl.open(List.of(0));
          var fabric = new Fabric(List.of(), 1L << 30, false, spare, device)) {
        assertThat(device.hasOwnMemory()).as("PoCL computes in the host's memory").isFalse();
        run(device, fabric, new Random(seed), 60, "seed " + seed);
        device.settle();
      }
    }
  }

  private static void run(Device device, Fabric fabric, Random random, int steps, String seed) {
    Window window = fabric.allocate("w", "d", IntStream.range(0, 4).boxed().toList(), BYTES);
    List<Region> regions = new ArrayList<>();
    for (int local = 0; local < 4; local++) {
      regions.add(window.slice(local));
    }
    HostRegion host = fabric.host(HostBuffer.allocate(BYTES), "x", 0);
    regions.add(host);
    Map<Region, int[]> model = new HashMap<>();
    regions.forEach(region -> model.put(region, new int[CELLS]));
    List<Flying> tiles = new ArrayList<>();
    for (int step = 0; step < steps; step++) {
      Region from = regions.get(random.nextInt(regions.size()));
      Region to = regions.get(random.nextInt(regions.size()));
      int length = random.nextInt(4) == 0 ? 1 + random.nextInt(300) : 1024 + random.nextInt(4096);
      int source = random.nextInt(CELLS - length + 1);
      int target = random.nextInt(3) == 0 ? source : random.nextInt(CELLS - length + 1);
      switch (random.nextInt(8)) {
        case 0, 1 -> {
          Copies.copy(device, box(from, source, length), box(to, target, length), false);
          int[] moved = copy(model, from, source, length);
          System.arraycopy(moved, 0, values(model, to), target, length);
        }
        case 2 -> {
          Copies.copy(device, box(from, source, length), box(to, target, length), true);
          int[] added = copy(model, from, source, length);
          for (int i = 0; i < length; i++) {
            values(model, to)[target + i] += added[i];
          }
        }
        case 3 -> {
          Box here = box(from, source, length).here();
          tiles.add(
              new Flying(
                  new BorrowedTile(device, here, new int[] {1, length}),
                  copy(model, from, source, length)));
        }
        case 4, 5 -> {
          if (!tiles.isEmpty()) {
            Flying flying = tiles.remove(random.nextInt(tiles.size()));
            int size = flying.values().length;
            int at = random.nextInt(CELLS - size + 1);
            TileAccess.written(device, flying.tile(), box(to, at, size), false);
            System.arraycopy(flying.values(), 0, values(model, to), at, size);
          }
        }
        case 6 -> {
          Box element = box(to, target, 1);
          element.beforeWrite(true);
          device.changing(to.segment(), 4L * target, 4);
          to.segment().set(ValueLayout.JAVA_INT_UNALIGNED, 4L * target, step + 1);
          device.changed(to.segment(), 4L * target, 4);
          values(model, to)[target] = step + 1;
        }
        default -> {
          if (to instanceof WindowSlice slice) {
            assertThat(slice.cell(target)).as(seed).isEqualTo(values(model, to)[target]);
            slice.setCell(target, -step);
            values(model, to)[target] = -step;
          } else {
            fabric.hostChanging();
            device.changing(host.segment(), 4L * target, 4);
            host.segment().set(ValueLayout.JAVA_INT_UNALIGNED, 4L * target, 7 * step);
            device.changed(host.segment(), 4L * target, 4);
            values(model, to)[target] = 7 * step;
          }
        }
      }
      if (step % 16 == 0) {
        Box here = box(from, source, length).here();
        assertThat(read(device, here)).as(seed).isEqualTo(copy(model, from, source, length));
      }
    }
    for (Flying flying : tiles) {
      assertThat(device.read(flying.tile().fetched(), new int[] {0, 0}))
          .as(seed)
          .isEqualTo(flying.values()[0]);
    }
    for (Region region : regions) {
      region.settle(0, BYTES);
      assertThat(read(device, new Box(region, 0, new long[] {CELLS}, new long[] {1}, DType.INT32)))
          .as(seed)
          .isEqualTo(values(model, region));
    }
  }

  private static int[] values(Map<Region, int[]> model, Region region) {
    return model.getOrDefault(region, new int[0]);
  }

  private static int[] copy(Map<Region, int[]> model, Region region, int from, int length) {
    return java.util.Arrays.copyOfRange(values(model, region), from, from + length);
  }

  private static Box box(Region region, int from, int length) {
    return new Box(region, 4L * from, new long[] {1, length}, new long[] {length, 1}, DType.INT32);
  }

  private static int[] read(Device device, Box box) {
    device.reading(box.region().segment(), box.start(), box.payloadBytes());
    int[] values = new int[(int) box.elements()];
    for (int i = 0; i < values.length; i++) {
      values[i] = box.region().segment().get(ValueLayout.JAVA_INT_UNALIGNED, box.start() + 4L * i);
    }
    return values;
  }
}
