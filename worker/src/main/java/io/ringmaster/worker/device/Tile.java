package io.ringmaster.worker.device;

import io.ringmaster.worker.tensor.DType;

/** A block of elements in on-chip memory, made and read only by the {@link Device} that owns it. */
public interface Tile {

  DType dtype();

  /** Extents; not to be changed. */
  int[] shape();

  /** The origin-anchored box of elements that hold values; not to be changed. */
  int[] valid();

  /** Bytes the tile occupies on the chip. */
  default long bytes() {
    long total = dtype().bytes();
    for (int extent : shape()) {
      total *= extent;
    }
    return total;
  }
}
