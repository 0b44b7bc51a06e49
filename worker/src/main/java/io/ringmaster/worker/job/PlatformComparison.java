package io.ringmaster.worker.job;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One run held against the run of the same devices and arguments on the job's first platform, the
 * reference. Component names are the JSON names of the HTTP interface.
 *
 * @param run id of the run that is held against the other one
 * @param sentence what came out, in words
 * @param outputs how many outputs were held against each other, over all launches
 * @param identical how many of them have the same bytes
 * @param close how many others agree within the rule for their element type
 * @param maxUlps largest difference among the close ones, in steps of the type; null without any
 * @param differences what differs, at most {@link #MOST_DIFFERENCES}
 */
public record PlatformComparison(
    String run,
    String platform,
    String referenceRun,
    String referencePlatform,
    List<Integer> devices,
    List<String> arguments,
    Outcome outcome,
    String sentence,
    int outputs,
    int identical,
    int close,
    @Nullable Double maxUlps,
    List<Difference> differences,
    Times times,
    Times referenceTimes) {

  /** Differences that are named; the sentence says how many there are. */
  public static final int MOST_DIFFERENCES = 16;

  /** What came out. */
  public enum Outcome {
    /** Outputs have the same bytes, and the same was sent. */
    SAME,
    /** The same was sent, and outputs agree within the rule for floating point. */
    CLOSE,
    /** Something differs; the job isn't right. */
    DIFFERENT,
    /** Some outputs have other bytes and weren't kept, so nobody knows how far they are apart. */
    INCOMPLETE,
    /** One of the two has nothing to compare: it ended too early, or its platform keeps nothing. */
    NOT_COMPARED
  }

  /** What of a run differs. */
  public enum Kind {
    OUTPUT,
    OUTPUTS,
    OPERATIONS,
    TRAFFIC
  }

  /**
   * Something that differs.
   *
   * @param name of an output its parameter; of operations which
   * @param place which output it is, over all launches, from 1; 0 for other kinds
   * @param rank whose part the first element is, or who receives; null where it's nobody's
   * @param at index of the first element that differs; of traffic the two ranks, from and to
   * @param value there, on the run's platform
   * @param reference there, on the reference's
   * @param mismatches how many elements differ
   * @param elements of how many
   */
  public record Difference(
      Kind kind,
      String name,
      int place,
      @Nullable Integer rank,
      List<Long> at,
      String value,
      String reference,
      long mismatches,
      long elements) {}

  /**
   * What a run took.
   *
   * @param virtualNanos on the cost model's clock; null where there is none
   * @param wallNanos on the machine's clock
   */
  public record Times(@Nullable Long virtualNanos, long wallNanos) {}

  /** Whether the job can't be green because of it. */
  boolean isFault() {
    return outcome == Outcome.DIFFERENT || outcome == Outcome.INCOMPLETE;
  }

  /** What it makes of a job; only to be asked of a fault. */
  Verdict verdict() {
    return outcome == Outcome.DIFFERENT ? Verdict.WRONG_RESULT : Verdict.NOT_VERIFIED;
  }
}
