package io.ringmaster.worker.job;

import io.ringmaster.worker.tensor.DType;
import java.util.List;
import java.util.Map;

/**
 * What a run has cost beside what its report says.
 *
 * @param passNanos wall time in each pass of the compiler, by the pass's name
 * @param instructions kernel instructions over all ranks and launches
 * @param goldenErrors one for each comparison of a kernel's output
 */
public record Measures(
    Map<String, Long> passNanos, long instructions, List<GoldenError> goldenErrors) {

  /** The largest difference of one comparison, in steps of the output's type. */
  public record GoldenError(DType type, double ulps) {}

  public Measures {
    passNanos = Map.copyOf(passNanos);
    goldenErrors = List.copyOf(goldenErrors);
  }
}
