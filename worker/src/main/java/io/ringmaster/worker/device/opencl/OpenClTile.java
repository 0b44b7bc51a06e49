package io.ringmaster.worker.device.opencl;

import io.ringmaster.worker.device.Boxes;
import io.ringmaster.worker.device.Tile;
import io.ringmaster.worker.device.opencl.Buffers.Buffer;
import io.ringmaster.worker.device.opencl.Job.Operand;
import io.ringmaster.worker.tensor.DType;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A tile in device memory.
 *
 * @param written which elements hold something, as a tile of the simulator; null when all do
 */
@SuppressWarnings("ArrayRecordComponent") // Never compared.
record OpenClTile(DType dtype, int[] shape, int[] valid, Cells cells, @Nullable Tile written)
    implements Tile {

  OpenClTile(DType dtype, int[] shape, int[] valid, Buffer buffer, @Nullable Tile written) {
    this(dtype, shape, valid, Cells.of(buffer), written);
  }

  /** Its elements in row-major order, each as in a tensor. */
  Buffer buffer() {
    return cells.own();
  }

  /** Its elements for who only reads them, wherever they are. */
  Operand read() {
    return cells.read(shape);
  }

  /** The same, repeated along unit dimensions so that they have another shape. */
  Operand read(int[] spread) {
    return cells.read(shape, spread);
  }

  boolean isFull() {
    return Arrays.equals(shape, valid);
  }

  long count() {
    return Boxes.count(shape);
  }
}
