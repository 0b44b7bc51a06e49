package io.ringmaster.worker.observe;

import io.ringmaster.worker.source.Span;
import io.ringmaster.worker.tensor.DType;
import java.util.List;
import java.util.Optional;

/**
 * What one collective call moved, over all ranks of its domain; or what a kernel moved by hand.
 *
 * <p>Lists have one entry for each member, in the order of {@code members}; bytes are those that
 * arrive at the member.
 *
 * @param op the collective, or {@code transfer} for one-sided operations outside any
 * @param rail {@code incore} or {@code host}
 * @param algorithm mesh, ring, push, pull, credit; {@code hand} for {@code transfer}
 * @param name the target's buffer name; for {@code transfer} the dispatched function
 * @param members global ranks, ascending
 * @param span the call; for {@code transfer} the dispatch
 * @param shape shape of the target on a rank; empty for {@code transfer}
 * @param dtype element type of the target; empty for {@code transfer}
 * @param virtualNanos from the first rank's start to the last rank's end
 * @param wallNanos the same on the machine's clock; differs from run to run
 */
public record CollectiveTraffic(
    String op,
    String rail,
    String algorithm,
    String name,
    List<Integer> members,
    Span span,
    List<Long> shape,
    Optional<DType> dtype,
    Optional<Long> root,
    Optional<String> reduce,
    List<Long> payloadBytes,
    List<Long> wireBytes,
    long notifies,
    long waits,
    long virtualNanos,
    long wallNanos) {

  /** The name under which hand-written traffic is counted. */
  public static final String TRANSFER = "transfer";

  /** The algorithm of {@link #TRANSFER}. */
  public static final String HAND = "hand";

  public CollectiveTraffic {
    members = List.copyOf(members);
    shape = List.copyOf(shape);
    payloadBytes = List.copyOf(payloadBytes);
    wireBytes = List.copyOf(wireBytes);
  }

  /** Number of ranks that take part. */
  public int ranks() {
    return members.size();
  }

  /** Elements of the target on a rank; 0 for {@link #TRANSFER}. */
  public long elements() {
    return shape.isEmpty() ? 0 : shape.stream().reduce(1L, Math::multiplyExact);
  }
}
