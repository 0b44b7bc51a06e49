package io.ringmaster.worker.script.check;

import io.ringmaster.worker.golden.Elements;
import io.ringmaster.worker.golden.Shapes;
import io.ringmaster.worker.golden.StridedLoop;
import io.ringmaster.worker.tensor.HostTensor;

/** Tells of a tolerance whether it takes in quite other values than those that are expected. */
public final class Width {

  /** A tolerance below this part of the largest value isn't looked at. */
  private static final double PART = 1.0 / 8;

  private long values;
  private long zeros;
  private long steps;
  private long neighbours;
  private double largest;
  private double allowed;
  private double before = Double.NaN;

  private Width() {}

  /**
   * Looks at what a kernel's values are held against.
   *
   * @return what the tolerance takes in at most of the elements; empty when it takes in neither
   *     zero nor the value of the element before
   */
  public static String of(TensorPair pair, double rtol, double atol) {
    boolean turned = !pair.left().fromKernel() && pair.right().fromKernel();
    HostTensor golden = turned ? pair.actual() : pair.expected();
    if (!(rtol > 0 || atol > 0)
        || !Shapes.broadcasts(pair.actual().shape(), pair.expected().shape())) {
      return "";
    }
    Width width = new Width();
    Elements elements = Elements.of(golden.buffer(), golden.dtype());
    StridedLoop.over(
        golden.shape(), (position, at) -> width.add(elements.getDouble(at[0]), rtol, atol), golden);
    return width.words(rtol, atol);
  }

  private void add(double value, double rtol, double atol) {
    if (!Double.isFinite(value)) {
      return;
    }
    double size = Math.abs(value);
    double tolerance = atol + rtol * size;
    largest = Math.max(largest, size);
    allowed = Math.max(allowed, tolerance);
    if (value != 0) {
      values++;
      zeros += size <= tolerance ? 1 : 0;
    }
    if (!Double.isNaN(before) && before != value) {
      steps++;
      neighbours += Math.abs(value - before) <= tolerance ? 1 : 0;
    }
    before = value;
  }

  private String words(double rtol, double atol) {
    if (allowed < largest * PART) {
      return "";
    }
    String tolerance = "its tolerance (rtol=" + rtol + ", atol=" + atol + ") takes in ";
    if (zeros * 2 > values) {
      return tolerance + "zero at " + zeros + " of the " + values + " elements that aren't zero";
    }
    if (neighbours * 2 > steps) {
      return tolerance
          + "the neighbour's value at "
          + neighbours
          + " of the "
          + steps
          + " elements that differ from it";
    }
    return "";
  }
}
