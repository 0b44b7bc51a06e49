package io.ringmaster.worker.script.check;

import io.ringmaster.worker.golden.Elements;
import io.ringmaster.worker.golden.Shapes;
import io.ringmaster.worker.golden.StridedLoop;
import io.ringmaster.worker.tensor.HostTensor;
import java.util.BitSet;
import java.util.Optional;

/**
 * What a golden looks like, in a few numbers: two that differ by more than rounding differ in them.
 *
 * @param norm root of the sum of squares
 * @param sum sum of the values, each with a sign and a weight of its own
 */
public record Golden(double norm, double sum) {

  /** Elements that are looked at. */
  private static final long MOST = 1 << 14;

  /** Elements of a golden of which the values are kept. */
  private static final long MOST_VALUES = 1 << 16;

  /** What is further apart than this part of the larger value is no rounding. */
  private static final double FAR = 1.0 / 64;

  /** How far apart the same values may come out when they are computed in another way. */
  private static final double ROUNDING = 1e-3;

  /** The side of a comparison that no kernel wrote; empty when kernels wrote both, or neither. */
  public static Optional<Golden> of(TensorPair pair) {
    return side(pair).map(Golden::of);
  }

  /** Its values in order, one for each that is compared; empty for none, or too many. */
  static Optional<double[]> values(TensorPair pair) {
    if (!Shapes.broadcasts(pair.actual().shape(), pair.expected().shape())) {
      return Optional.empty();
    }
    long[] shape = Shapes.broadcast(pair.actual().shape(), pair.expected().shape());
    return side(pair)
        .filter(tensor -> HostTensor.count(shape) <= MOST_VALUES)
        .map(
            tensor -> {
              Elements elements = Elements.of(tensor.buffer(), tensor.dtype());
              double[] values = new double[(int) HostTensor.count(shape)];
              StridedLoop.over(
                  shape,
                  (position, at) -> values[(int) position] = elements.getDouble(at[0]),
                  tensor);
              return values;
            });
  }

  /**
   * Which elements of a kernel's values are far from those of the golden; empty where that isn't
   * one, or too large.
   */
  static Optional<BitSet> apart(TensorPair pair) {
    return values(pair)
        .map(
            golden -> {
              HostTensor kernel = pair.left().fromKernel() ? pair.actual() : pair.expected();
              Elements elements = Elements.of(kernel.buffer(), kernel.dtype());
              BitSet apart = new BitSet();
              StridedLoop.over(
                  Shapes.broadcast(pair.actual().shape(), pair.expected().shape()),
                  (position, at) -> {
                    double right = golden[(int) position];
                    double value = elements.getDouble(at[0]);
                    double most = Math.max(Math.abs(value), Math.abs(right));
                    apart.set((int) position, Math.abs(value - right) > most * FAR);
                  },
                  kernel);
              return apart;
            });
  }

  private static Optional<HostTensor> side(TensorPair pair) {
    return pair.left().fromKernel() == pair.right().fromKernel()
        ? Optional.empty()
        : Optional.of(pair.left().fromKernel() ? pair.expected() : pair.actual());
  }

  /** A number, or what stands for something else. */
  public static Golden of(double value) {
    return new Golden(Math.abs(value), value);
  }

  private static Golden of(HostTensor tensor) {
    Elements elements = Elements.of(tensor.buffer(), tensor.dtype());
    long step = tensor.elements() / MOST + 1;
    double[] sums = new double[2];
    StridedLoop.over(
        tensor.shape(),
        (position, at) -> {
          if (position % step == 0) {
            double value = elements.getDouble(at[0]);
            long hash = (position + 1) * 0x9E3779B97F4A7C15L;
            sums[0] += value * value;
            sums[1] += value * ((hash >>> 40) / (double) (1 << 23) - 1);
          }
        },
        tensor);
    return new Golden(Math.sqrt(sums[0]), sums[1]);
  }

  boolean isLike(Golden other) {
    double apart = Math.max(Math.abs(norm - other.norm), Math.abs(sum - other.sum));
    return !(apart > ROUNDING * Math.max(norm, other.norm));
  }
}
