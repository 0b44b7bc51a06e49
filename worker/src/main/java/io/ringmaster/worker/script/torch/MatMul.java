package io.ringmaster.worker.script.torch;

import io.ringmaster.worker.golden.MatrixProduct;
import io.ringmaster.worker.golden.Shapes;
import io.ringmaster.worker.golden.StridedLoop;
import io.ringmaster.worker.script.value.Errors;
import io.ringmaster.worker.script.value.Interp;
import io.ringmaster.worker.tensor.DType;
import io.ringmaster.worker.tensor.HostTensor;
import java.util.Arrays;

/**
 * Matrix products. Sums are kept in double and rounded once, which is closer to the true value than
 * any order of single-precision sums.
 */
final class MatMul {

  private static final int FLOPS_PER_STEP = 2048;

  private MatMul() {}

  /** {@code torch.matmul}: vectors, matrices and broadcast batches of matrices. */
  static TensorValue matmul(TensorValue a, TensorValue b, Interp interp) {
    HostTensor left = a.data();
    HostTensor right = b.data();
    if (left.rank() == 0 || right.rank() == 0) {
      throw Errors.runtime(
          "both arguments to matmul need to be at least 1D, but they are "
              + left.rank()
              + "D and "
              + right.rank()
              + "D");
    }
    if (left.dtype() != right.dtype()) {
      throw Errors.runtime(
          "expected m1 and m2 to have the same dtype, but got: "
              + Dtypes.nameOf(left.dtype())
              + " != "
              + Dtypes.nameOf(right.dtype()));
    }
    HostTensor x = left.rank() == 1 ? Views.unsqueeze(left, 0) : left;
    HostTensor y = right.rank() == 1 ? Views.unsqueeze(right, 1) : right;
    long inner = x.shape()[x.rank() - 1];
    if (inner != y.shape()[y.rank() - 2]) {
      throw Errors.runtime(
          "mat1 and mat2 shapes cannot be multiplied (" + shown(x) + " and " + shown(y) + ")");
    }
    long[] batchX = Arrays.copyOf(x.shape(), x.rank() - 2);
    long[] batchY = Arrays.copyOf(y.shape(), y.rank() - 2);
    if (!Shapes.broadcasts(batchX, batchY)) {
      throw Errors.runtime(
          "The batch sizes "
              + Tensors.shown(batchX)
              + " and "
              + Tensors.shown(batchY)
              + " of matmul do not broadcast");
    }
    long[] batch = Shapes.broadcast(batchX, batchY);
    long rows = x.shape()[x.rank() - 2];
    long columns = y.shape()[y.rank() - 1];
    long[] shape = Arrays.copyOf(batch, batch.length + 2);
    shape[batch.length] = rows;
    shape[batch.length + 1] = columns;
    TensorValue result = Tensors.derived(left.dtype(), shape, a.origin().and(b.origin()), interp);
    double flops = (double) HostTensor.count(shape) * Math.max(1, inner);
    interp.session().budget().work((long) (flops / FLOPS_PER_STEP) + 1);
    multiply(result.data(), x, y, batch);
    return squeezed(result, left.rank() == 1, right.rank() == 1);
  }

  private static String shown(HostTensor tensor) {
    return tensor.shape()[tensor.rank() - 2] + "x" + tensor.shape()[tensor.rank() - 1];
  }

  private static TensorValue squeezed(TensorValue result, boolean rows, boolean columns) {
    HostTensor data = result.data();
    if (columns) {
      data = Views.select(data, data.rank() - 1, 0);
    }
    if (rows) {
      data = Views.select(data, data.rank() - (columns ? 1 : 2), 0);
    }
    return result.view(data);
  }

  private static void multiply(HostTensor result, HostTensor x, HostTensor y, long[] batch) {
    if (x.dtype() == DType.BOOL) {
      throw Errors.runtime("\"addmm_impl_cpu_\" not implemented for 'Bool'");
    }
    StridedLoop.over(
        batch,
        (p, at) ->
            MatrixProduct.multiply(matrix(x, at[1]), matrix(y, at[2]), matrix(result, at[0])),
        Views.leading(result, batch.length),
        Views.leading(x, x.rank() - 2),
        Views.leading(y, y.rank() - 2));
  }

  /** The matrix of a batch that starts at an element. */
  private static HostTensor matrix(HostTensor batch, long offset) {
    int rank = batch.rank();
    return new HostTensor(
        batch.buffer(),
        batch.dtype(),
        Arrays.copyOfRange(batch.shape(), rank - 2, rank),
        Arrays.copyOfRange(batch.strides(), rank - 2, rank),
        offset);
  }
}
