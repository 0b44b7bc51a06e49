package io.ringmaster.worker.script.torch;

import io.ringmaster.worker.golden.Elements;
import io.ringmaster.worker.golden.Shapes;
import io.ringmaster.worker.golden.StridedLoop;
import io.ringmaster.worker.script.value.Budget;
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

  private static final int FLOPS_PER_STEP = 256;

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
          "mat1 and mat2 shapes cannot be multiplied (" + matrix(x) + " and " + matrix(y) + ")");
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
    long flops = Math.multiplyExact(HostTensor.count(shape), Math.max(1, inner));
    interp.session().budget().work(flops / FLOPS_PER_STEP + 1);
    multiply(result.data(), x, y, batch, inner, interp.session().budget());
    return squeezed(result, left.rank() == 1, right.rank() == 1);
  }

  private static String matrix(HostTensor tensor) {
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

  private static void multiply(
      HostTensor result, HostTensor x, HostTensor y, long[] batch, long inner, Budget budget) {
    int extra = batch.length;
    HostTensor batchOut = Views.leading(result, extra);
    HostTensor batchX = Views.leading(x, x.rank() - 2);
    HostTensor batchY = Views.leading(y, y.rank() - 2);
    Elements out = Elements.of(result.buffer(), result.dtype());
    Elements left = Elements.of(x.buffer(), x.dtype());
    Elements right = Elements.of(y.buffer(), y.dtype());
    long rows = result.shape()[extra];
    long columns = result.shape()[extra + 1];
    long xRow = x.strides()[x.rank() - 2];
    long xColumn = x.strides()[x.rank() - 1];
    long yRow = y.strides()[y.rank() - 2];
    long yColumn = y.strides()[y.rank() - 1];
    boolean whole = !x.dtype().isFloat();
    if (x.dtype() == DType.BOOL) {
      throw Errors.runtime("\"addmm_impl_cpu_\" not implemented for 'Bool'");
    }
    StridedLoop.over(
        batch,
        (p, at) -> {
          for (long i = 0; i < rows; i++) {
            budget.work(0); // a big product must notice that the job is cancelled
            for (long j = 0; j < columns; j++) {
              long to = at[0] + i * result.strides()[extra] + j * result.strides()[extra + 1];
              long from = at[1] + i * xRow;
              long with = at[2] + j * yColumn;
              if (whole) {
                long sum = 0;
                for (long k = 0; k < inner; k++) {
                  sum += left.getLong(from + k * xColumn) * right.getLong(with + k * yRow);
                }
                out.setLong(to, sum);
              } else {
                double sum = 0;
                for (long k = 0; k < inner; k++) {
                  sum += left.getDouble(from + k * xColumn) * right.getDouble(with + k * yRow);
                }
                out.setDouble(to, sum);
              }
            }
          }
        },
        batchOut,
        batchX,
        batchY);
  }
}
