package io.ringmaster.worker.fabric;

import java.util.Collections;
import java.util.List;

/**
 * A window buffer of a domain: one slice for each member rank, equal in size.
 *
 * @param index number of the buffer in this run, counted from 0; an array index for observers
 * @param buffer the buffer's name in the program
 * @param domain name of its domain
 * @param members global ranks of the domain, ascending; position = domain-local rank
 * @param logicalBytes bytes asked for; the slot is rounded up to 32 bytes
 */
public record WindowInfo(
    int index, String buffer, String domain, List<Integer> members, long logicalBytes) {
  public WindowInfo {
    members = List.copyOf(members);
  }

  /** Domain-local number of a global rank; -1 when it isn't a member. */
  public int localRank(int globalRank) {
    if (globalRank < members.size() && members.get(globalRank) == globalRank) {
      return globalRank;
    }
    return Math.max(-1, Collections.binarySearch(members, globalRank));
  }
}
