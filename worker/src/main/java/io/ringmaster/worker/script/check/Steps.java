package io.ringmaster.worker.script.check;

import io.ringmaster.worker.golden.Elements;
import io.ringmaster.worker.golden.StridedLoop;
import io.ringmaster.worker.tensor.HostTensor;
import java.util.List;

/**
 * What a tolerance makes of whole numbers that are off by one.
 *
 * @param hidden elements at which it takes in a difference of one
 * @param all elements that are compared
 */
public record Steps(long hidden, long all) {

  private static final Steps NONE = new Steps(0, 0);

  /** Looks at a comparison of a kernel's whole numbers; nothing is hidden where it has others. */
  public static Steps of(TensorPair pair, double rtol, double atol) {
    boolean left = pair.left().fromKernel();
    List<Output> outputs = (left ? pair.left() : pair.right()).reads().outputs();
    boolean whole = !outputs.isEmpty() && outputs.stream().allMatch(one -> one.dtype().isInteger());
    if (left == pair.right().fromKernel() || !whole || !(rtol > 0 || atol >= 1)) {
      return NONE;
    }
    HostTensor other = pair.expected();
    Elements elements = Elements.of(other.buffer(), other.dtype());
    long[] counts = new long[2];
    StridedLoop.over(
        other.shape(),
        (position, at) -> {
          double value = elements.getDouble(at[0]);
          counts[0] += atol + rtol * Math.abs(value) >= 1 ? 1 : 0;
          counts[1] += value == Math.rint(value) ? 1 : 0;
        },
        other);
    return counts[1] == other.elements() ? new Steps(counts[0], counts[1]) : NONE;
  }

  /** True when none would show that it is off by one. */
  public boolean hideAll() {
    return all > 0 && hidden == all;
  }

  /** How many wouldn't show it; empty for none. */
  public String words() {
    return hidden == 0
        ? ""
        : "at " + hidden + " of " + all + " elements, whole numbers, it takes in a difference of 1";
  }

  /** The same of a tolerance that the script hasn't chosen, where {@link #hideAll}. */
  public String unasked() {
    return "no element would show that it is off by one: without tolerances allclose takes in a"
        + " hundred-thousandth of the values, which is 1 or more at all "
        + all
        + " whole numbers; use torch.equal";
  }
}
