package io.ringmaster.worker.golden;

import io.ringmaster.worker.stop.StopOrder;
import io.ringmaster.worker.tensor.HostTensor;
import java.util.Arrays;

/**
 * Products of two matrices. Sums run in ascending order of the inner index, in double for floating
 * point (rounded once at the end) and in wrapping 64-bit integers otherwise.
 *
 * <p>Works on blocks that fit into a processor's cache: copies of a block of each operand, a block
 * of sums. Which blocks there are changes no sum, because each adds up in the same order.
 */
public final class MatrixProduct {

  private static final int BLOCK = 256;

  private final Matrix left;
  private final Matrix right;
  private final Matrix out;
  private final double[] a = new double[BLOCK * BLOCK];
  private final double[] b = new double[BLOCK * BLOCK];
  private final double[] sums = new double[BLOCK * BLOCK];

  private MatrixProduct(Matrix left, Matrix right, Matrix out) {
    this.left = left;
    this.right = right;
    this.out = out;
  }

  /** A two-dimensional view. */
  private record Matrix(
      Elements elements, long offset, long rows, long columns, long down, long across) {

    static Matrix of(HostTensor view) {
      return new Matrix(
          Elements.of(view.buffer(), view.dtype()),
          view.offset(),
          view.shape()[0],
          view.shape()[1],
          view.strides()[0],
          view.strides()[1]);
    }

    long at(long row, long column) {
      return offset + row * down + column * across;
    }

    /** Copies a block, row by row. */
    void read(long row, int rows, long column, int columns, double[] to) {
      for (int i = 0; i < rows; i++) {
        elements.read(at(row + i, column), across, to, i * columns, columns);
      }
    }
  }

  /**
   * Writes {@code left @ right} into {@code out}; all three have two dimensions that fit each
   * other, and {@code out} overlaps with neither operand.
   */
  public static void multiply(HostTensor left, HostTensor right, HostTensor out) {
    var product = new MatrixProduct(Matrix.of(left), Matrix.of(right), Matrix.of(out));
    if (left.dtype().isFloat()) {
      product.floats();
    } else {
      product.integers();
    }
  }

  private void floats() {
    for (long row = 0; row < out.rows; row += BLOCK) {
      int rows = (int) Math.min(BLOCK, out.rows - row);
      for (long column = 0; column < out.columns; column += BLOCK) {
        int columns = (int) Math.min(BLOCK, out.columns - column);
        Arrays.fill(sums, 0);
        for (long inner = 0; inner < left.columns; inner += BLOCK) {
          StopOrder.look();
          int depth = (int) Math.min(BLOCK, left.columns - inner);
          left.read(row, rows, inner, depth, a);
          right.read(inner, depth, column, columns, b);
          for (int i = 0; i < rows; i++) {
            addRow(i * depth, depth, i * columns, columns);
          }
        }
        for (int i = 0; i < rows; i++) {
          for (int j = 0; j < columns; j++) {
            out.elements.setDouble(out.at(row + i, column + j), sums[i * columns + j]);
          }
        }
      }
    }
  }

  /** Adds one row of the left block times the right block to a row of sums. */
  private void addRow(int from, int depth, int to, int columns) {
    int k = 0;
    // Four at a time, so that sums are loaded and stored less often.
    for (; k + 4 <= depth; k += 4) {
      double p = a[from + k];
      double q = a[from + k + 1];
      double r = a[from + k + 2];
      double s = a[from + k + 3];
      int first = k * columns;
      int second = first + columns;
      int third = second + columns;
      int fourth = third + columns;
      for (int j = 0; j < columns; j++) {
        double sum = sums[to + j] + p * b[first + j];
        sum += q * b[second + j];
        sum += r * b[third + j];
        sums[to + j] = sum + s * b[fourth + j];
      }
    }
    for (; k < depth; k++) {
      double p = a[from + k];
      for (int j = 0; j < columns; j++) {
        sums[to + j] += p * b[k * columns + j];
      }
    }
  }

  private void integers() {
    for (long row = 0; row < out.rows; row++) {
      for (long column = 0; column < out.columns; column++) {
        StopOrder.look();
        long sum = 0;
        for (long k = 0; k < left.columns; k++) {
          StopOrder.look(k);
          sum +=
              left.elements.getLong(left.at(row, k)) * right.elements.getLong(right.at(k, column));
        }
        out.elements.setLong(out.at(row, column), sum);
      }
    }
  }
}
