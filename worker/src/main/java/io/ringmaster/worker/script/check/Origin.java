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
 * @param altered what the script itself had done to an output that went into it
 * @param mixed true when something that no kernel wrote was computed together with what one wrote
 */
public record Origin(
    boolean fromKernel,
    boolean fromTensor,
    String spoiled,
    String untouched,
    boolean prefilled,
    Optional<TensorPair> pair,
    Optional<Apart> apart,
    Reads reads,
    Optional<Alteration> altered,
    boolean mixed) {

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
        fromKernel,
        fromTensor,
        "",
        "",
        false,
        Optional.empty(),
        Optional.empty(),
        reads,
        Optional.empty(),
        false);
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
        reads.and(other.reads),
        alteredWith(other),
        mixed || other.mixed || fromKernel != other.fromKernel);
  }

  /** What a difference is computed together with makes it something else, but for another one. */
  private Optional<Alteration> alteredWith(Origin other) {
    if (altered.isEmpty() || other.altered.isEmpty()) {
      return altered.or(() -> other.altered).map(Alteration::asRepair);
    }
    return altered.get().difference() ? other.altered : altered;
  }

  /** What this memory held, with what a kernel has written over it since. */
  public Origin under(Origin written) {
    Origin both = and(written);
    return new Origin(
        both.fromKernel,
        both.fromTensor,
        both.spoiled,
        both.untouched,
        both.prefilled,
        both.pair,
        both.apart,
        both.reads,
        both.altered,
        mixed);
  }

  /** The same, but for what the script has done to an output itself. */
  public Origin altered(Optional<Alteration> by) {
    return new Origin(
        fromKernel, fromTensor, spoiled, untouched, prefilled, pair, apart, reads, by, mixed);
  }

  /** The same with a reason why it proves nothing, unless there is one already. */
  public Origin spoiledBy(String reason) {
    return spoiled.isEmpty()
        ? new Origin(
            fromKernel,
            fromTensor,
            reason,
            untouched,
            prefilled,
            pair,
            apart,
            reads,
            altered,
            mixed)
        : this;
  }

  public Origin withoutPair() {
    return of(Optional.empty());
  }

  /**
   * The origin of what is computed from this number: how far apart tensors are is no longer told by
   * it as it was by the number.
   */
  public Origin reworked() {
    return pair.isEmpty() ? this : of(pair.map(tensors -> tensors.whole(false)));
  }

  /** The same as the difference or comparison of {@code tensors}, or of none. */
  public Origin of(Optional<TensorPair> tensors) {
    return new Origin(
        fromKernel, true, spoiled, untouched, prefilled, tensors, apart, reads, altered, mixed);
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
        both.reads,
        both.altered,
        both.mixed);
  }
}
