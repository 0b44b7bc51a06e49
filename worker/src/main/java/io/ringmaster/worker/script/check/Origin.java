package io.ringmaster.worker.script.check;

import java.util.Optional;

/**
 * What a value remembers about the tensors it was computed from.
 *
 * @param fromKernel true when some kernel's output went into it
 * @param fromTensor true when it was read out of any tensor
 * @param spoiled why it proves nothing, whatever it is compared with: rows that no kernel wrote, or
 *     NaN; empty for nothing
 * @param pair the two tensors whose difference or comparison it sums up
 */
public record Origin(
    boolean fromKernel, boolean fromTensor, String spoiled, Optional<TensorPair> pair) {

  /** A value that no tensor went into. */
  public static final Origin NONE = new Origin(false, false, "", Optional.empty());

  /** A value read out of a tensor. */
  public static Origin tensor(boolean fromKernel, String spoiled, Optional<TensorPair> pair) {
    return new Origin(fromKernel, true, spoiled, pair);
  }

  /** The origin of a value computed from this one's and {@code other}'s. */
  public Origin and(Origin other) {
    if (!other.fromTensor) {
      return this;
    }
    if (!fromTensor) {
      return other;
    }
    return new Origin(
        fromKernel || other.fromKernel,
        true,
        spoiled.isEmpty() ? other.spoiled : spoiled,
        pair.isPresent() ? pair : other.pair);
  }

  /** The same with a reason why it proves nothing, unless there is one already. */
  public Origin spoiledBy(String reason) {
    return spoiled.isEmpty() ? new Origin(fromKernel, fromTensor, reason, pair) : this;
  }

  public Origin withoutPair() {
    return pair.isEmpty() ? this : new Origin(fromKernel, fromTensor, spoiled, Optional.empty());
  }
}
