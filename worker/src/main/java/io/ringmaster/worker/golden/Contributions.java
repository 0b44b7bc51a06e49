package io.ringmaster.worker.golden;

import io.ringmaster.worker.stop.StopOrder;
import io.ringmaster.worker.tensor.HostTensor;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.DoubleBinaryOperator;

/** Recognises sums that lack a rank's contribution, or have it twice, and factors left out. */
final class Contributions {

  private static final String AS_IT_WAS =
      "the output is each rank's input as it was: nothing was taken from another rank, or the"
          + " computation after the transfer is missing";

  private Contributions() {}

  /**
   * Compares with what each rank put in.
   *
   * @param inputs tensors with one row for each rank
   * @param owner the rank whose output it is, -1 when it isn't known
   */
  static Optional<String> explain(
      double[] got, double[] wanted, List<HostTensor> inputs, int owner) {
    for (HostTensor input : inputs) {
      if (input.rank() == 0 || input.shape()[0] < 2 || input.shape()[0] > 64) {
        continue;
      }
      double[] values = Block.values(input, new long[0]);
      int ranks = (int) input.shape()[0];
      int width = values.length / ranks;
      if (width == 0 || got.length % width != 0) {
        continue;
      }
      Optional<String> factor = factor(got, wanted, values, ranks, width);
      if (factor.isPresent()) {
        return factor;
      }
      Optional<String> sum = sum(got, wanted, values, ranks, width, owner);
      if (sum.isPresent()) {
        return sum;
      }
      Optional<String> other = otherReduction(got, wanted, values, ranks, width);
      if (other.isPresent()) {
        return other;
      }
      if (got.length == values.length && Block.close(got, values)) {
        return Optional.of(AS_IT_WAS);
      }
    }
    return Optional.empty();
  }

  /**
   * Recognises an output that is right in part, and elsewhere what its rank had put in, as the rows
   * are that a reduce_scatter leaves to others.
   *
   * @param owner the rank whose output it is, -1 when it is that of all or isn't known
   */
  static Optional<String> leftovers(
      double[] got, double[] wanted, List<HostTensor> inputs, int owner) {
    for (HostTensor input : inputs) {
      double[] values = Block.values(input, new long[0]);
      int from = got.length == values.length ? 0 : owner * got.length;
      if (from < 0 || from + got.length > values.length) {
        continue;
      }
      int differing = 0;
      boolean staged = true;
      for (int i = 0; i < got.length && staged; i++) {
        StopOrder.look(i);
        if (!Block.close(got[i], wanted[i])) {
          differing++;
          staged = Block.close(got[i], values[from + i]);
        }
      }
      if (staged && differing > 1 && differing < got.length) {
        return Optional.of(
            "where it differs, the output is the rank's own input as it was: staged, and not"
                + " reduced or replaced there");
      }
    }
    return Optional.empty();
  }

  /**
   * Where each row is one rank's values times a number, and nothing is summed, too much or too
   * little of them is a factor, not a contribution.
   */
  private static Optional<String> factor(
      double[] got, double[] wanted, double[] values, int ranks, int width) {
    double factor = ratio(got, wanted);
    if (Double.isNaN(factor) || isOneDirection(values, ranks, width)) {
      return Optional.empty();
    }
    for (int from = 0; from < wanted.length; from += width) {
      double[] row = Arrays.copyOfRange(wanted, from, from + width);
      boolean single = false;
      for (int rank = 0; rank < ranks && !single; rank++) {
        single =
            !Double.isNaN(ratio(row, Arrays.copyOfRange(values, rank * width, (rank + 1) * width)));
      }
      if (!single) {
        return Optional.empty();
      }
    }
    if (got.length == values.length && Block.close(got, values)) {
      return Optional.of(AS_IT_WAS);
    }
    return Optional.of(
        "every element is "
            + MismatchExplainer.number(factor)
            + " times what was expected: a factor is wrong, missing or applied twice");
  }

  /** True when a sum over ranks, too, is a multiple of one rank's values. */
  private static boolean isOneDirection(double[] values, int ranks, int width) {
    double[] first = Arrays.copyOf(values, width);
    for (int rank = 1; rank < ranks; rank++) {
      double[] row = Arrays.copyOfRange(values, rank * width, (rank + 1) * width);
      if (!Double.isNaN(ratio(first, row))) {
        return true;
      }
    }
    return width < 2;
  }

