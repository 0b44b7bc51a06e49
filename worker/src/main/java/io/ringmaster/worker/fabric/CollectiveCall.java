package io.ringmaster.worker.fabric;

import io.ringmaster.worker.source.Span;
import io.ringmaster.worker.tensor.DType;
import java.util.List;
import java.util.Optional;

/**
 * A rank's entry into a lowered collective: what must agree on all ranks of the domain.
 *
 * @param op barrier, broadcast, allreduce, allgather, reduce_scatter, all_to_all, all_to_all_v
 * @param rail {@code incore} or {@code host}
 * @param algorithm mesh, ring, push, pull, credit
 * @param window the target window (barrier: the signal)
 * @param shape shape of the target on this rank
 * @param reduce Sum, Max, Min, Prod where there is a reduction
 */
public record CollectiveCall(
    int rank,
    String op,
    String rail,
    String algorithm,
    WindowInfo window,
    List<Long> shape,
    DType dtype,
    Optional<Long> root,
    Optional<String> reduce,
    Span span) {
  public CollectiveCall {
    shape = List.copyOf(shape);
  }
}
