package io.ringmaster.worker.device.sim;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_SHORT_UNALIGNED;

import io.ringmaster.worker.tensor.DType;
import java.lang.foreign.MemorySegment;

/** Moves boxes between strided memory and tiles, converting between memory and tile format. */
final class Memory {

  private Memory() {}

  /** Fills the tile's valid box from memory. */
  static void load(SimTile tile, MemorySegment memory, long start, long[] strides) {
    walk(
        tile, start, strides, 0, 0, (index, at, step, n) -> read(tile, index, memory, at, step, n));
  }

  /** Writes or adds the tile's valid box to memory. */
  static void store(SimTile tile, MemorySegment memory, long start, long[] strides, boolean add) {
    if (add) {
      SimTile sum = SimTile.blank(tile.dtype(), tile.shape(), tile.valid());
      load(sum, memory, start, strides);
      Runs.forEach(
          tile.shape(),
          tile.valid(),
          (from, length) -> Elementwise.add(tile.dtype(), sum, tile, from, length));
      store(sum, memory, start, strides, false);
      return;
    }
    walk(
        tile,
        start,
        strides,
        0,
        0,
        (index, at, step, n) -> write(tile, index, memory, at, step, n));
  }

  /** Fills memory with the mark of a type: NaN, or bytes that are easy to recognise. */
  static void mark(MemorySegment memory, DType dtype) {
    if (dtype == DType.FP32) {
      for (long at = 0; at + Float.BYTES <= memory.byteSize(); at += Float.BYTES) {
        memory.set(JAVA_FLOAT_UNALIGNED, at, Float.NaN);
      }
    } else if (dtype == DType.FP16 || dtype == DType.BF16) {
      short nan = dtype == DType.FP16 ? Float.floatToFloat16(Float.NaN) : (short) 0x7FC0;
      for (long at = 0; at + Short.BYTES <= memory.byteSize(); at += Short.BYTES) {
        memory.set(JAVA_SHORT_UNALIGNED, at, nan);
      }
    } else {
      memory.fill((byte) 0xA5);
    }
  }

  @FunctionalInterface
  private interface Line {
    void accept(int index, long at, long stepBytes, int length);
  }

  private static void walk(SimTile tile, long at, long[] strides, int axis, int index, Line line) {
    int[] shape = tile.shape();
    int[] valid = tile.valid();
    int width = tile.dtype().bytes();
    if (shape.length == 0) {
      line.accept(0, at, width, 1);
      return;
    }
    long step = strides[axis] * width;
    if (axis == shape.length - 1) {
      if (valid[axis] > 0) {
        line.accept(index * shape[axis], at, step, valid[axis]);
      }
      return;
    }
    for (int i = 0; i < valid[axis]; i++) {
      walk(tile, at + i * step, strides, axis + 1, index * shape[axis] + i, line);
    }
  }

  private static void read(
      SimTile tile, int index, MemorySegment memory, long at, long step, int length) {
    DType dtype = tile.dtype();
    if (dtype == DType.FP32 && step == Float.BYTES) {
      MemorySegment.copy(memory, JAVA_FLOAT_UNALIGNED, at, tile.floats(), index, length);
      return;
    }
    if (dtype.bytes() == Long.BYTES && step == Long.BYTES) {
      MemorySegment.copy(memory, JAVA_LONG_UNALIGNED, at, tile.longs(), index, length);
      return;
    }
    float[] floats = tile.floats();
    long[] longs = tile.longs();
    for (int i = 0; i < length; i++, at += step) {
      switch (dtype) {
        case FP32 -> floats[index + i] = memory.get(JAVA_FLOAT_UNALIGNED, at);
        case FP16 -> floats[index + i] = Float.float16ToFloat(memory.get(JAVA_SHORT_UNALIGNED, at));
        case BF16 -> floats[index + i] = Numbers.bf16(memory.get(JAVA_SHORT_UNALIGNED, at));
        default -> longs[index + i] = integer(dtype, memory, at);
      }
    }
  }

  private static void write(
      SimTile tile, int index, MemorySegment memory, long at, long step, int length) {
    DType dtype = tile.dtype();
    if (dtype == DType.FP32 && step == Float.BYTES) {
      MemorySegment.copy(tile.floats(), index, memory, JAVA_FLOAT_UNALIGNED, at, length);
      return;
    }
    if (dtype.bytes() == Long.BYTES && step == Long.BYTES) {
      MemorySegment.copy(tile.longs(), index, memory, JAVA_LONG_UNALIGNED, at, length);
      return;
    }
    float[] floats = tile.floats();
    long[] longs = tile.longs();
    for (int i = 0; i < length; i++, at += step) {
      switch (dtype) {
        case FP32 -> memory.set(JAVA_FLOAT_UNALIGNED, at, floats[index + i]);
        case FP16 -> memory.set(JAVA_SHORT_UNALIGNED, at, Float.floatToFloat16(floats[index + i]));
        case BF16 -> memory.set(JAVA_SHORT_UNALIGNED, at, Numbers.bf16Bits(floats[index + i]));
        default -> setInteger(dtype, memory, at, longs[index + i]);
      }
    }
  }

  private static long integer(DType dtype, MemorySegment memory, long at) {
    long raw =
        switch (dtype.bytes()) {
          case 1 -> memory.get(JAVA_BYTE, at);
          case 2 -> memory.get(JAVA_SHORT_UNALIGNED, at);
          case 4 -> memory.get(JAVA_INT_UNALIGNED, at);
          default -> memory.get(JAVA_LONG_UNALIGNED, at);
        };
    return Numbers.wrap(dtype, raw);
  }

  private static void setInteger(DType dtype, MemorySegment memory, long at, long value) {
    switch (dtype.bytes()) {
      case 1 -> memory.set(JAVA_BYTE, at, (byte) value);
      case 2 -> memory.set(JAVA_SHORT_UNALIGNED, at, (short) value);
      case 4 -> memory.set(JAVA_INT_UNALIGNED, at, (int) value);
      default -> memory.set(JAVA_LONG_UNALIGNED, at, value);
    }
  }
}
