package io.ringmaster.worker.script.check;

import io.ringmaster.worker.script.Remark;
import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What a green case doesn't see of an output, because it compares something coarser.
 *
 * @param element in order, one that may be off
 * @param by how much it may be off, and to which side; infinite for anything
 * @param largest the largest absolute value of the output
 */
public record Coarse(Output output, int element, double by, double largest) {

  private static final MathContext SHOWN = new MathContext(2, RoundingMode.HALF_EVEN);

  /**
   * What the checks of a case say that they let through.
   *
   * @param isKnown false where nobody knows, as of numbers that a script compares by itself
   */
  public record Allowed(boolean isKnown, double rtol, double atol) {

    static final Allowed UNKNOWN = new Allowed(false, 0, 0);
  }

  /** In a few words. */
  String words() {
    if (Double.isInfinite(by)) {
      return "elements of '" + output.name() + "' go unseen";
    }
    return "differences up to " + shown(Math.abs(by)) + " in '" + output.name() + "' go unseen";
  }

  /** What is wrong unseen, in full. */
  String example() {
    if (Double.isInfinite(by)) {
      return "the script is green all the same when element " + element + " of it is anything";
    }
    return "the script is green all the same when element "
        + element
        + " of it is "
        + (by < 0 ? "smaller" : "larger")
        + " by "
        + shown(Math.abs(by))
        + ", of values up to "
        + shown(largest);
  }

  private static String shown(double value) {
    BigDecimal rounded = new BigDecimal(value).round(SHOWN).stripTrailingZeros();
    return value < 1e-4 || value >= 1e7 ? rounded.toString() : rounded.toPlainString();
  }

  /** What a case doesn't see, and the line that compares it. */
  record Found(String test, Coarse coarse, int line) {

    private Remark remark(Found said) {
      return new Remark(
          Remark.Kind.COARSE_COMPARISON,
          "what is compared of output '"
              + coarse.output().name()
              + "' of "
              + coarse.output().launch().name()
              + " is coarser than what the kernel wrote: "
              + said.coarse().example(),
          said.coarse().words(),
          "compare the output itself with a tolerance, torch.allclose(output, golden), instead of"
              + " what it is rounded, cast or written to, or what a mask or an early end leaves of it",
          line,
          test,
          List.of(test));
    }
  }

  /** Remarks, one for all cases that compare an output in the same line. */
  static List<Remark> remarks(List<Found> found) {
    Map<List<Object>, Found> first = new LinkedHashMap<>();
    List<Remark> all = new ArrayList<>();
    for (Found one : found) {
      List<Object> place = List.of(one.line(), one.coarse().output().name());
      Found said = Optional.ofNullable(first.putIfAbsent(place, one)).orElse(one);
      all.add(one.remark(said));
    }
    return InCases.of(all);
  }
}
