package io.ringmaster.worker.script;

import io.ringmaster.worker.golden.TensorStatistics;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A comparison the script made.
 *
 * @param name what was compared, as written: {@code y[0] ~ expected}; unique within a run
 * @param kind allclose, equal, assert_close, comparison, assert
 * @param verifies true when a kernel's output took part; only such checks make a job PASSED
 * @param maxAt index of the largest difference, empty when there is none
 * @param explanation why it failed, in a sentence; empty when it passed
 * @param actual the compared tensor in a few numbers; empty for plain numbers
 * @param expected what it was compared with; empty for plain numbers
 * @param test node id of the case of a test file that made it; empty outside of one
 */
public record Check(
    String name,
    String kind,
    boolean passed,
    boolean verifies,
    int line,
    long elements,
    long mismatches,
    @Nullable Double maxAbsDifference,
    List<Long> maxAt,
    @Nullable Double rtol,
    @Nullable Double atol,
    String explanation,
    Optional<TensorStatistics> actual,
    Optional<TensorStatistics> expected,
    String test) {}
