package io.ringmaster.worker.script.check;

import io.ringmaster.worker.golden.TensorStatistics;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The numbers of one comparison.
 *
 * @param maxAt index of the largest difference; empty when there is none
 * @param explanation what came out, for a script that wants it otherwise; may be empty when the two
 *     sides are alike
 * @param actual the compared tensor in a few numbers
 * @param expected what it was compared with in a few numbers
 * @param oneSidedNans mismatches in which a side is NaN, or both are where that isn't alike
 */
public record Facts(
    long elements,
    long mismatches,
    @Nullable Double maxAbsDifference,
    List<Long> maxAt,
    @Nullable Double rtol,
    @Nullable Double atol,
    String explanation,
    Optional<TensorStatistics> actual,
    Optional<TensorStatistics> expected,
    long oneSidedNans) {

  /** How much larger than a tolerance a part has to be that it shows for sure. */
  private static final double MARGIN = 16;

  /** What narrow types and another order of a sum may make of a value, as a part of it. */
  private static final double ROUNDING = 1.0 / 64;

  /** True for a tolerance that takes in every value on both sides. */
  public boolean takesInAll() {
    return allowed() > 0 && allowed() >= largest();
  }

  /** True when what is expected is zero everywhere. */
  boolean isAgainstZero() {
    return expected.isPresent() && expected.get().minimum() == 0 && expected.get().maximum() == 0;
  }

  /** True when some values are so far apart that no rounding explains it. */
  boolean isFarApart() {
    return mismatches > 0
        && (oneSidedNans > 0
            || (maxAbsDifference != null && maxAbsDifference > largest() * ROUNDING));
  }

  /** Elements that are NaN on both sides of a comparison that holds: no value is compared there. */
  long withoutValue() {
    return oneSidedNans == 0 && expected.isPresent()
        ? Math.min(expected.get().nans(), actual.map(TensorStatistics::nans).orElse(0L))
        : 0;
  }

  /** True for a tolerance that isn't small beside what is compared. */
  public boolean isLoose() {
    return allowed() > 0 && allowed() >= largest() / 8;
  }

  /** True for a tolerance that is small beside one of so many equal parts of what is compared. */
  boolean showsPartOf(int parts) {
    return allowed() * MARGIN * parts <= largest();
  }

  /** The tolerance beside the largest value. */
  public String bounds() {
    return "and lets through differences up to "
        + shown(allowed())
        + " of values up to "
        + shown(largest());
  }

  private double allowed() {
    if (rtol == null || atol == null || expected.isEmpty()) {
      return 0;
    }
    return atol + (rtol == 0 ? 0 : rtol * largest(expected.get()));
  }

  private double largest() {
    return Math.max(
        actual.map(Facts::largest).orElse(0.0), expected.map(Facts::largest).orElse(0.0));
  }

  /** Says of a tolerance that takes in every value on both sides that it does; else empty. */
  String tolerance() {
    double all = largest();
    return rtol != null && atol != null && takesInAll() && all > 0
        ? "its tolerance (rtol=%s, atol=%s) takes in every value compared, up to %s"
            .formatted(shown(rtol), shown(atol), shown(all))
        : "";
  }

  private static double largest(TensorStatistics of) {
    double most = Math.max(Math.abs(of.minimum()), Math.abs(of.maximum()));
    return Double.isFinite(most) ? most : 0;
  }

  private static String shown(double value) {
    return Double.isInfinite(value)
        ? "inf"
        : value == Math.rint(value) && value < 1e15
            ? Long.toString((long) value)
            : Double.toString(value);
  }

  /** A comparison of single numbers. */
  public static Facts ofNumbers(boolean holds, String explanation) {
    return new Facts(
        1,
        holds ? 0 : 1,
        null,
        List.of(),
        null,
        null,
        explanation,
        Optional.empty(),
        Optional.empty(),
        0);
  }
}
