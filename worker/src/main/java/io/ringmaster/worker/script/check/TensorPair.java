package io.ringmaster.worker.script.check;

import io.ringmaster.worker.tensor.HostTensor;

/**
 * Two tensors that a script holds against each other.
 *
 * @param left where the first stems from
 * @param right where the second stems from
 * @param plain true when one is as a kernel wrote it, and no kernel wrote the other
 * @param whole true for a measure that tells of every element how far apart they are, and not only
 *     in one direction
 */
public record TensorPair(
    HostTensor actual,
    HostTensor expected,
    Origin left,
    Origin right,
    boolean plain,
    boolean whole) {

  /** The same in another measure. */
  public TensorPair whole(boolean told) {
    return told == whole ? this : new TensorPair(actual, expected, left, right, plain, told);
  }
}
