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
  }

  /**
   * Writes {@code left @ right} into {@code out}; all three have two dimensions that fit each
   * other, and {@code out} overlaps with neither operand.
   */
  public static void multiply(HostTensor left, HostTensor right, HostTensor out) {
    var product = new MatrixProduct(Matrix.of(left), Matrix.of(right), Matrix.of(out));
    product.run(left.dtype().isFloat() ? new Floats(product) : new Integers(product));
  }

  private void run(Block block) {
    for (long row = 0; row < out.rows; row += BLOCK) {
      int rows = (int) Math.min(BLOCK, out.rows - row);
      for (long column = 0; column < out.columns; column += BLOCK) {
        int columns = (int) Math.min(BLOCK, out.columns - column);
        block.clear();
        for (long inner = 0; inner < left.columns; inner += BLOCK) {
          StopOrder.look();
          int depth = (int) Math.min(BLOCK, left.columns - inner);
          for (int i = 0; i < rows; i++) {
            block.readLeft(left.at(row + i, inner), i * depth, depth);
          }
          for (int k = 0; k < depth; k++) {
            block.readRight(right.at(inner + k, column), k * columns, columns);
          }
          for (int i = 0; i < rows; i++) {
            block.addRow(i * depth, depth, i * columns, columns);
          }
        }
        for (int i = 0; i < rows; i++) {
          for (int j = 0; j < columns; j++) {
            block.write(out.at(row + i, column + j), i * columns + j);
          }
        }
      }
    }
  }

  private static int room(long rows, long columns) {
    return (int) (Math.min(BLOCK, rows) * Math.min(BLOCK, columns));
  }

  /** Copies of a block of each operand and the sums they add to, row by row. */
  private sealed interface Block {

    /** Sets the sums to 0. */
    void clear();

    /** Reads elements of the left operand, from a place in its buffer on. */
    void readLeft(long from, int at, int count);

    void readRight(long from, int at, int count);

    /** Adds one row of the left block times the right block to a row of sums. */
    void addRow(int from, int depth, int to, int columns);

    /** Writes a sum into the result. */
    void write(long to, int sum);
  }

  private static final class Floats implements Block {
    private final MatrixProduct of;
    private final double[] a;
    private final double[] b;
    private final double[] sums;

    Floats(MatrixProduct of) {
      this.of = of;
      this.a = new double[room(of.left.rows, of.left.columns)];
      this.b = new double[room(of.right.rows, of.right.columns)];
      this.sums = new double[room(of.out.rows, of.out.columns)];
    }

    @Override
    public void clear() {
      Arrays.fill(sums, 0);
    }

    @Override
    public void readLeft(long from, int at, int count) {
      of.left.elements.read(from, of.left.across, a, at, count);
    }

    @Override
    public void readRight(long from, int at, int count) {
      of.right.elements.read(from, of.right.across, b, at, count);
    }

    @Override
    public void addRow(int from, int depth, int to, int columns) {
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

    @Override
    public void write(long to, int sum) {
      of.out.elements.setDouble(to, sums[sum]);
    }
  }

  private static final class Integers implements Block {
    private final MatrixProduct of;
    private final long[] a;
    private final long[] b;
    private final long[] sums;

    Integers(MatrixProduct of) {
      this.of = of;
      this.a = new long[room(of.left.rows, of.left.columns)];
      this.b = new long[room(of.right.rows, of.right.columns)];
      this.sums = new long[room(of.out.rows, of.out.columns)];
    }

    @Override
    public void clear() {
      Arrays.fill(sums, 0);
    }

    @Override
    public void readLeft(long from, int at, int count) {
      for (int i = 0; i < count; i++) {
        a[at + i] = of.left.elements.getLong(from + i * of.left.across);
      }
    }

    @Override
    public void readRight(long from, int at, int count) {
      for (int i = 0; i < count; i++) {
        b[at + i] = of.right.elements.getLong(from + i * of.right.across);
      }
    }

    @Override
    public void addRow(int from, int depth, int to, int columns) {
      for (int k = 0; k < depth; k++) {
        long p = a[from + k];
        for (int j = 0; j < columns; j++) {
          sums[to + j] += p * b[k * columns + j];
        }
      }
    }

    @Override
    public void write(long to, int sum) {
      of.out.elements.setLong(to, sums[sum]);
    }
  }
}
