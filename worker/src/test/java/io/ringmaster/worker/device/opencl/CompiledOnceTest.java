package io.ringmaster.worker.device.opencl;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringmaster.worker.device.Device;
import io.ringmaster.worker.device.Tile;
import io.ringmaster.worker.device.TileOp;
import io.ringmaster.worker.tensor.DType;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Compiling a program takes longer than most kernels run: it's done once for each text. */
class CompiledOnceTest {

  private static void compute(DType dtype, int rows, int columns) {
    int[] shape = {rows, columns};
    try (Device device = OpenCl.open(List.of(0));
        Arena arena = Arena.ofConfined()) {
      MemorySegment memory = arena.allocate(8L * rows * columns, 64);
      Tile tile = device.full(dtype, shape, 0);
      Tile sum = device.binary(TileOp.Binary.ADD, tile, tile, dtype);
      device.store(device.unary(TileOp.Unary.ABS, sum), memory, 0, new long[] {columns, 1}, false);
      device.store(
          device.reduceRows(TileOp.Reduction.MAX, sum), memory, 0, new long[] {2, 1}, false);
      device.reading(memory, 0, memory.byteSize());
    }
  }

  @Test
  void aSecondRunOfAnyShapeCompilesNothing() {
    List<DType> types = List.of(DType.FP32, DType.FP16, DType.INT32);
    types.forEach(dtype -> compute(dtype, 4, 16));
    int compiled = OpenCl.compiled();
    // In the life of the process one program for each of 12 types and for each of 4 widths of
    // moves.
    assertThat(compiled).isBetween(1, 16);
    for (int columns : new int[] {16, 17, 64, 1000}) {
      types.forEach(dtype -> compute(dtype, 3, columns));
    }
    assertThat(OpenCl.compiled()).isEqualTo(compiled);
  }
}