  /** The number that makes all of {@code of} what {@code is} holds; NaN for none. */
  private static double ratio(double[] is, double[] of) {
    int largest = 0;
    for (int i = 1; i < of.length; i++) {
      largest = Math.abs(of[i]) > Math.abs(of[largest]) ? i : largest;
    }
    double ratio = is[largest] / of[largest];
    if (!Double.isFinite(ratio) || ratio == 0) {
      return Double.NaN;
    }
    for (int i = 0; i < of.length; i++) {
      StopOrder.look(i);
      if (!Block.close(is[i], ratio * of[i])) {
        return Double.NaN;
      }
    }
    return ratio;
  }

  private static Optional<String> sum(
      double[] got, double[] wanted, double[] values, int ranks, int width, int owner) {
    int rows = got.length / width;
    int found = -1;
    boolean twice = false;
    boolean own = rows == ranks;
    boolean any = false;
    boolean complete = true;
    for (int row = 0; row < rows; row++) {
      double[] mine = Arrays.copyOfRange(got, row * width, (row + 1) * width);
      double[] theirs = Arrays.copyOfRange(wanted, row * width, (row + 1) * width);
      if (Block.close(mine, theirs)) {
        own = false;
        continue;
      }
      int signed = contribution(mine, theirs, values, ranks, width);
      if (signed == 0) {
        return Optional.empty();
      }
      int rank = Math.abs(signed) - 1;
      if (any && (signed > 0) != twice) {
        return Optional.empty();
      }
      twice = signed > 0;
      own &= rank == row;
      found = !any || found == rank ? rank : Integer.MAX_VALUE;
      any = true;
      complete &= Reduction.SUM.gives(mine, values, ranks, width);
    }
    if (!any) {
      return Optional.empty();
    }
    if (complete) {
      return Optional.of(
          "the output is the sum over all ranks; it is the expected values that "
              + (twice ? "lack " : "have ")
              + (found == Integer.MAX_VALUE ? "a rank's contribution" : contributionOf(found))
              + (twice ? "" : " twice")
              + ": look at the golden");
    }
    if (own && rows > 1) {
      return Optional.of(
          twice
              ? "each rank's own contribution is counted twice"
              : "each rank's own contribution is missing");
    }
    if (found == Integer.MAX_VALUE) {
      return Optional.empty();
    }
    return Optional.of(
        contributionOf(found)
            + (found == owner ? ", its own," : "")
            + (twice ? " is counted twice" : " is missing"));
  }

  private static String contributionOf(int rank) {
    return "the contribution of rank " + rank;
  }

  /** How values of all ranks can be brought together; the steps are pure functions. */
  @SuppressWarnings("ImmutableEnumChecker")
  private enum Reduction {
    SUM("sum", Double::sum),
    MAXIMUM("maximum", Math::max),
    MINIMUM("minimum", Math::min),
    PRODUCT("product", (a, b) -> a * b);

    private final String noun;
    private final DoubleBinaryOperator step;

    Reduction(String noun, DoubleBinaryOperator step) {
      this.noun = noun;
      this.step = step;
    }

    /** True when each stretch of {@code result} is this reduction of the ranks' values. */
    private boolean gives(double[] result, double[] values, int ranks, int width) {
      for (int i = 0; i < result.length; i++) {
        StopOrder.look(i);
        double reduced = values[i % width];
        for (int rank = 1; rank < ranks; rank++) {
          reduced = step.applyAsDouble(reduced, values[rank * width + i % width]);
        }
        if (!Block.close(result[i], reduced)) {
          return false;
        }
      }
      return true;
    }
  }

  private static Optional<String> otherReduction(
      double[] got, double[] wanted, double[] values, int ranks, int width) {
    for (Reduction is : Reduction.values()) {
      for (Reduction should : Reduction.values()) {
        if (is != should
            && is.gives(got, values, ranks, width)
            && should.gives(wanted, values, ranks, width)) {
          return Optional.of(
              "the output is the "
                  + is.noun
                  + " over the ranks, expected is the "
                  + should.noun
                  + ": another reduce operation");
        }
      }
    }
    return Optional.empty();
  }

  /** rank + 1 when that rank's values are too much, the negative when they lack, 0 for neither. */
  private static int contribution(
      double[] mine, double[] theirs, double[] values, int ranks, int width) {
    for (int rank = 0; rank < ranks; rank++) {
      StopOrder.look();
      boolean lacks = true;
      boolean doubled = true;
      boolean zero = true;
      for (int i = 0; i < width; i++) {
        double part = values[rank * width + i];
        zero &= part == 0;
        lacks &= Block.close(mine[i] + part, theirs[i]);
        doubled &= Block.close(mine[i], theirs[i] + part);
      }
      if (!zero && lacks) {
        return -(rank + 1);
      }
      if (!zero && doubled) {
        return rank + 1;
      }
    }
    return 0;
  }
}
