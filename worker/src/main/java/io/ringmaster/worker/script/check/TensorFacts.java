package io.ringmaster.worker.script.check;

import io.ringmaster.worker.golden.MismatchExplainer;
import io.ringmaster.worker.golden.TensorComparison;
import io.ringmaster.worker.golden.TensorStatistics;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Puts the numbers of a tensor comparison into words. */
public final class TensorFacts {

  private TensorFacts() {}

  /**
   * The facts of a comparison that was made under the given tolerances.
   *
   * @param inputs what the kernel read, to trace a mismatch to a rank
   */
  public static Facts of(
      TensorPair pair,
      TensorComparison comparison,
      @Nullable Double rtol,
      @Nullable Double atol,
      KernelInputs inputs) {
    String explanation =
        comparison.holds()
            ? ""
            : MismatchExplainer.explain(
                pair.actual(), pair.expected(), comparison, inputs.tensors());
    return new Facts(
        comparison.elements(),
        comparison.mismatches(),
        comparison.maxAbsDifference(),
        comparison.maxAt(),
        rtol,
        atol,
        explanation,
        Optional.of(TensorStatistics.of(pair.actual())),
        Optional.of(TensorStatistics.of(pair.expected())),
        comparison.nanMismatches());
  }

  /** The facts of a number that sums up the difference of two tensors, held against a bound. */
  public static Facts ofBound(
      TensorPair pair, double bound, boolean equalNan, String sentence, KernelInputs inputs) {
    TensorComparison comparison =
        TensorComparison.allclose(pair.actual(), pair.expected(), 0, Math.max(0, bound), equalNan);
    Facts facts = of(pair, comparison, 0.0, bound, inputs);
    return new Facts(
        facts.elements(),
        facts.mismatches(),
        facts.maxAbsDifference(),
        facts.maxAt(),
        facts.rtol(),
        facts.atol(),
        facts.explanation().isEmpty() ? sentence : sentence + "; " + facts.explanation(),
        facts.actual(),
        facts.expected(),
        facts.oneSidedNans());
  }
}
