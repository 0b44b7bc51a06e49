package io.ringmaster.worker.golden;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringmaster.worker.tensor.DType;
import io.ringmaster.worker.tensor.HostTensor;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Products in blocks are those of the plain loop, to the last bit. */
class MatrixProductTest {

  @ParameterizedTest
  @CsvSource({
    "FP32, 1, 1, 1",
    "FP32, 3, 700, 2",
    "FP32, 260, 5, 300",
    "FP32, 257, 513, 259",
    "FP16, 30, 300, 40",
    "BF16, 30, 300, 40",
    "FP64, 30, 258, 40",
    "INT32, 258, 259, 3",
    "INT64, 5, 300, 300",
    "FP32, 4, 0, 4"
  })
  void isTheSumOfProductsInOrder(DType type, int rows, int inner, int columns) {
    var random = new Random(rows * 31L + columns);
    HostTensor left = filled(type, random, rows, inner);
    // A transposed view, so that strides matter.
    HostTensor right = transposed(filled(type, random, columns, inner));
    HostTensor out = HostTensor.zeros(type, rows, columns);

    MatrixProduct.multiply(left, right, out);

    Elements a = Elements.of(left.buffer(), type);
    Elements b = Elements.of(right.buffer(), type);
    Elements got = Elements.of(out.buffer(), type);
    Elements wanted = Elements.of(HostTensor.zeros(type, 1).buffer(), type);
    for (int i = 0; i < rows; i++) {
      for (int j = 0; j < columns; j++) {
        double sum = 0;
        long whole = 0;
        for (int k = 0; k < inner; k++) {
          long x = (long) i * inner + k;
          long y = (long) j * inner + k;
          sum += a.getDouble(x) * b.getDouble(y);
          whole += a.getLong(x) * b.getLong(y);
        }
        if (type.isFloat()) {
          wanted.setDouble(0, sum);
        } else {
          wanted.setLong(0, whole);
        }
        assertThat(got.getDouble((long) i * columns + j)).isEqualTo(wanted.getDouble(0));
      }
    }
  }

  private static HostTensor filled(DType type, Random random, long rows, long columns) {
    HostTensor tensor = HostTensor.zeros(type, rows, columns);
    Elements elements = Elements.of(tensor.buffer(), type);
    for (long i = 0; i < tensor.elements(); i++) {
      elements.setDouble(i, type.isFloat() ? random.nextGaussian() : random.nextInt(100_000));
    }
    return tensor;
  }

  private static HostTensor transposed(HostTensor tensor) {
    return new HostTensor(
        tensor.buffer(),
        tensor.dtype(),
        new long[] {tensor.shape()[1], tensor.shape()[0]},
        new long[] {tensor.strides()[1], tensor.strides()[0]},
        0);
  }
}
