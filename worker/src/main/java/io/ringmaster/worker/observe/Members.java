package io.ringmaster.worker.observe;

import java.util.Collections;
import java.util.List;

/** Position of a global rank among the members of a domain, which are in ascending order. */
final class Members {

  private Members() {}

  /** The domain-local number of {@code rank}, which must be a member. */
  static int local(List<Integer> members, int rank) {
    if (rank < members.size() && members.get(rank) == rank) {
      return rank;
    }
    int position = Collections.binarySearch(members, rank);
    if (position < 0) {
      throw new IllegalArgumentException("rank " + rank + " is not one of " + members);
    }
    return position;
  }
}
