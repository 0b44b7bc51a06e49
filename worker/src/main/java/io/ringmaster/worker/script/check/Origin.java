package io.ringmaster.worker.script.check;

import java.util.Optional;

/**
 * What a value remembers about the tensors it was computed from.
 *
 * @param fromKernel true when some kernel's output went into it
 * @param fromTensor true when it was read out of any tensor
 * @param spoiled why it proves nothing, whatever it is compared with: output of an earlier run, or
 *     NaN; empty for nothing
 * @param untouched which part of an output no kernel wrote, so that the host's own bytes are
 *     compared there; empty for none
 * @param prefilled true when the host's own bytes there aren't plain padding
 * @param pair the two tensors whose difference or comparison it sums up
 * @param apart the values of kernels whose difference it is or sums up
 * @param reads which bytes of which outputs went into it
 */
public record Origin(
    boolean fromKernel,
    boolean fromTensor,
    String spoiled,
    String untouched,
    boolean prefilled,
    Optional<TensorPair> pair,
    Optional<Apart> apart,
    Reads reads) {

  /** Two values that kernels wrote, of which something is the difference. */
  public record Apart(Reads left, Reads right) {}

  /** A value that no tensor went into. */
  public static final Origin NONE = of(false, false, Reads.NONE);

  /** A value read out of what a kernel wrote. */
  public static final Origin KERNEL = of(true, true, Reads.NONE);

  /** True when it holds what was there before the launch. */
  boolean leftAlone() {
    return !reads.isEmpty() && reads.outputs().stream().allMatch(Output::isLeftAlone);
  }

  private static Origin of(boolean fromKernel, boolean fromTensor, Reads reads) {
    return new Origin(
        fromKernel, fromTensor, "", "", false, Optional.empty(), Optional.empty(), reads);
  }

  /** A value read out of known bytes that a kernel wrote. */
  public static Origin kernel(Reads reads) {
    return reads.isEmpty() ? KERNEL : of(true, true, reads);
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
        untouched.isEmpty() ? other.untouched : untouched,
        prefilled || other.prefilled,
        pair.isPresent() ? pair : other.pair,
        apart.isPresent() ? apart : other.apart,
        reads.and(other.reads));
  }

  /** The same with a reason why it proves nothing, unless there is one already. */
  public Origin spoiledBy(String reason) {
    return spoiled.isEmpty()
        ? new Origin(fromKernel, fromTensor, reason, untouched, prefilled, pair, apart, reads)
        : this;
  }

  public Origin withoutPair() {
    return of(Optional.empty());
  }

  /** The same as the difference or comparison of {@code tensors}, or of none. */
  public Origin of(Optional<TensorPair> tensors) {
    return new Origin(fromKernel, true, spoiled, untouched, prefilled, tensors, apart, reads);
  }

  /** The origin of this one's value less the other's. */
  public Origin less(Origin other) {
    Origin both = and(other);
    if (!other.fromTensor || !fromTensor) {
      return both;
    }
    boolean kernels = fromKernel && other.fromKernel && !reads.isEmpty() && !other.reads.isEmpty();
    return new Origin(
        both.fromKernel,
        true,
        both.spoiled,
        both.untouched,
        both.prefilled,
        both.pair,
        kernels ? Optional.of(new Apart(reads, other.reads)) : Optional.empty(),
        both.reads);
  }
}
