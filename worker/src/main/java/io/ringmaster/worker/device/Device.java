package io.ringmaster.worker.device;

import io.ringmaster.worker.tensor.DType;
import io.ringmaster.worker.tensor.HostAccess;
import java.lang.foreign.MemorySegment;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What one device computes. Tiles are values except for {@link #write} and {@link #assemble}.
 *
 * <p>Scalars travel as 64 raw bits: the IEEE double for floating-point element types, the integer
 * itself otherwise. Strides are in elements, {@code start} in bytes; callers have checked that
 * memory accesses are in bounds. Throws {@link DeviceFault} for what can't be computed.
 */
public interface Device extends HostAccess, AutoCloseable {

  /** Why a device that computes nothing can't read. */
  String NO_VALUES =
      "the kernel reads a value, and a run for timing only has none; run it with values";

  /** False when there are only shapes: memory isn't touched then, and nothing can be read. */
  default boolean computes() {
    return true;
  }

  /** The device of one rank. Tiles of different ranks may lie on different devices. */
  default Device of(int rank) {
    return this;
  }

  /** Waits until all that was asked of it is done, so that a clock may be looked at. */
  default void settle() {}

  /** Gives back what it took for a run. */
  @Override
  default void close() {}

  /** Whether it goes on while the host does: the host has to tell it what it does to memory. */
  default boolean isAsynchronous() {
    return false;
  }

  /** Copies a box to another that doesn't overlap with it; for devices with memory of their own. */
  default void copy(
      MemorySegment source,
      long from,
      long[] fromStrides,
      MemorySegment target,
      long to,
      long[] toStrides,
      long[] extents,
      DType dtype) {
    throw new IllegalStateException("the host copies for a device without memory of its own");
  }

  /** A tile whose elements hold nothing yet. */
  Tile create(DType dtype, int[] shape);

  /** A tile with one value in all elements. */
  Tile full(DType dtype, int[] shape, long scalar);

  /** Reads the valid box of a new tile from memory; the rest of the tile holds nothing. */
  default Tile load(
      MemorySegment memory, long start, long[] strides, DType dtype, int[] shape, int[] valid) {
    return load(memory, start, strides, dtype, shape, valid, null);
  }

  /**
   * As {@link #load(MemorySegment, long, long[], DType, int[], int[])}.
   *
   * @param old a tile that nobody will look at again: the new one may take its place
   */
  Tile load(
      MemorySegment memory,
      long start,
      long[] strides,
      DType dtype,
      int[] shape,
      int[] valid,
      @Nullable Tile old);

  /**
   * Writes the valid box to memory, or adds it to what is there.
   *
   * @return how many of the stored elements held nothing
   */
  long store(Tile tile, MemorySegment memory, long start, long[] strides, boolean add);

  /** Right-aligned broadcast; the result is valid where the left operand is. */
  default Tile binary(TileOp.Binary op, Tile left, Tile right, DType result) {
    return binary(op, left, right, result, null);
  }

  /**
   * As {@link #binary(TileOp.Binary, Tile, Tile, DType)}.
   *
   * @param old a tile that nobody will look at again, an operand perhaps: the result may take its
   *     place
   */
  Tile binary(TileOp.Binary op, Tile left, Tile right, DType result, @Nullable Tile old);

  Tile binary(TileOp.Binary op, Tile left, long scalar);

  Tile unary(TileOp.Unary op, Tile tile);

  Tile cast(Tile tile, DType dtype, TileOp.Rounding rounding);

  /** Folds each row to one element ({@code [.., r, c]} to {@code [.., r, 1]}). */
  Tile reduceRows(TileOp.Reduction op, Tile tile);

  /** Folds each column to one element ({@code [.., r, c]} to {@code [.., 1, c]}). */
  Tile reduceColumns(TileOp.Reduction op, Tile tile);

  /** Matrix product of the last two dimensions, added to {@code accumulator} where there is one. */
  Tile matmul(
      @Nullable Tile accumulator,
      Tile left,
      Tile right,
      boolean transposeLeft,
      boolean transposeRight,
      DType result);

  /** A tile that counts in row-major order from {@code start}. */
  Tile count(DType dtype, int[] shape, long start, long step);

  /**
   * Compares, chooses or moves elements; an index outside of its operand is a {@link DeviceFault}.
   */
  Tile arrange(TileOp.Arrangement op, List<Tile> operands);

  Tile slice(Tile tile, int[] offsets, int[] shape, int[] valid);

  /** Writes the source's valid box into {@code target} at {@code offsets}. */
  void assemble(Tile target, Tile source, int[] offsets);

  /** Same elements, other extents. */
  Tile reshape(Tile tile, int[] shape);

  /** Same elements, other valid box. */
  Tile withValid(Tile tile, int[] valid);

  /** Fills everything outside the valid box; the result is wholly valid. */
  Tile fillPad(Tile tile, TileOp.Pad pad);

  /** One element; of one that holds nothing the mark of its type. */
  long read(Tile tile, int[] index);

  /** True when the element holds something: somebody wrote it. */
  default boolean holds(Tile tile, int[] index) {
    return true;
  }

  /** Fills memory that nobody has written yet with the mark of its type. */
  default void mark(MemorySegment memory, DType dtype) {}

  /**
   * What is found where nobody wrote, on a device that keeps marks there: NaN for floating-point
   * types, a number that is easy to recognise for the others. Hardware has anything there.
   */
  static long mark(DType dtype) {
    return dtype.isFloat() ? Double.doubleToRawLongBits(Double.NaN) : 0xA5A5_A5A5_A5A5_A5A5L;
  }

  void write(Tile tile, int[] index, long scalar);
}
