package io.ringmaster.worker.frontend;

import java.util.List;
import java.util.Set;

/**
 * What calling a function does to its arguments.
 *
 * @param written whether the n-th argument's storage is written, here or on a peer
 * @param read whether the n-th argument's elements are read
 * @param results for each result, the arguments whose storage it may be
 */
record Effects(List<Boolean> written, List<Boolean> read, List<Set<Integer>> results) {

  Effects {
    written = List.copyOf(written);
    read = List.copyOf(read);
    results = results.stream().map(Set::copyOf).toList();
  }
}
