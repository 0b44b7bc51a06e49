package io.ringmaster.worker.device.opencl;

import io.ringmaster.worker.device.Boxes;
import io.ringmaster.worker.device.DeviceFault;
import java.util.Arrays;

/**
 * How the elements of two matrices lie to one another in a product.
 *
 * @param inner how many products each element of the result adds up
 */
@SuppressWarnings("ArrayRecordComponent") // Never compared.
record Product(
    int[] shape,
    long batches,
    long rows,
    long columns,
    long inner,
    long leftBatch,
    long leftRow,
    long leftInner,
    long rightBatch,
    long rightColumn,
    long rightInner) {

  static Product of(
      OpenClTile left, OpenClTile right, boolean transposeLeft, boolean transposeRight) {
    int[] a = left.shape();
    int[] b = right.shape();
    int rank = a.length;
    if (rank < 2 || b.length != rank || left.dtype() != right.dtype()) {
      throw new DeviceFault(
          "matmul requires identical lhs and rhs data types and ranks of at least 2, got "
              + left.dtype()
              + Arrays.toString(a)
              + " and "
              + right.dtype()
              + Arrays.toString(b));
    }
    long m = transposeLeft ? a[rank - 1] : a[rank - 2];
    long k = transposeLeft ? a[rank - 2] : a[rank - 1];
    long kRight = transposeRight ? b[rank - 1] : b[rank - 2];
    long n = transposeRight ? b[rank - 2] : b[rank - 1];
    int[] shape = a.clone();
    shape[rank - 2] = (int) m;
    shape[rank - 1] = (int) n;
    int[] batch = Arrays.copyOf(a, rank - 2);
    if (k != kRight || !Arrays.equals(batch, Arrays.copyOf(b, rank - 2))) {
      throw new DeviceFault(
          "matmul requires matching physical inner dimensions, got "
              + Arrays.toString(a)
              + " and "
              + Arrays.toString(b));
    }
    return new Product(
        shape,
        Boxes.count(batch),
        m,
        n,
        Math.min(left.valid()[transposeLeft ? rank - 2 : rank - 1], k),
        m * k,
        transposeLeft ? 1 : k,
        transposeLeft ? m : 1,
        k * n,
        transposeRight ? k : 1,
        transposeRight ? 1 : n);
  }
}
