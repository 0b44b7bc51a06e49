package io.ringmaster.worker.fabric;

/** Something whose bytes still lie in the region that they were read from, until those change. */
public interface Borrower {

  /** Copies what it has of {@code [from, to)} of a region, which is about to change. */
  void copyFrom(Region lender, long from, long to);

  /** First byte of a region that it still needs; the largest value when it needs none. */
  long firstNeeded(Region lender);

  /** End of the bytes of a region that it still needs; the smallest value when it needs none. */
  long endNeeded(Region lender);
}
