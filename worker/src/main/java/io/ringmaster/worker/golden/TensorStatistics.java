package io.ringmaster.worker.golden;

import io.ringmaster.worker.tensor.HostTensor;

/**
 * A tensor in a few numbers, for a reader who doesn't have its values.
 *
 * @param shape extents
 * @param dtype element type, as the kernel language spells it
 * @param minimum smallest value that is not NaN; NaN when there is none
 * @param maximum largest value that is not NaN; NaN when there is none
 * @param mean mean over the finite values; NaN when there is none
 */
public record TensorStatistics(
    java.util.List<Long> shape,
    String dtype,
    double minimum,
    double maximum,
    double mean,
    long zeros,
    long nans,
    long infinities) {

  /** Reads a tensor once. */
  public static TensorStatistics of(HostTensor tensor) {
    Elements elements = Elements.of(tensor.buffer(), tensor.dtype());
    Running running = new Running();
    double[] values = StridedLoop.room(tensor.elements());
    StridedLoop.runs(
        tensor.shape(),
        (position, offsets, steps, count) -> {
          elements.read(offsets[0], steps[0], values, 0, count);
          for (int i = 0; i < count; i++) {
            running.add(values[i]);
          }
        },
        tensor);
    return new TensorStatistics(
        java.util.Arrays.stream(tensor.shape()).boxed().toList(),
        tensor.dtype().name(),
        running.minimum,
        running.maximum,
        running.finite == 0 ? Double.NaN : running.sum / running.finite,
        running.zeros,
        running.nans,
        running.infinities);
  }

  /** Sums while walking. */
  private static final class Running {
    private double minimum = Double.NaN;
    private double maximum = Double.NaN;
    private double sum;
    private long finite;
    private long zeros;
    private long nans;
    private long infinities;

    private void add(double value) {
      if (Double.isNaN(value)) {
        nans++;
        return;
      }
      minimum = Double.isNaN(minimum) ? value : Math.min(minimum, value);
      maximum = Double.isNaN(maximum) ? value : Math.max(maximum, value);
      if (Double.isInfinite(value)) {
        infinities++;
        return;
      }
      finite++;
      sum += value;
      zeros += value == 0 ? 1 : 0;
    }
  }
}
