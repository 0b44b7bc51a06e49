package io.ringmaster.worker.device.sim;

import io.ringmaster.worker.device.DeviceFault;
import io.ringmaster.worker.stop.StopOrder;
import io.ringmaster.worker.tensor.DType;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Matrix products, accumulated in FP32 or in a wrapping 64-bit integer in ascending order of k. */
final class Matrices {

  private Matrices() {}

  static SimTile multiply(
      @Nullable SimTile accumulator,
      SimTile left,
      SimTile right,
      boolean transposeLeft,
      boolean transposeRight,
      DType result) {
    int rank = left.shape().length;
    if (rank < 2 || right.shape().length != rank || left.dtype() != right.dtype()) {
      throw new DeviceFault(
          "matmul requires identical lhs and rhs data types and ranks of at least 2, got "
              + left.dtype()
              + Arrays.toString(left.shape())
              + " and "
              + right.dtype()
              + Arrays.toString(right.shape()));
    }
    int[] a = left.shape();
    int[] b = right.shape();
    int m = transposeLeft ? a[rank - 1] : a[rank - 2];
    int k = transposeLeft ? a[rank - 2] : a[rank - 1];
    int kRight = transposeRight ? b[rank - 1] : b[rank - 2];
    int n = transposeRight ? b[rank - 2] : b[rank - 1];
    int[] shape = a.clone();
    shape[rank - 2] = m;
    shape[rank - 1] = n;
    boolean sameBatch = Arrays.equals(Arrays.copyOf(a, rank - 2), Arrays.copyOf(b, rank - 2));
    if (k != kRight || !sameBatch) {
      throw new DeviceFault(
          "matmul requires matching physical inner dimensions, got "
              + Arrays.toString(a)
              + " and "
              + Arrays.toString(b));
    }
    if (accumulator != null && !Arrays.equals(accumulator.shape(), shape)) {
      throw new DeviceFault(
          "matmul_acc accumulator has shape "
              + Arrays.toString(accumulator.shape())
              + ", the product "
              + Arrays.toString(shape));
    }
    SimTile out = SimTile.blank(result, shape, shape.clone());
    int batches = m * n == 0 ? 0 : out.count() / (m * n);
    int innerValid = Math.min(left.valid()[transposeLeft ? rank - 2 : rank - 1], k);
    for (int batch = 0; batch < batches; batch++) {
      for (int i = 0; i < m; i++) {
        StopOrder.look();
        for (int j = 0; j < n; j++) {
          int target = (batch * m + i) * n + j;
          float sum = 0;
          long whole = 0;
          if (accumulator != null) {
            sum = accumulator.isFloat() ? accumulator.floats()[target] : 0;
            whole = accumulator.isFloat() ? 0 : accumulator.longs()[target];
          }
          for (int x = 0; x < innerValid; x++) {
            int l = batch * m * k + (transposeLeft ? x * m + i : i * k + x);
            int r = batch * k * n + (transposeRight ? j * k + x : x * n + j);
            if (left.isFloat()) {
              sum += left.floats()[l] * right.floats()[r];
            } else {
              whole += left.longs()[l] * right.longs()[r];
            }
          }
          if (result.isFloat()) {
            out.floats()[target] = Numbers.round(result, left.isFloat() ? sum : whole);
          } else {
            out.longs()[target] = Numbers.wrap(result, whole);
          }
        }
      }
    }
    return poisoned(out, accumulator, left, right, innerValid, transposeLeft, transposeRight);
  }

  /** An unwritten operand element spoils its result row or column. */
  private static SimTile poisoned(
      SimTile out,
      @Nullable SimTile accumulator,
      SimTile left,
      SimTile right,
      int inner,
      boolean transposeLeft,
      boolean transposeRight) {
    int rank = out.shape().length;
    int[] valid = out.shape().clone();
    valid[rank - 2] = left.valid()[transposeLeft ? rank - 1 : rank - 2];
    valid[rank - 1] = right.valid()[transposeRight ? rank - 2 : rank - 1];
    boolean @Nullable [] marks = accumulator == null ? null : accumulator.copiedPoison();
    if (left.poison() != null || right.poison() != null) {
      marks = marks == null ? new boolean[out.count()] : marks;
      spoil(marks, out.shape(), left, transposeLeft, true, inner);
      spoil(marks, out.shape(), right, transposeRight, false, inner);
    }
    return new SimTile(out.dtype(), out.shape(), valid, out.floats(), out.longs(), marks);
  }

  /** Marks the rows (or columns) of the product that an unwritten element goes into. */
  private static void spoil(
      boolean[] marks,
      int[] product,
      SimTile operand,
      boolean transposed,
      boolean rows,
      int inner) {
    boolean[] unwritten = operand.poison();
    if (unwritten == null) {
      return;
    }
    int rank = product.length;
    int m = product[rank - 2];
    int n = product[rank - 1];
    int width = operand.shape()[rank - 1];
    int size = operand.shape()[rank - 2] * width;
    boolean innerLast = rows != transposed;
    for (int i = 0; i < unwritten.length; i++) {
      int row = i % size / width;
      int column = i % width;
      int along = innerLast ? column : row;
      int across = innerLast ? row : column;
      if (!unwritten[i] || along >= inner) {
        continue;
      }
      int batch = i / size * m * n;
      for (int other = 0; other < (rows ? n : m); other++) {
        marks[batch + (rows ? across * n + other : other * n + across)] = true;
      }
    }
  }
}
