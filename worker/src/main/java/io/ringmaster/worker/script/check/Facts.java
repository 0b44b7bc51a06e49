package io.ringmaster.worker.script.check;

import io.ringmaster.worker.golden.TensorStatistics;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The numbers of one comparison.
 *
 * @param maxAt index of the largest difference; empty when there is none
 * @param explanation why it doesn't hold; empty when it does
 * @param actual the compared tensor in a few numbers
 * @param expected what it was compared with in a few numbers
 */
public record Facts(
    long elements,
    long mismatches,
    @Nullable Double maxAbsDifference,
    List<Long> maxAt,
    @Nullable Double rtol,
    @Nullable Double atol,
    String explanation,
    Optional<TensorStatistics> actual,
    Optional<TensorStatistics> expected) {

  /** A comparison of single numbers. */
  public static Facts ofNumbers(boolean holds, String explanation) {
    return new Facts(
        1,
        holds ? 0 : 1,
        null,
        List.of(),
        null,
        null,
        holds ? "" : explanation,
        Optional.empty(),
        Optional.empty());
  }
}
