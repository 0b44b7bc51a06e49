package io.ringmaster.worker.device.sim;

import io.ringmaster.worker.device.DeviceFault;
import io.ringmaster.worker.device.TileOp;
import io.ringmaster.worker.tensor.DType;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * Comparing, choosing, sorting and moving elements. What is computed from elements that nobody
 * wrote counts as not written either.
 */
final class Arrangements {

  private static final int SORTED = 32;
  private static final int RUNS = 4;

  private Arrangements() {}

  static SimTile of(TileOp.Arrangement op, List<SimTile> operands) {
    SimTile first = operands.getFirst();
    return switch (op) {
      case TileOp.Compare(TileOp.Relation relation, DType result) ->
          compare(relation, first, operands.get(1), result);
      case TileOp.Select _ -> select(first, operands.get(1), operands.get(2));
      case TileOp.Sort32 _ -> sort32(first, operands.get(1));
      case TileOp.Merge(int block) -> merge(operands, block);
      case TileOp.Gather(boolean byRow) -> gather(first, operands.get(1), byRow);
      case TileOp.GatherColumns(int from, int stride, DType result) ->
          columns(first, from, stride, result);
      case TileOp.Scatter(boolean byRow) -> scatter(first, operands.get(1), operands.get(2), byRow);
      case TileOp.Transpose _ -> transpose(first);
    };
  }

  /** A result being filled element by element, with the marks of what it is made of. */
  private static final class Result {
    private final SimTile tile;
    private final boolean[] marks;
    private boolean marked;

    Result(DType dtype, int[] shape, int[] valid) {
      tile = SimTile.blank(dtype, shape, valid);
      marks = new boolean[tile.count()];
    }

    void set(int at, long raw, boolean unwritten) {
      tile.setRaw(at, raw);
      marks[at] = unwritten;
      marked |= unwritten;
    }

    SimTile done() {
      return marked ? tile.withPoison(marks) : tile;
    }
  }

  private static int width(SimTile tile) {
    return tile.shape()[tile.shape().length - 1];
  }

  private static SimTile compare(
      TileOp.Relation relation, SimTile left, SimTile right, DType result) {
    SimTile b = Elementwise.spread(Elementwise.converted(right, left.dtype()), left);
    boolean[] a = left.marks();
    boolean[] other = b.marks();
    Result out = new Result(result, left.shape(), left.valid());
    long one = result.isFloat() ? Double.doubleToRawLongBits(1) : 1;
    for (int i = 0; i < a.length; i++) {
      out.set(i, holds(relation, left, b, i) ? one : 0, a[i] || other[i]);
    }
    return out.done();
  }

  private static boolean holds(TileOp.Relation relation, SimTile a, SimTile b, int at) {
    if (a.isFloat()) {
      float x = a.floats()[at];
      float y = b.floats()[at];
      return switch (relation) {
        case EQ -> x == y;
        case NE -> x != y;
        case LT -> x < y;
        case LE -> x <= y;
        case GT -> x > y;
        case GE -> x >= y;
      };
    }
    int order =
        a.dtype() == DType.UINT64
            ? Long.compareUnsigned(a.longs()[at], b.longs()[at])
            : Long.compare(a.longs()[at], b.longs()[at]);
    return switch (relation) {
      case EQ -> order == 0;
      case NE -> order != 0;
      case LT -> order < 0;
      case LE -> order <= 0;
      case GT -> order > 0;
      case GE -> order >= 0;
    };
  }

  private static SimTile select(SimTile mask, SimTile onTrue, SimTile onFalse) {
    SimTile other = Elementwise.spread(onFalse, onTrue);
    SimTile set = Elementwise.spread(mask, onTrue);
    boolean[] unset = set.marks();
    boolean[] a = onTrue.marks();
    boolean[] b = other.marks();
    Result out = new Result(onTrue.dtype(), onTrue.shape(), onTrue.valid());
    for (int i = 0; i < a.length; i++) {
      boolean yes = set.isFloat() ? set.floats()[i] != 0 : set.longs()[i] != 0;
      out.set(i, yes ? onTrue.raw(i) : other.raw(i), unset[i] || (yes ? a[i] : b[i]));
    }
    return out.done();
  }

  private static SimTile sort32(SimTile values, SimTile indices) {
    SimTile index = Elementwise.spread(indices, values);
    int width = width(values);
    if (width % SORTED != 0) {
      throw new DeviceFault("sort32 needs rows of whole blocks of 32 values, got " + width);
    }
    boolean[] unwritten = values.marks();
    boolean[] unknown = index.marks();
    int[] shape = values.shape().clone();
    shape[shape.length - 1] = 2 * width;
    Result out = new Result(values.dtype(), shape, shape);
    for (int block = 0; block < values.count(); block += SORTED) {
      List<Integer> order = new ArrayList<>();
      for (int i = block; i < block + SORTED; i++) {
        order.add(i);
      }
      order.sort(Comparator.comparingDouble(i -> -values.floats()[i]));
      for (int i = 0; i < SORTED; i++) {
        int from = order.get(i);
        int to = 2 * (block + i);
        out.set(to, values.raw(from), unwritten[from]);
        float bits = Float.intBitsToFloat((int) index.longs()[from]);
        out.set(to + 1, Double.doubleToRawLongBits(bits), unknown[from]);
      }
    }
    return out.done();
  }

