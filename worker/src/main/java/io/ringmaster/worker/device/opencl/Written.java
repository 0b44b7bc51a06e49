package io.ringmaster.worker.device.opencl;

import io.ringmaster.worker.device.Boxes;
import io.ringmaster.worker.device.Device;
import io.ringmaster.worker.device.Tile;
import io.ringmaster.worker.device.TileOp;
import io.ringmaster.worker.device.sim.SimDevice;
import io.ringmaster.worker.tensor.DType;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Keeps account of which elements of a tile hold something. That follows from shapes and from what
 * was loaded, never from values, so it stays on the host: each tile that isn't wholly written has a
 * companion of the simulator, one flag an element, which goes through the same operations. So the
 * rules are the simulator's own.
 */
final class Written {

  static final Device RULES = new SimDevice();

  private Written() {}

  /** The companion of a tile, made if it has none. */
  static Tile of(OpenClTile tile) {
    Tile written = tile.written();
    return written == null ? RULES.full(DType.BOOL, tile.shape(), 0) : written;
  }

  /** The companion of a tile just loaded; null when it is wholly written. */
  static @Nullable Tile loaded(int[] shape, int[] valid) {
    return Arrays.equals(shape, valid)
        ? null
        : RULES.withValid(RULES.full(DType.BOOL, shape, 0), valid);
  }

  /** The companion of a tile computed element by element from one. */
  static @Nullable Tile same(OpenClTile tile) {
    Tile written = tile.written();
    return written == null ? null : RULES.unary(TileOp.Unary.NEG, written);
  }

  /** The companion, or null when it says nothing but that all is written. */
  static @Nullable Tile lasting(Tile written) {
    return Arrays.equals(written.shape(), written.valid()) && flags(written, null) == 0
        ? null
        : written;
  }

  /**
   * Counts the elements of the valid box that nobody wrote.
   *
   * @param flags receives a byte for each element, 1 where nobody wrote; null for none
   */
  static long flags(Tile written, @Nullable MemorySegment flags) {
    if (flags != null) {
      return RULES.store(written, flags, 0, Boxes.rowMajor(written.shape()), false);
    }
    try (Arena arena = Arena.ofConfined()) {
      return flags(written, arena.allocate(Math.max(1, Boxes.count(written.shape()))));
    }
  }

  /** The bytes of one element, in the low ones of the result. */
  static long bits(DType dtype, long scalar) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment bytes = arena.allocate(Long.BYTES, Long.BYTES);
      RULES.store(RULES.full(dtype, new int[] {1}, scalar), bytes, 0, new long[] {1}, false);
      return bytes.get(java.lang.foreign.ValueLayout.JAVA_LONG, 0);
    }
  }

  /** The raw scalar that an element's bytes stand for. */
  static long scalar(DType dtype, MemorySegment bytes) {
    int[] one = {1};
    return RULES.read(RULES.load(bytes, 0, new long[] {1}, dtype, one, one), new int[] {0});
  }

  /** A scalar as a tile of the type holds it. */
  static long rounded(DType dtype, long scalar) {
    return RULES.read(RULES.full(dtype, new int[] {1}, scalar), new int[] {0});
  }

  /** What a padding writes. */
  static long padding(DType dtype, TileOp.Pad pad) {
    Tile empty = RULES.withValid(RULES.full(dtype, new int[] {1}, 0), new int[] {0});
    return RULES.read(RULES.fillPad(empty, pad), new int[] {0});
  }

  /** What is read where nobody wrote. */
  static long mark(DType dtype) {
    return RULES.read(RULES.create(dtype, new int[] {1}), new int[] {0});
  }
}
