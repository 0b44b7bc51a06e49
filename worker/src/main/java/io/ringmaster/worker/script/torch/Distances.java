package io.ringmaster.worker.script.torch;

import io.ringmaster.worker.golden.Shapes;
import io.ringmaster.worker.golden.TensorComparison;
import io.ringmaster.worker.golden.TensorStatistics;
import io.ringmaster.worker.script.builtin.SourceText;
import io.ringmaster.worker.script.check.CheckBook;
import io.ringmaster.worker.script.check.Claim;
import io.ringmaster.worker.script.check.Facts;
import io.ringmaster.worker.script.check.TensorFacts;
import io.ringmaster.worker.script.check.TensorPair;
import io.ringmaster.worker.script.value.Interp;
import io.ringmaster.worker.source.Span;
import java.util.Optional;

/** Notes how far a kernel's values are from a golden where a script sums that up, as in a loop. */
final class Distances {

  /** What rounding may make of a value, as a part of the largest. */
  private static final double ROUNDING = 1.0 / 64;

  private Distances() {}

  /** A number that sums up a difference: nothing may come of it when a later one takes its name. */
  static void note(TensorValue number, Interp interp) {
    CheckBook checks = interp.session().checks();
    Optional<TensorPair> known = number.lineage().pair();
    if (known.isEmpty() || checks.needsNoFacts()) {
      return;
    }
    TensorPair pair = known.get();
    if (pair.left().fromKernel() == pair.right().fromKernel()
        || !Shapes.broadcasts(pair.actual().shape(), pair.expected().shape())) {
      return;
    }
    Span here = interp.session().budget().here();
    String name = SourceText.of(interp.session(), here);
    // The values may change after the call, so the facts are taken at once.
    boolean far = isFar(pair);
    Facts facts =
        far
            ? TensorFacts.ofBound(pair, 0, false, "it is far off", interp.session().kernelInputs())
            : Facts.ofNumbers(true, "");
    checks.distance(
        Claim.of("comparison", name, here.line(), !far, number.origin(), () -> facts)
            .between(pair.left(), pair.right())
            .of(pair));
  }

  private static boolean isFar(TensorPair pair) {
    TensorComparison comparison = TensorComparison.equal(pair.actual(), pair.expected());
    if (comparison.mismatches() == 0) {
      return false;
    }
    TensorStatistics golden =
        TensorStatistics.of(pair.left().fromKernel() ? pair.expected() : pair.actual());
    double largest = Math.max(Math.abs(golden.minimum()), Math.abs(golden.maximum()));
    return comparison.nanMismatches() > 0 || comparison.maxAbsDifference() > ROUNDING * largest;
  }
}
