package io.ringmaster.worker.device.opencl;

import io.ringmaster.worker.device.Boxes;
import io.ringmaster.worker.device.Tile;
import io.ringmaster.worker.device.opencl.Buffers.Buffer;
import io.ringmaster.worker.tensor.DType;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A tile in device memory: its elements in row-major order, each as in a tensor.
 *
 * @param written which elements hold something, as a tile of the simulator; null when all do
 */
@SuppressWarnings("ArrayRecordComponent") // Never compared.
record OpenClTile(DType dtype, int[] shape, int[] valid, Buffer buffer, @Nullable Tile written)
    implements Tile {

  boolean isFull() {
    return Arrays.equals(shape, valid);
  }

  long count() {
    return Boxes.count(shape);
  }
}
