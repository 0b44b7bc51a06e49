package io.ringmaster.worker.script.torch;

import io.ringmaster.worker.golden.Elements;
import io.ringmaster.worker.golden.StridedLoop;
import io.ringmaster.worker.script.check.Origin;
import io.ringmaster.worker.script.check.Reads;
import io.ringmaster.worker.script.value.Interp;
import io.ringmaster.worker.script.value.Value;
import io.ringmaster.worker.tensor.HostTensor;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.DoublePredicate;

/**
 * A write of the script into a tensor that exists already, and what it does to a kernel's output
 * that may lie there.
 *
 * @param how what becomes of the values
 * @param from what other values were computed from that take the place of those that are there;
 *     empty where they are made from those
 * @param text the statement
 */
record Change(How how, Optional<Reads> from, String text, int line) {

  /** What a write makes of the values that it meets. */
  enum How {
    /** Something computed from what kernels wrote and from nothing else: {@code y.round_()}. */
    FUNCTION,
    /** One value for all, as for padding: no kernel's output is left there. */
    BLANK,
    /** A sum made a mean: divided by a number of ranks. */
    MEAN,
    /** Less something else: {@code y -= golden}. */
    DIFFERENCE,
    /** Anything else, such as {@code y += x[3]}: it might repair what the kernel did. */
    REPAIR
  }

  /** Of a longer line only the beginning is shown. */
  private static final int LONGEST = 60;

  private static final Set<String> SUBTRACTIONS = Set.of("sub", "subtract");
  private static final Set<String> DIVISIONS = Set.of("div", "divide", "true_divide");
  private static final Set<String> PRODUCTS = Set.of("mul", "multiply");
  private static final Set<String> SUMS = Set.of("add", "pow", "floor_divide", "fmod", "remainder");
  private static final Set<String> FILLS = Set.of("masked_fill", "index_fill", "tril", "triu");

  /**
   * What becomes of bytes that a kernel wrote. Other bytes of the same output in their place, as by
   * {@code y[-1] = y[0]}, hide what the kernel left there.
   */
  How of(Reads hit) {
    boolean elsewhere =
        from.isPresent()
            && from.get().outputs().containsAll(hit.outputs())
            && !hit.without(from.get()).isEmpty();
    return how == How.FUNCTION && elsewhere ? How.REPAIR : how;
  }

  private static Change of(How how, Interp interp) {
    return of(how, Optional.empty(), interp);
  }

  private static Change of(How how, Optional<Reads> from, Interp interp) {
    int line = interp.session().budget().here().line();
    String text = line > 0 ? interp.session().source().line(line).strip() : "";
    boolean isLong = text.length() > LONGEST;
    return new Change(how, from, isLong ? text.substring(0, LONGEST) + "..." : text, line);
  }

  /** Other values take the place of those that are there. */
  static Change replacing(HostTensor by, Origin origin, Interp interp) {
    boolean own = origin.fromKernel() && !origin.mixed();
    boolean blank = !origin.fromKernel() && isOneValue(by);
    return of(
        own ? How.FUNCTION : blank ? How.BLANK : How.REPAIR, Optional.of(origin.reads()), interp);
  }

  /** A method of that name, without its underscore, stores what it makes of the values. */
  static Change by(String name, List<Value> arguments, Origin result, int ranks, Interp interp) {
    return of(how(name, arguments, result, ranks), interp);
  }

  private static How how(String name, List<Value> arguments, Origin result, int ranks) {
    if (FILLS.contains(name)) {
      boolean fixed =
          arguments.isEmpty()
              || !(arguments.getFirst() instanceof TensorValue mask)
              || !mask.origin().fromKernel();
      return fixed ? How.FUNCTION : How.REPAIR;
    }
    if (arguments.isEmpty()) {
      return result.mixed() ? How.REPAIR : How.FUNCTION;
    }
    boolean division = DIVISIONS.contains(name);
    if (!division
        && !PRODUCTS.contains(name)
        && !SUMS.contains(name)
        && !SUBTRACTIONS.contains(name)) {
      return result.mixed() ? How.REPAIR : How.FUNCTION;
    }
    return Operand.find(arguments.getFirst())
        .map(
            other ->
                how(SUBTRACTIONS.contains(name), division, PRODUCTS.contains(name), other, ranks))
        .orElse(How.REPAIR);
  }

  static Change by(ElementOp op, Operand other, int ranks, Interp interp) {
    return of(
        how(op == ElementOp.SUB, op == ElementOp.TRUE_DIVIDE, op == ElementOp.MUL, other, ranks),
        interp);
  }

  private static How how(
      boolean subtraction, boolean division, boolean product, Operand other, int ranks) {
    Origin origin = other.origin();
    if (other.rank() == 2 && origin.fromKernel() && !origin.mixed()) {
      return How.FUNCTION;
    }
    if (subtraction && origin.fromTensor()) {
      return How.DIFFERENCE;
    }
    if (product && isMask(other)) {
      return How.FUNCTION;
    }
    if ((division || product) && !origin.fromKernel() && isOneValue(other.data())) {
      double by = first(other.data());
      double ways = division ? by : 1 / by;
      double whole = Math.rint(ways);
      if (whole >= 1 && whole <= ranks && Math.abs(ways - whole) < 1e-6 * whole) {
        return How.MEAN;
      }
    }
    return How.REPAIR;
  }

  private static double first(HostTensor tensor) {
    return Elements.of(tensor.buffer(), tensor.dtype()).getDouble(tensor.offset());
  }

  private static boolean isOneValue(HostTensor tensor) {
    if (tensor.elements() == 0) {
      return true;
    }
    double first = first(tensor);
    return isEach(tensor, value -> Double.compare(value, first) == 0);
  }

  /** True for a tensor of zeros and ones: what is multiplied by it is kept or blanked. */
  private static boolean isMask(Operand other) {
    return other.rank() == 2
        && !other.origin().fromKernel()
        && isEach(other.data(), value -> value == 0 || value == 1);
  }

  private static boolean isEach(HostTensor tensor, DoublePredicate fits) {
    Elements elements = Elements.of(tensor.buffer(), tensor.dtype());
    boolean[] all = {true};
    StridedLoop.over(
        tensor.shape(), (p, at) -> all[0] &= fits.test(elements.getDouble(at[0])), tensor);
    return all[0];
  }
}
