package io.ringmaster.worker.device.sim;

import io.ringmaster.worker.device.Boxes;
import io.ringmaster.worker.device.Device;
import io.ringmaster.worker.device.Tile;
import io.ringmaster.worker.device.TileOp;
import io.ringmaster.worker.tensor.DType;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A device that computes on the Java heap. Stateless: one instance serves every rank. */
public final class SimDevice implements Device {

  @Override
  public Tile create(DType dtype, int[] shape) {
    SimTile tile = SimTile.blank(dtype, shape, shape);
    fill(tile, 0, tile.count(), Device.mark(dtype));
    boolean[] marks = new boolean[tile.count()];
    Arrays.fill(marks, true);
    return tile.withPoison(marks);
  }

  @Override
  public Tile full(DType dtype, int[] shape, long scalar) {
    SimTile tile = SimTile.blank(dtype, shape, shape);
    fill(tile, 0, tile.count(), scalar);
    return tile;
  }

  @Override
  public Tile load(
      MemorySegment memory,
      long start,
      long[] strides,
      DType dtype,
      int[] shape,
      int[] valid,
      @Nullable Tile old) {
    SimTile tile = SimTile.in(old, dtype, shape, valid);
    Memory.load(tile, memory, start, strides);
    return tile;
  }

  @Override
  public long store(Tile tile, MemorySegment memory, long start, long[] strides, boolean add) {
    SimTile source = own(tile).marked();
    Memory.store(source, memory, start, strides, add);
    boolean[] poison = source.poison();
    if (poison == null) {
      return 0;
    }
    long[] unwritten = {0};
    Runs.forEach(
        source.shape(),
        source.valid(),
        (from, length) -> {
          for (int i = from; i < from + length; i++) {
            unwritten[0] += poison[i] ? 1 : 0;
          }
        });
    return unwritten[0];
  }

  @Override
  public Tile binary(TileOp.Binary op, Tile left, Tile right, DType result, @Nullable Tile old) {
    return Elementwise.binary(op, own(left), own(right), result, old);
  }

  @Override
  public Tile binary(TileOp.Binary op, Tile left, long scalar) {
    return Elementwise.binary(op, own(left), scalar);
  }

  @Override
  public Tile unary(TileOp.Unary op, Tile tile) {
    return Elementwise.unary(op, own(tile));
  }

  @Override
  public Tile cast(Tile tile, DType dtype, TileOp.Rounding rounding) {
    return Casts.cast(own(tile), dtype, rounding);
  }

  @Override
  public Tile reduceRows(TileOp.Reduction op, Tile tile) {
    return Reductions.rows(op, own(tile));
  }

  @Override
  public Tile reduceColumns(TileOp.Reduction op, Tile tile) {
    return Reductions.columns(op, own(tile));
  }

  @Override
  public Tile matmul(
      @Nullable Tile accumulator,
      Tile left,
      Tile right,
      boolean transposeLeft,
      boolean transposeRight,
      DType result) {
    SimTile start = accumulator == null ? null : own(accumulator);
    return Matrices.multiply(start, own(left), own(right), transposeLeft, transposeRight, result);
  }

  @Override
  public Tile count(DType dtype, int[] shape, long start, long step) {
    SimTile out = SimTile.blank(dtype, shape, shape);
    for (int i = 0; i < out.count(); i++) {
      out.setRaw(i, start + i * step);
    }
    return out;
  }

  @Override
  public Tile arrange(TileOp.Arrangement op, List<Tile> operands) {
    return Arrangements.of(op, operands.stream().map(SimDevice::own).toList());
  }

  @Override
  public Tile slice(Tile tile, int[] offsets, int[] shape, int[] valid) {
    SimTile source = own(tile);
    Boxes.requireInside(source.shape(), offsets, shape);
    SimTile out = SimTile.blank(source.dtype(), shape, valid);
    boolean @Nullable [] marks = source.isClean() ? null : new boolean[out.count()];
    boolean[] from = marks == null ? new boolean[0] : source.marks();
    int[] at = {0};
    Runs.forEach(
        source.shape(),
        offsets,
        shape,
        (first, length) -> {
          copy(source, first, out, at[0], length);
          if (marks != null) {
            System.arraycopy(from, first, marks, at[0], length);
          }
          at[0] += length;
        });
    return out.withPoison(marks);
  }

  @Override
  public void assemble(Tile target, Tile source, int[] offsets) {
    SimTile to = own(target);
    SimTile from = Elementwise.converted(own(source), to.dtype()).marked();
    Boxes.requireInside(to.shape(), offsets, from.valid());
    int[] at = {0};
    int[] starts = starts(from);
    boolean[] written = to.poison();
    boolean[] unwritten = from.poison();
    int line = from.valid().length == 0 ? 1 : from.valid()[from.valid().length - 1];
    int width = to.shape().length == 0 ? 1 : to.shape()[to.shape().length - 1];
    lines(
        to,
        offsets,
        from.valid(),
        first -> {
          int start = starts[at[0]++];
          copy(from, start, to, first, Math.min(line, width));
          if (written != null) {
            for (int i = 0; i < line; i++) {
              written[first + i] = unwritten != null && unwritten[start + i];
            }
          }
        });
  }

