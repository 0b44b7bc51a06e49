package io.ringmaster.worker.golden;

import io.ringmaster.worker.tensor.DType;
import io.ringmaster.worker.tensor.HostTensor;
import java.util.Arrays;
import java.util.List;
import java.util.function.DoubleUnaryOperator;

/**
 * Two tensors compared element by element.
 *
 * @param elements how many elements were compared
 * @param mismatches how many of them lie outside the tolerance
 * @param nanMismatches mismatches in which at least one side is NaN
 * @param maxAbsDifference largest absolute difference, NaN differences left out; 0 when all agree
 * @param maxAt where the largest difference is; empty when there is none
 * @param firstAt where the first mismatch is; empty when there is none
 * @param firstActual the value there
 * @param firstExpected what it was compared with
 * @param maxUlps largest finite difference in steps of the first tensor's type at the expected
 *     value; 0 for types without steps
 */
public record TensorComparison(
    long elements,
    long mismatches,
    long nanMismatches,
    double maxAbsDifference,
    List<Long> maxAt,
    List<Long> firstAt,
    double firstActual,
    double firstExpected,
    double maxUlps) {

  public boolean holds() {
    return mismatches == 0;
  }

  /**
   * The rule of {@code torch.allclose}: {@code |a - b| <= atol + rtol * |b|}, equal infinities are
   * close, NaN is close to NaN only with {@code equalNan}. The shapes must broadcast.
   */
  public static TensorComparison allclose(
      HostTensor actual, HostTensor expected, double rtol, double atol, boolean equalNan) {
    return within(actual, expected, b -> atol + rtol * Math.abs(b), equalNan);
  }

  /**
   * Equal values are close, and those that are no further apart than {@code allowed} says of the
   * expected one; NaN is close to NaN only with {@code equalNan}. The shapes must broadcast.
   */
  public static TensorComparison within(
      HostTensor actual, HostTensor expected, DoubleUnaryOperator allowed, boolean equalNan) {
    Running running =
        new Running(Shapes.broadcast(actual.shape(), expected.shape()), actual.dtype());
    boolean whole = isWhole(actual.dtype()) && isWhole(expected.dtype());
    Elements left = Elements.of(actual.buffer(), actual.dtype());
    Elements right = Elements.of(expected.buffer(), expected.dtype());
    double[] a = StridedLoop.room(HostTensor.count(running.shape));
    double[] b = a.clone();
    StridedLoop.runs(
        running.shape,
        (position, offsets, steps, count) -> {
          left.read(offsets[0], steps[0], a, 0, count);
          right.read(offsets[1], steps[1], b, 0, count);
          for (int i = 0; i < count; i++) {
            boolean same =
                whole
                    ? left.getLong(offsets[0] + i * steps[0])
                        == right.getLong(offsets[1] + i * steps[1])
                    : a[i] == b[i];
            if (same) {
              continue;
            }
            double apart = Math.abs(a[i] - b[i]);
            double difference = whole ? Math.max(1, apart) : apart;
            boolean close =
                (equalNan && Double.isNaN(a[i]) && Double.isNaN(b[i]))
                    || (Double.isFinite(difference) && difference <= allowed.applyAsDouble(b[i]));
            running.add(position + i, a[i], b[i], difference, close);
          }
        },
        actual,
        expected);
    return running.result();
  }

  /** The rule of {@code torch.equal} for tensors of one shape: every pair of values is equal. */
  public static TensorComparison equal(HostTensor actual, HostTensor expected) {
    return allclose(actual, expected, 0, 0, false);
  }

  private static boolean isWhole(DType type) {
    return type.isInteger() || type == DType.BOOL;
  }

  /** Counts while walking. */
  private static final class Running {
    private final long[] shape;
    private final DType type;
    private long mismatches;
    private long nans;
    private double largest;
    private long largestAt = -1;
    private long firstAt = -1;
    private double firstActual;
    private double firstExpected;
    private double ulps;

    private Running(long[] shape, DType type) {
      this.shape = shape;
      this.type = type;
    }

    private void add(long position, double a, double b, double difference, boolean close) {
      if (difference > largest) {
        largest = difference;
        largestAt = position;
      }
      double step = Ulps.at(type, b);
      if (step > 0 && Double.isFinite(difference)) {
        ulps = Math.max(ulps, difference / step);
      }
      if (close) {
        return;
      }
      if (mismatches++ == 0) {
        firstAt = position;
        firstActual = a;
        firstExpected = b;
      }
      if (Double.isNaN(a) || Double.isNaN(b)) {
        nans++;
      }
    }

    private TensorComparison result() {
      return new TensorComparison(
          HostTensor.count(shape),
          mismatches,
          nans,
          largest,
          index(largestAt),
          index(firstAt),
          firstActual,
          firstExpected,
          ulps);
    }

    private List<Long> index(long position) {
      return position < 0
          ? List.of()
          : Arrays.stream(StridedLoop.indexOf(position, shape)).boxed().toList();
    }
  }
}
