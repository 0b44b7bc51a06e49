package io.ringmaster.worker.device.opencl;

import io.ringmaster.worker.device.Boxes;
import io.ringmaster.worker.device.Device;
import io.ringmaster.worker.device.Tile;
import io.ringmaster.worker.device.TileOp;
import io.ringmaster.worker.device.opencl.Buffers.Buffer;
import io.ringmaster.worker.tensor.DType;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Operations that are left to the host: comparing, choosing, sorting and moving by index, where
 * which elements hold something depends on values. The operands come back from the device, the
 * simulator computes, the result goes there.
 */
final class HostTiles {

  private static final Device HOST = Written.RULES;

  private final Lane lane;

  HostTiles(Lane lane) {
    this.lane = lane;
  }

  OpenClTile arrange(TileOp.Arrangement op, List<OpenClTile> operands) {
    return toDevice(HOST.arrange(op, operands.stream().map(this::toHost).toList()));
  }

  OpenClTile count(DType dtype, int[] shape, long start, long step) {
    Texts.code(dtype);
    return toDevice(HOST.count(dtype, shape, start, step));
  }

  private Tile toHost(OpenClTile tile) {
    int[] shape = tile.shape();
    Tile values;
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment bytes = arena.allocate(Math.max(1, tile.bytes()));
      lane.read(tile.buffer(), 0, bytes.asSlice(0, tile.bytes()));
      values = HOST.load(bytes, 0, Boxes.rowMajor(shape), tile.dtype(), shape, shape);
    }
    Tile written = tile.written();
    if (written != null && Written.flags(written, null) > 0) {
      Tile held = HOST.create(tile.dtype(), shape);
      Tile all = values;
      each(
          shape,
          written,
          index -> HOST.write(held, at(shape, index), HOST.read(all, at(shape, index))));
      values = held;
    }
    return tile.isFull() ? values : HOST.withValid(values, tile.valid());
  }

  private OpenClTile toDevice(Tile tile) {
    int[] shape = tile.shape();
    Buffer buffer = lane.take(tile.bytes());
    long unwritten;
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment bytes = arena.allocate(Math.max(1, tile.bytes()));
      unwritten = HOST.store(tile, bytes, 0, Boxes.rowMajor(shape), false);
      lane.write(buffer, 0, bytes.asSlice(0, tile.bytes()));
    }
    @Nullable Tile written = Written.loaded(shape, tile.valid());
    if (unwritten > 0) {
      Tile held = HOST.create(DType.BOOL, shape);
      each(shape, tile, index -> HOST.write(held, at(shape, index), 0));
      written = HOST.withValid(held, tile.valid());
    }
    return new OpenClTile(tile.dtype(), shape, tile.valid(), buffer, written);
  }

  /** Every element of a shape that holds something in a tile. */
  private static void each(int[] shape, Tile tile, IntConsumer element) {
    long count = Boxes.count(shape);
    for (int index = 0; index < count; index++) {
      if (HOST.holds(tile, at(shape, index))) {
        element.accept(index);
      }
    }
  }

  private static int[] at(int[] shape, int linear) {
    int[] index = new int[shape.length];
    int left = linear;
    for (int axis = shape.length - 1; axis >= 0; axis--) {
      index[axis] = left % shape[axis];
      left /= shape[axis];
    }
    return index;
  }
}