  /** Value and index that travel together. */
  private record Pair(float value, float index, boolean unwritten, boolean unknown) {}

  private static SimTile merge(List<SimTile> rows, int block) {
    SimTile first = rows.getFirst();
    int[] shape = first.shape().clone();
    shape[shape.length - 1] = rows.stream().mapToInt(Arrangements::width).sum();
    Result out = new Result(first.dtype(), shape, shape);
    List<Pair> pairs = new ArrayList<>();
    for (SimTile row : rows) {
      boolean[] marks = row.marks();
      for (int i = 0; i < row.count(); i += 2) {
        pairs.add(new Pair(row.floats()[i], row.floats()[i + 1], marks[i], marks[i + 1]));
      }
    }
    int group = block == 0 ? pairs.size() : RUNS * block / 2;
    for (int start = 0; start < pairs.size(); start += group) {
      pairs
          .subList(start, Math.min(pairs.size(), start + group))
          .sort(Comparator.comparingDouble(pair -> -pair.value()));
    }
    for (int i = 0; i < pairs.size(); i++) {
      Pair pair = pairs.get(i);
      out.set(2 * i, Double.doubleToRawLongBits(pair.value()), pair.unwritten());
      out.set(2 * i + 1, Double.doubleToRawLongBits(pair.index()), pair.unknown());
    }
    return out.done();
  }

  private static SimTile gather(SimTile values, SimTile index, boolean byRow) {
    boolean[] unknown = index.marks();
    boolean[] unwritten = values.marks();
    Result out = new Result(values.dtype(), index.shape(), index.valid());
    for (int i = 0; i < unknown.length; i++) {
      if (unknown[i]) {
        out.set(i, 0, true);
        continue;
      }
      int from = place(values, index.longs()[i], i / width(index), byRow);
      out.set(i, values.raw(from), unwritten[from]);
    }
    return out.done();
  }

  /** The linear index that an index stands for. */
  private static int place(SimTile tile, long index, int row, boolean byRow) {
    int limit = byRow ? width(tile) : tile.count();
    if (index < 0 || index >= limit) {
      throw DeviceFault.outOfBounds(
          "index "
              + index
              + " lies outside "
              + (byRow ? "a row of " : "a tile of ")
              + limit
              + " elements");
    }
    return (int) index + (byRow ? row * width(tile) : 0);
  }

  private static SimTile columns(SimTile values, int first, int stride, DType result) {
    boolean[] unwritten = values.marks();
    int[] shape = values.shape().clone();
    shape[shape.length - 1] = width(values) / stride;
    Result out = new Result(result, shape, shape);
    for (int i = 0; i < out.marks.length; i++) {
      int from = first + i * stride;
      out.set(i, seenAs(values, from, result), unwritten[from]);
    }
    return out.done();
  }

  /** The bits of an element read as another type of the same width. */
  private static long seenAs(SimTile values, int at, DType result) {
    if (values.isFloat() == result.isFloat() || values.dtype() != DType.FP32) {
      return values.raw(at);
    }
    return Float.floatToRawIntBits(values.floats()[at]);
  }

  private static SimTile scatter(SimTile base, SimTile values, SimTile index, boolean byRow) {
    boolean[] marks = base.marks();
    boolean[] unwritten = values.marks();
    boolean[] unknown = index.marks();
    Result out = new Result(base.dtype(), base.shape(), base.shape());
    for (int i = 0; i < marks.length; i++) {
      out.set(i, base.raw(i), marks[i]);
    }
    for (int i = 0; i < unknown.length; i++) {
      if (!unknown[i]) {
        int to = place(base, index.longs()[i], i / width(index), byRow);
        out.set(to, values.raw(i), unwritten[i]);
      }
    }
    return out.done();
  }

  private static SimTile transpose(SimTile tile) {
    int last = tile.shape().length - 1;
    int rows = tile.shape()[last - 1];
    int columns = tile.shape()[last];
    int[] shape = tile.shape().clone();
    int[] valid = tile.valid().clone();
    shape[last] = rows;
    shape[last - 1] = columns;
    valid[last] = tile.valid()[last - 1];
    valid[last - 1] = tile.valid()[last];
    boolean[] marks = tile.marks();
    Result out = new Result(tile.dtype(), shape, valid);
    for (int i = 0; i < marks.length; i++) {
      int matrix = i / (rows * columns) * rows * columns;
      int row = i % (rows * columns) / columns;
      int column = i % columns;
      out.set(matrix + column * rows + row, tile.raw(i), marks[i]);
    }
    return out.done();
  }
}
