package io.ringmaster.worker.script.torch;

import io.ringmaster.worker.script.check.Origin;
import io.ringmaster.worker.script.check.TensorPair;
import java.util.Optional;

/**
 * What a tensor was computed from, as far as a failing check wants to know.
 *
 * @param pair the two tensors whose difference or comparison it is
 * @param bound the difference that a comparison still accepts; NaN when it isn't a comparison
 * @param equalNan true for a comparison that takes NaN for NaN
 */
record Lineage(Optional<TensorPair> pair, double bound, boolean equalNan) {

  static final Lineage NONE = new Lineage(Optional.empty(), Double.NaN, false);

  static Lineage difference(TensorValue left, TensorValue right) {
    return new Lineage(Optional.of(pair(left, right)), Double.NaN, false);
  }

  /** Of a tensor and a plain number that is held against each of its elements. */
  static Lineage difference(TensorValue left, Operand number) {
    Origin one = left.origin().withoutPair();
    Origin other = number.origin().withoutPair();
    boolean plain = left.isAsWritten() && !other.fromKernel();
    return new Lineage(
        Optional.of(new TensorPair(left.data(), number.data(), one, other, plain, false)),
        Double.NaN,
        false);
  }

  static TensorPair pair(TensorValue left, TensorValue right) {
    Origin one = left.origin().withoutPair();
    Origin other = right.origin().withoutPair();
    boolean plain =
        (left.isAsWritten() && !other.fromKernel()) || (right.isAsWritten() && !one.fromKernel());
    return new TensorPair(left.data(), right.data(), one, other, plain, false);
  }

  /** The same in another measure: one that tells of every element, or not. */
  Lineage whole(boolean told) {
    return pair.isEmpty() || pair.get().whole() == told
        ? this
        : new Lineage(pair.map(both -> both.whole(told)), bound, equalNan);
  }

  boolean isWhole() {
    return pair.isPresent() && pair.get().whole();
  }

  Lineage within(double limit) {
    return pair.isEmpty() ? NONE : new Lineage(pair, limit, equalNan);
  }

  /** The same of a comparison that may take NaN for NaN. */
  Lineage equalNan(boolean alike) {
    return new Lineage(pair, bound, alike);
  }
}
