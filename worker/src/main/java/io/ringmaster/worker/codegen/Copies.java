package io.ringmaster.worker.codegen;

import io.ringmaster.worker.device.Device;
import io.ringmaster.worker.device.Tile;
import io.ringmaster.worker.fabric.Box;
import java.lang.foreign.MemorySegment;

/** Copies boxes of equal extents from memory to memory. */
public final class Copies {

  private Copies() {}

  /** Copies {@code from} to {@code to}, or adds it element by element. */
  public static void copy(Device device, Box from, Box to, boolean add) {
    if (!device.computes()) {
      return;
    }
    Box here = from.here();
    if (add || here.region() == to.region()) {
      // Through a tile: the sum needs arithmetic, and the two boxes may overlap.
      int[] shape = TileAccess.ints(here.extents());
      Tile tile =
          device.load(
              here.region().segment(), here.start(), here.strides(), here.dtype(), shape, shape);
      to.beforeWrite(!add);
      device.store(tile, to.region().segment(), to.start(), to.strides(), add);
    } else if (device.hasOwnMemory()) {
      device.copy(
          here.region().segment(),
          here.start(),
          here.strides(),
          to.region().segment(),
          to.start(),
          to.strides(),
          here.extents(),
          here.dtype());
    } else if (!to.borrow(here)) {
      to.beforeWrite(true);
      beforeHost(device, here, to);
      copy(here, to, 0, here.start(), to.start());
      afterHost(device, to);
    }
  }

  /** Tells a device that the host is going to copy from one box to another. */
  static void beforeHost(Device device, Box from, Box to) {
    if (device.isAsynchronous()) {
      device.reading(from.region().segment(), from.start(), from.end() - from.start());
      device.changing(to.region().segment(), to.start(), to.end() - to.start());
    }
  }

  /** Tells it that the host has copied. */
  static void afterHost(Device device, Box to) {
    if (device.isAsynchronous()) {
      device.changed(to.region().segment(), to.start(), to.end() - to.start());
    }
  }

  private static void copy(Box from, Box to, int axis, long source, long target) {
    int width = from.dtype().bytes();
    MemorySegment origin = from.region().segment();
    MemorySegment destination = to.region().segment();
    int last = from.extents().length - 1;
    if (last < 0) {
      MemorySegment.copy(origin, source, destination, target, width);
      return;
    }
    long extent = from.extents()[axis];
    long sourceStep = from.strides()[axis] * width;
    long targetStep = to.strides()[axis] * width;
    if (axis == last && sourceStep == width && targetStep == width) {
      MemorySegment.copy(origin, source, destination, target, extent * width);
      return;
    }
    for (long i = 0; i < extent; i++) {
      if (axis == last) {
        MemorySegment.copy(
            origin, source + i * sourceStep, destination, target + i * targetStep, width);
      } else {
        copy(from, to, axis + 1, source + i * sourceStep, target + i * targetStep);
      }
    }
  }
}
