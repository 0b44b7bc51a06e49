package io.ringmaster.worker.script.torch;

import io.ringmaster.worker.script.check.TensorPair;
import java.util.Optional;

/**
 * What a tensor was computed from, as far as a failing check wants to know.
 *
 * @param pair the two tensors whose difference or comparison it is
 * @param bound the difference that a comparison still accepts; NaN when it isn't a comparison
 */
record Lineage(Optional<TensorPair> pair, double bound) {

  static final Lineage NONE = new Lineage(Optional.empty(), Double.NaN);

  static Lineage difference(TensorValue left, TensorValue right) {
    return new Lineage(Optional.of(pair(left, right)), Double.NaN);
  }

  static TensorPair pair(TensorValue left, TensorValue right) {
    return new TensorPair(
        left.data(), right.data(), left.origin().withoutPair(), right.origin().withoutPair());
  }

  Lineage within(double limit) {
    return pair.isEmpty() ? NONE : new Lineage(pair, limit);
  }
}
