package io.ringmaster.worker.device.opencl;

import java.lang.foreign.MemorySegment;

/**
 * A box of elements in a host memory that the device has a copy of.
 *
 * @param first index of the first element
 * @param strides in elements, one for each extent
 * @param from first byte that belongs to it
 * @param end the byte after its last
 */
@SuppressWarnings("ArrayRecordComponent") // Never compared.
record Memory(MemorySegment segment, long first, long[] strides, long from, long end) {

  static Memory of(MemorySegment segment, long first, long[] strides, long[] extents, int width) {
    long low = first;
    long high = first;
    for (int axis = 0; axis < extents.length; axis++) {
      long way = (extents[axis] - 1) * strides[axis];
      low += Math.min(0, way);
      high += Math.max(0, way);
    }
    return new Memory(segment, first, strides, low * width, (high + 1) * width);
  }
}
