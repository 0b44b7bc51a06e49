package io.ringmaster.worker.fabric;

import io.ringmaster.worker.source.Span;
import java.util.List;

/**
 * One task of a rank: a call from HOST.
 *
 * @param id unique in the run, in submission order
 * @param function the called function
 * @param after ids of dispatches that finish before this one starts (same rank's previous one, and
 *     those it depends on through host tensors)
 */
public record DispatchInfo(long id, int rank, String function, List<Long> after, Span span) {
  public DispatchInfo {
    after = List.copyOf(after);
  }
}
