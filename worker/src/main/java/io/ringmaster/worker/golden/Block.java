package io.ringmaster.worker.golden;

import io.ringmaster.worker.tensor.HostTensor;
import java.util.Arrays;

/** Values of a tensor in an array, to look for patterns in. */
final class Block {

  private static final double RELATIVE = 1e-4;
  private static final double ABSOLUTE = 1e-5;

  private Block() {}

  /** The values in row-major order, broadcast together with another shape. */
  static double[] values(HostTensor tensor, long[] other) {
    long[] shape = Shapes.broadcast(tensor.shape(), other);
    double[] values = new double[(int) HostTensor.count(shape)];
    Elements elements = Elements.of(tensor.buffer(), tensor.dtype());
    StridedLoop.runs(
        shape,
        (position, at, steps, count) ->
            elements.read(at[0], steps[0], values, (int) position, count),
        tensor);
    return values;
  }

  static boolean allZero(double[] values) {
    return Arrays.stream(values).allMatch(value -> value == 0);
  }

  static boolean close(double a, double b) {
    return a == b
        || (Double.isNaN(a) && Double.isNaN(b))
        || Math.abs(a - b) <= ABSOLUTE + RELATIVE * Math.abs(b);
  }

  static boolean close(double[] a, double[] b) {
    return close(a, 0, b, 0, a.length) && a.length == b.length;
  }

  /** True when two stretches of values agree up to rounding. */
  static boolean close(double[] a, int fromA, double[] b, int fromB, int count) {
    for (int i = 0; i < count; i++) {
      if (!close(a[fromA + i], b[fromB + i])) {
        return false;
      }
    }
    return true;
  }
}
