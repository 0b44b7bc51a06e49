package io.ringmaster.worker.device.opencl;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringmaster.worker.device.Device;
import io.ringmaster.worker.device.Tile;
import io.ringmaster.worker.device.TileOp;
import io.ringmaster.worker.device.sim.SimDevice;
import io.ringmaster.worker.tensor.DType;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A loaded tile isn't copied before somebody changes the memory it came from, and copies that go on
 * where the one before ended become one: nobody can tell by the values.
 */
@ParameterizedClass(name = "memory of the host: {0}")
@ValueSource(booleans = {true, false})
class LentTilesTest {

  @Parameter private boolean sharing;

  private static final int FLOATS = 1024;
  private static final int MEMORIES = 2;
  private static final int SLOTS = 5;
  private static final int[] SHAPE = {4, 8};
  private static final int COUNT = 32;

  /** A device with memories of its own, which are to hold the same as those of another one. */
  private static final class Side {
    final Device device;
    final MemorySegment[] memories = new MemorySegment[MEMORIES];
    final Tile[] tiles = new Tile[SLOTS];

    Side(Device device, Arena arena) {
      this.device = device;
      for (int i = 0; i < MEMORIES; i++) {
        memories[i] = arena.allocate(FLOATS * 4L, 64);
      }
    }

    void change(int memory, int from, float[] values) {
      device.changing(memories[memory], from * 4L, values.length * 4L);
      for (int i = 0; i < values.length; i++) {
        memories[memory].setAtIndex(ValueLayout.JAVA_FLOAT, from + i, values[i]);
      }
      device.changed(memories[memory], from * 4L, values.length * 4L);
    }

    void load(int slot, int memory, int at, int pitch) {
      tiles[slot] =
          device.load(
              memories[memory], at * 4L, strides(pitch), DType.FP32, SHAPE, SHAPE, tiles[slot]);
    }

    void store(int slot, int memory, int at, int pitch, boolean add) {
      device.store(tiles[slot], memories[memory], at * 4L, strides(pitch), add);
    }

    void copy(int from, int at, int pitch, int to, int where, int step) {
      if (device.hasOwnMemory()) {
        device.copy(
            memories[from],
            at * 4L,
            strides(pitch),
            memories[to],
            where * 4L,
            strides(step),
            new long[] {SHAPE[0], SHAPE[1]},
            DType.FP32);
      } else {
        Tile tile = device.load(memories[from], at * 4L, strides(pitch), DType.FP32, SHAPE, SHAPE);
        device.store(tile, memories[to], where * 4L, strides(step), false);
      }
    }

    List<Integer> bits(int memory) {
      device.reading(memories[memory], 0, FLOATS * 4L);
      List<Integer> bits = new ArrayList<>();
      for (int i = 0; i < FLOATS; i++) {
        bits.add(memories[memory].getAtIndex(ValueLayout.JAVA_INT, i));
      }
      return bits;
    }

    private static long[] strides(int pitch) {
      return new long[] {pitch, 1};
    }
  }