  @Override
  public Tile reshape(Tile tile, int[] shape) {
    SimTile source = own(tile);
    Boxes.requireReshape(source.shape(), shape);
    if (source.isFull()) {
      return new SimTile(
          source.dtype(), shape, shape, source.floats(), source.longs(), source.poison());
    }
    return new SimTile(
        source.dtype(), shape, shape, source.floats(), source.longs(), source.marks());
  }

  @Override
  public Tile withValid(Tile tile, int[] valid) {
    SimTile source = own(tile);
    Boxes.requireInside(source.shape(), new int[valid.length], valid);
    boolean grows = false;
    for (int axis = 0; axis < valid.length; axis++) {
      grows |= valid[axis] > source.valid()[axis];
    }
    boolean @Nullable [] marks = grows ? source.marks() : source.poison();
    return new SimTile(
        source.dtype(), source.shape(), valid, source.floats(), source.longs(), marks);
  }

  @Override
  public Tile fillPad(Tile tile, TileOp.Pad pad) {
    SimTile source = own(tile);
    if (source.isFull()) {
      return source;
    }
    long value =
        switch (pad) {
          case ZERO -> 0;
          case MAX -> Numbers.largest(source.dtype());
          case MIN -> Numbers.smallest(source.dtype());
        };
    SimTile out = SimTile.blank(source.dtype(), source.shape(), source.shape());
    fill(out, 0, out.count(), value);
    boolean[] poison = source.poison();
    boolean @Nullable [] marks = poison == null ? null : new boolean[out.count()];
    Runs.forEach(
        source.shape(),
        source.valid(),
        (from, length) -> {
          copy(source, from, out, from, length);
          if (marks != null && poison != null) {
            System.arraycopy(poison, from, marks, from, length);
          }
        });
    return out.withPoison(marks);
  }

  @Override
  public long read(Tile tile, int[] index) {
    SimTile source = own(tile);
    return holds(tile, index)
        ? source.raw(linear(source, index))
        : source.isFloat()
            ? Device.mark(source.dtype())
            : Numbers.wrap(source.dtype(), Device.mark(source.dtype()));
  }

  @Override
  public boolean holds(Tile tile, int[] index) {
    SimTile source = own(tile);
    int at = linear(source, index);
    boolean[] poison = source.poison();
    return (poison == null || !poison[at]) && source.isInside(at);
  }

  @Override
  public void mark(MemorySegment memory, DType dtype) {
    Memory.mark(memory, dtype);
  }

  @Override
  public void write(Tile tile, int[] index, long scalar) {
    SimTile target = own(tile);
    int at = linear(target, index);
    target.setRaw(at, scalar);
    boolean[] poison = target.poison();
    if (poison != null) {
      poison[at] = false;
    }
  }

  private static SimTile own(Tile tile) {
    if (tile instanceof SimTile mine) {
      return mine;
    }
    throw new IllegalArgumentException("a tile of another device: " + tile.getClass().getName());
  }

  private static void fill(SimTile tile, int from, int length, long raw) {
    if (tile.isFloat()) {
      float value = Numbers.round(tile.dtype(), (float) Double.longBitsToDouble(raw));
      Arrays.fill(tile.floats(), from, from + length, value);
    } else {
      Arrays.fill(tile.longs(), from, from + length, Numbers.wrap(tile.dtype(), raw));
    }
  }

  private static void copy(SimTile from, int first, SimTile to, int at, int length) {
    if (from.isFloat()) {
      System.arraycopy(from.floats(), first, to.floats(), at, length);
    } else {
      System.arraycopy(from.longs(), first, to.longs(), at, length);
    }
  }

  private static int linear(SimTile tile, int[] index) {
    return (int) Boxes.element(tile.shape(), index);
  }

  @FunctionalInterface
  private interface Line {
    void accept(int first);
  }

  /** First element of every line along the last axis of the valid box. */
  private static int[] starts(SimTile tile) {
    int lineCount = 1;
    for (int axis = 0; axis + 1 < tile.valid().length; axis++) {
      lineCount *= tile.valid()[axis];
    }
    int[] starts = new int[lineCount];
    int[] next = {0};
    lines(tile, new int[tile.shape().length], tile.valid(), first -> starts[next[0]++] = first);
    return starts;
  }

  private static void lines(SimTile tile, int[] offsets, int[] box, Line line) {
    int[] index = new int[box.length];
    for (int extent : box) {
      if (extent == 0) {
        return;
      }
    }
    while (true) {
      int at = 0;
      for (int axis = 0; axis < box.length; axis++) {
        at = at * tile.shape()[axis] + offsets[axis] + index[axis];
      }
      line.accept(at);
      int axis = box.length - 2;
      while (axis >= 0 && ++index[axis] == box[axis]) {
        index[axis--] = 0;
      }
      if (axis < 0) {
        return;
      }
    }
  }
}
