package io.ringmaster.worker.device.timing;

import io.ringmaster.worker.device.Device;
import io.ringmaster.worker.device.DeviceFault;
import io.ringmaster.worker.device.Tile;
import io.ringmaster.worker.device.TileOp;
import io.ringmaster.worker.tensor.DType;
import java.lang.foreign.MemorySegment;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Tiles with a shape and no elements; memory is never touched. What a run does must not depend on
 * values then: reading one is a {@link DeviceFault}.
 */
public final class TimingDevice implements Device {

  @SuppressWarnings("ArrayRecordComponent") // Never compared.
  private record Shape(DType dtype, int[] shape, int[] valid) implements Tile {}

  @Override
  public boolean computes() {
    return false;
  }

  @Override
  public Tile create(DType dtype, int[] shape) {
    return new Shape(dtype, shape, shape);
  }

  @Override
  public Tile full(DType dtype, int[] shape, long scalar) {
    return new Shape(dtype, shape, shape);
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
    return new Shape(dtype, shape, valid);
  }

  @Override
  public long store(Tile tile, MemorySegment memory, long start, long[] strides, boolean add) {
    return 0;
  }

  @Override
  public Tile binary(TileOp.Binary op, Tile left, Tile right, DType result, @Nullable Tile old) {
    return new Shape(result, left.shape(), left.valid());
  }

  @Override
  public Tile binary(TileOp.Binary op, Tile left, long scalar) {
    return left;
  }

  @Override
  public Tile unary(TileOp.Unary op, Tile tile) {
    return tile;
  }

  @Override
  public Tile cast(Tile tile, DType dtype, TileOp.Rounding rounding) {
    return new Shape(dtype, tile.shape(), tile.valid());
  }

  @Override
  public Tile reduceRows(TileOp.Reduction op, Tile tile) {
    return folded(tile, 1);
  }

  @Override
  public Tile reduceColumns(TileOp.Reduction op, Tile tile) {
    return folded(tile, 2);
  }

  /** The tile with the extent that many axes from the end folded to 1. */
  private static Tile folded(Tile tile, int fromEnd) {
    int[] shape = tile.shape().clone();
    int[] valid = tile.valid().clone();
    int axis = shape.length - fromEnd;
    if (axis < 0) {
      throw new DeviceFault("a reduction needs a tile of " + fromEnd + " dimensions");
    }
    shape[axis] = 1;
    valid[axis] = Math.min(valid[axis], 1);
    return new Shape(tile.dtype(), shape, valid);
  }

  @Override
  public Tile matmul(
      @Nullable Tile accumulator,
      Tile left,
      Tile right,
      boolean transposeLeft,
      boolean transposeRight,
      DType result) {
    int[] a = left.shape();
    int[] b = right.shape();
    int[] shape = a.clone();
    shape[shape.length - 2] = a[a.length - (transposeLeft ? 1 : 2)];
    shape[shape.length - 1] = b[b.length - (transposeRight ? 2 : 1)];
    return new Shape(result, shape, shape);
  }

  @Override
  public Tile count(DType dtype, int[] shape, long start, long step) {
    return new Shape(dtype, shape, shape);
  }

  @Override
  public Tile arrange(TileOp.Arrangement op, List<Tile> operands) {
    Tile first = operands.getFirst();
    int last = first.shape().length - 1;
    int[] shape = first.shape().clone();
    return switch (op) {
      case TileOp.Compare(_, DType result) -> new Shape(result, shape, first.valid());
      case TileOp.Select _ -> operands.get(1);
      case TileOp.Sort32 _ -> {
        shape[last] *= 2;
        yield new Shape(first.dtype(), shape, shape);
      }
      case TileOp.Merge _ -> {
        shape[last] = operands.stream().mapToInt(tile -> tile.shape()[last]).sum();
        yield new Shape(first.dtype(), shape, shape);
      }
      case TileOp.Gather _ -> {
        Tile index = operands.get(1);
        yield new Shape(first.dtype(), index.shape(), index.valid());
      }
      case TileOp.GatherColumns(_, int stride, DType result) -> {
        shape[last] /= stride;
        yield new Shape(result, shape, shape);
      }
      case TileOp.Scatter _ -> first;
      case TileOp.Transpose _ -> {
        int[] valid = first.valid().clone();
        shape[last] = first.shape()[last - 1];
        shape[last - 1] = first.shape()[last];
        valid[last] = first.valid()[last - 1];
        valid[last - 1] = first.valid()[last];
        yield new Shape(first.dtype(), shape, valid);
      }
    };
  }

  @Override
  public Tile slice(Tile tile, int[] offsets, int[] shape, int[] valid) {
    return new Shape(tile.dtype(), shape, valid);
  }

  @Override
  public void assemble(Tile target, Tile source, int[] offsets) {}

  @Override
  public Tile reshape(Tile tile, int[] shape) {
    return new Shape(tile.dtype(), shape, shape);
  }

  @Override
  public Tile withValid(Tile tile, int[] valid) {
    return new Shape(tile.dtype(), tile.shape(), valid);
  }

  @Override
  public Tile fillPad(Tile tile, TileOp.Pad pad) {
    return new Shape(tile.dtype(), tile.shape(), tile.shape());
  }

  @Override
  public long read(Tile tile, int[] index) {
    throw new DeviceFault(NO_VALUES);
  }

  @Override
  public void write(Tile tile, int[] index, long scalar) {}
}