  /** Whatever is done in whatever order, the simulator does the same. */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16})
  void anySequenceLeavesWhatTheSimulatorLeaves(long seed) {
    try (Arena arena = Arena.ofConfined();
        Device device = OpenCl.open(List.of(0), sharing)) {
      var mine = new Side(device, arena);
      var its = new Side(new SimDevice(), arena);
      var random = new SplittableRandom(seed);
      for (int memory = 0; memory < MEMORIES; memory++) {
        float[] values = values(random, FLOATS);
        mine.change(memory, 0, values);
        its.change(memory, 0, values);
      }
      for (int slot = 0; slot < SLOTS; slot++) {
        both(mine, its, new Load(slot, 0, slot * COUNT, 8));
      }
      for (int step = 0; step < 400; step++) {
        step(mine, its, random);
      }
      for (int memory = 0; memory < MEMORIES; memory++) {
        assertThat(mine.bits(memory)).as("memory %d", memory).isEqualTo(its.bits(memory));
      }
      for (int slot = 0; slot < SLOTS; slot++) {
        mine.store(slot, 0, 0, 8, false);
        its.store(slot, 0, 0, 8, false);
        assertThat(mine.bits(0)).as("tile %d", slot).isEqualTo(its.bits(0));
      }
    }
  }

  private record Load(int slot, int memory, int at, int pitch) {}

  private static void both(Side mine, Side its, Load load) {
    mine.load(load.slot, load.memory, load.at, load.pitch);
    its.load(load.slot, load.memory, load.at, load.pitch);
  }

  private static void step(Side mine, Side its, SplittableRandom random) {
    int slot = random.nextInt(SLOTS);
    int other = random.nextInt(SLOTS);
    int memory = random.nextInt(MEMORIES);
    int pitch = random.nextBoolean() ? 8 : 8 + random.nextInt(40);
    // Close to one another, so that they overlap now and then.
    int at = random.nextInt(20) * 8;
    switch (random.nextInt(9)) {
      case 0, 1, 2 -> both(mine, its, new Load(slot, memory, at, pitch));
      case 3, 4 -> {
        boolean add = random.nextInt(4) == 0;
        mine.store(slot, memory, at, pitch, add);
        its.store(slot, memory, at, pitch, add);
      }
      case 5 -> {
        TileOp.Binary op =
            List.of(TileOp.Binary.ADD, TileOp.Binary.SUB, TileOp.Binary.MUL).get(random.nextInt(3));
        for (Side side : List.of(mine, its)) {
          side.tiles[slot] =
              side.device.binary(
                  op, side.tiles[slot], side.tiles[other], DType.FP32, side.tiles[slot]);
        }
      }
      case 6 -> {
        int to = 1 - memory;
        int where = random.nextInt(20) * 8;
        int step = random.nextBoolean() ? 8 : 8 + random.nextInt(40);
        mine.copy(memory, at, pitch, to, where, step);
        its.copy(memory, at, pitch, to, where, step);
      }
      case 7 -> {
        float[] values = values(random, 1 + random.nextInt(60));
        mine.change(memory, at, values);
        its.change(memory, at, values);
      }
      default -> {
        for (Side side : List.of(mine, its)) {
          Tile part =
              side.device.slice(
                  side.tiles[slot], new int[] {1, 2}, new int[] {2, 4}, new int[] {2, 4});
          side.device.store(part, side.memories[memory], at * 4L, new long[] {pitch, 1}, false);
          Tile flat = side.device.reshape(side.tiles[other], new int[] {1, COUNT});
          side.tiles[other] = side.device.reshape(flat, SHAPE);
        }
      }
    }
  }

  private static float[] values(SplittableRandom random, int count) {
    float[] values = new float[count];
    for (int i = 0; i < count; i++) {
      values[i] = random.nextInt(-8, 9);
    }
    return values;
  }

  /** What a large box is moved by: loads and stores of tiles that go on where the last ended. */
  @Test
  void aRowOfCopiesIsReadInBetween() {
    try (Arena arena = Arena.ofConfined();
        Device device = OpenCl.open(List.of(0), sharing)) {
      var side = new Side(device, arena);
      float[] values = values(new SplittableRandom(7), FLOATS);
      side.change(0, 0, values);
      for (int chunk = 0; chunk < FLOATS / COUNT; chunk++) {
        side.load(0, 0, chunk * COUNT, 8);
        side.store(0, 1, chunk * COUNT, 8, false);
        if (chunk == 9) {
          device.reading(side.memories[1], 0, 10 * COUNT * 4L);
          assertThat(side.memories[1].getAtIndex(ValueLayout.JAVA_FLOAT, 10 * COUNT - 1))
              .isEqualTo(values[10 * COUNT - 1]);
        }
        // The chunk is copied by now, as far as anybody can tell.
        side.change(0, chunk * COUNT, new float[COUNT]);
      }
      device.reading(side.memories[1], 0, FLOATS * 4L);
      for (int i = 0; i < FLOATS; i++) {
        assertThat(side.memories[1].getAtIndex(ValueLayout.JAVA_FLOAT, i)).isEqualTo(values[i]);
      }
    }
  }
}
