package io.ringmaster.worker.device.opencl;

import io.ringmaster.worker.device.Boxes;
import io.ringmaster.worker.device.DeviceFault;
import io.ringmaster.worker.device.Tile;
import io.ringmaster.worker.device.TileOp;
import io.ringmaster.worker.device.opencl.Buffers.Buffer;
import io.ringmaster.worker.device.opencl.Job.Numbers;
import io.ringmaster.worker.device.opencl.Job.Operand;
import io.ringmaster.worker.tensor.DType;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Operations that compute: which kernel, on which box, with which operands. */
final class Arithmetic {

  private final Lane lane;

  Arithmetic(Lane lane) {
    this.lane = lane;
  }

  /** Memory for a tile; zeros where the valid box doesn't reach. */
  Buffer room(DType dtype, int[] shape, int[] valid) {
    long bytes = Boxes.count(shape) * dtype.bytes();
    Buffer buffer = lane.take(bytes);
    if (!Arrays.equals(shape, valid)) {
      lane.fill(buffer, 0, bytes, 0, 1);
    }
    return buffer;
  }

  /** Fills with a scalar. */
  Buffer filled(DType dtype, int[] shape, long scalar) {
    Texts.code(dtype);
    long bytes = Boxes.count(shape) * dtype.bytes();
    Buffer buffer = lane.take(bytes);
    lane.fill(buffer, 0, bytes, Written.bits(dtype, scalar), dtype.bytes());
    return buffer;
  }

  /** As above, in the place of a tile that nobody will look at again, if it fits. */
  Buffer room(DType dtype, int[] shape, int[] valid, @Nullable Tile old) {
    Buffer spare = Arrays.equals(shape, valid) ? spare(dtype, shape, old) : null;
    return spare == null ? room(dtype, shape, valid) : spare;
  }

  /** Room of a tile that nobody will look at again, if it fits; null for none. */
  static @Nullable Buffer spare(DType dtype, int[] shape, @Nullable Tile old) {
    return old instanceof OpenClTile last && last.bytes() == Boxes.count(shape) * dtype.bytes()
        ? last.cells().handOver()
        : null;
  }

  OpenClTile binary(
      TileOp.Binary op, OpenClTile left, OpenClTile right, DType result, @Nullable Tile old) {
    OpenClTile a = converted(left, result);
    OpenClTile b = converted(right, result);
    int[] shape = Boxes.broadcast(a.shape(), b.shape());
    Tile written = null;
    int[] valid = shape;
    if (a.written() != null || b.written() != null) {
      Tile both = Written.RULES.binary(op(op), Written.of(a), Written.of(b), DType.BOOL);
      valid = both.valid();
      written = Written.lasting(both);
    }
    Operand first = a.read(shape);
    Operand second = b.read(shape);
    Buffer out = room(result, shape, valid, sameShape(old, shape));
    run(
        result,
        new Job(
            Boxes.longs(valid),
            new Operand(out, 0, Boxes.rowMajor(shape)),
            first,
            second,
            Numbers.op(code(op))),
        op);
    return new OpenClTile(result, shape, valid, out, written);
  }

  /** Elements are read where they are written only if the tile has the result's shape. */
  private static @Nullable Tile sameShape(@Nullable Tile old, int[] shape) {
    return old != null && Arrays.equals(old.shape(), shape) ? old : null;
  }

  /** Division has no value of its own for flags. */
  private static TileOp.Binary op(TileOp.Binary op) {
    return op == TileOp.Binary.DIV ? TileOp.Binary.MUL : op;
  }

  OpenClTile binary(TileOp.Binary op, OpenClTile left, long scalar) {
    DType dtype = left.dtype();
    long value = Written.rounded(dtype, scalar);
    Numbers numbers =
        dtype.isFloat()
            ? Numbers.scalar(code(op), (float) Double.longBitsToDouble(value), 0)
            : Numbers.scalar(code(op), 0, value);
    Buffer out = room(dtype, left.shape(), left.valid());
    run(dtype, job(left, out, numbers), op);
    return new OpenClTile(dtype, left.shape(), left.valid(), out, Written.same(left));
  }

  /** Computes an operation on two operands, or on one and a scalar. */
  void run(DType dtype, Job job, TileOp.Binary op) {
    boolean plain = op == TileOp.Binary.ADD || op == TileOp.Binary.SUB || op == TileOp.Binary.MUL;
    if (dtype == DType.FP32
        && plain
        && job.numbers().mode() == 0
        && isWhole(job)
        && lane.flat(Texts.tiles(dtype), job)) {
      return;
    }
    lane.launch(Texts.tiles(dtype), "binary", job);
    if (op == TileOp.Binary.DIV && !dtype.isFloat() && lane.faulted()) {
      throw new DeviceFault("division by zero in a tile of " + dtype);
    }
  }

  private static boolean isWhole(Job job) {
    for (long extent : job.extents()) {
      if (extent == 0) {
        return false;
      }
    }
    return true;
  }

  OpenClTile unary(TileOp.Unary op, OpenClTile tile) {
    DType dtype = tile.dtype();
    if (!dtype.isFloat() && op != TileOp.Unary.NEG && op != TileOp.Unary.ABS) {
      throw new DeviceFault(op + " needs a floating-point tile, got " + dtype + "; cast it first");
    }
    Buffer out = room(dtype, tile.shape(), tile.valid());
    lane.launch(Texts.tiles(dtype), "unary", job(tile, out, Numbers.op(code(op))));
    return new OpenClTile(dtype, tile.shape(), tile.valid(), out, Written.same(tile));
  }

  OpenClTile converted(OpenClTile tile, DType dtype) {
    return tile.dtype() == dtype ? tile : cast(tile, dtype, TileOp.Rounding.RINT);
  }

  OpenClTile cast(OpenClTile tile, DType dtype, TileOp.Rounding rounding) {
    Numbers numbers = Numbers.conversion(Texts.code(dtype), code(rounding));
    Buffer out = room(dtype, tile.shape(), tile.valid());
    lane.launch(Texts.tiles(tile.dtype()), "convert", job(tile, out, numbers));
    return new OpenClTile(dtype, tile.shape(), tile.valid(), out, Written.same(tile));
  }

  /** A job on the valid box of a tile. */
  private static Job job(OpenClTile tile, Buffer out, Numbers numbers) {
    Operand in = tile.read();
    return new Job(
        Boxes.longs(tile.valid()),
        new Operand(out, 0, Boxes.rowMajor(tile.shape())),
        in,
        in,
        numbers);
  }

  OpenClTile reduce(TileOp.Reduction op, OpenClTile tile, boolean rows) {
    int rank = tile.shape().length;
    int axis = rank - (rows ? 1 : 2);
    if (rank < 2) {
      throw new DeviceFault(
          "a row or column reduction needs a 2-D tile, got " + Arrays.toString(tile.shape()));
    }
    int length = tile.valid()[axis];
    if (length == 0) {
      throw new DeviceFault("can't reduce an empty valid axis " + axis);
    }
    int[] shape = tile.shape().clone();
    int[] valid = tile.valid().clone();
    shape[axis] = 1;
    valid[axis] = 1;
    Tile written = null;
    if (tile.written() != null) {
      Tile before = Written.of(tile);
      written =
          Written.lasting(
              rows
                  ? Written.RULES.reduceRows(TileOp.Reduction.SUM, before)
                  : Written.RULES.reduceColumns(TileOp.Reduction.SUM, before));
    }
    Buffer out = room(tile.dtype(), shape, valid);
    Operand in = tile.read();
    lane.launch(
        Texts.tiles(tile.dtype()),
        "fold",
        new Job(
            Boxes.longs(valid),
            new Operand(out, 0, Boxes.rowMajor(shape)),
            in,
            in,
            Numbers.fold(code(op), length, in.strides()[axis])));
    return new OpenClTile(tile.dtype(), shape, valid, out, written);
  }

  OpenClTile matmul(
      @Nullable OpenClTile start,
      OpenClTile left,
      OpenClTile right,
      boolean transposeLeft,
      boolean transposeRight,
      DType result) {
    Product product = Product.of(left, right, transposeLeft, transposeRight);
    int[] shape = product.shape();
    if (start != null && !Arrays.equals(start.shape(), shape)) {
      throw new DeviceFault(
          "matmul_acc accumulator has shape "
              + Arrays.toString(start.shape())
              + ", the product "
              + Arrays.toString(shape));
    }
    Tile written = null;
    int[] valid = shape;
    if (left.written() != null
        || right.written() != null
        || (start != null && start.written() != null)) {
      Tile all =
          Written.RULES.matmul(
              start == null ? null : Written.of(start),
              Written.of(left),
              Written.of(right),
              transposeLeft,
              transposeRight,
              DType.BOOL);
      valid = all.valid();
      written = Written.lasting(all);
    }
    Buffer out = lane.take(Boxes.count(shape) * result.bytes());
    Numbers numbers =
        new Numbers(
            0,
            start == null ? 0 : Texts.code(start.dtype()),
            start == null ? 0 : 1,
            Texts.code(result),
            0,
            0,
            product.inner(),
            0,
            product.leftInner(),
            product.rightInner());
    Job job =
        new Job(
            new long[] {product.batches(), product.rows(), product.columns()},
            new Operand(
                out, 0, new long[] {product.rows() * product.columns(), product.columns(), 1}),
            new Operand(left.buffer(), 0, new long[] {product.leftBatch(), product.leftRow(), 0}),
            new Operand(
                right.buffer(), 0, new long[] {product.rightBatch(), 0, product.rightColumn()}),
            numbers);
    lane.launch(Texts.tiles(left.dtype()), "product", job, start == null ? out : start.buffer());
    return new OpenClTile(result, shape, valid, out, written);
  }

  /** Copies a box of elements of one width. */
  void move(int width, long[] extents, Operand from, Operand to) {
    lane.move(width, extents, from, to);
  }

  static int code(TileOp.Binary op) {
    return switch (op) {
      case ADD -> 0;
      case SUB -> 1;
      case MUL -> 2;
      case DIV -> 3;
      case MAX -> 4;
      case MIN -> 5;
    };
  }

  private static int code(TileOp.Unary op) {
    return switch (op) {
      case EXP -> 0;
      case LOG -> 1;
      case SQRT -> 2;
      case RSQRT -> 3;
      case NEG -> 4;
      case ABS -> 5;
      case RECIP -> 6;
      case SIN -> 7;
      case COS -> 8;
    };
  }

  private static int code(TileOp.Reduction op) {
    return switch (op) {
      case SUM -> 0;
      case MAX -> 1;
      case MIN -> 2;
      case PROD -> 3;
    };
  }

  private static int code(TileOp.Rounding rounding) {
    return switch (rounding) {
      case NONE -> 0;
      case RINT -> 1;
      case ROUND -> 2;
      case FLOOR -> 3;
      case CEIL -> 4;
      case TRUNC -> 5;
      case ODD -> 6;
    };
  }
}
