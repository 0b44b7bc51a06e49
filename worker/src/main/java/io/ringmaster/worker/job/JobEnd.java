package io.ringmaster.worker.job;

import java.util.Comparator;
import java.util.List;

/**
 * What a job comes to once all its runs have ended: the worst of its runs speaks for it, unless a
 * comparison between platforms says something graver.
 */
public record JobEnd(Verdict verdict, String sentence) {

  /**
   * A run that has ended.
   *
   * @param place in the job, from 1
   */
  public record RunEnd(
      String id, int place, List<Integer> devices, Verdict verdict, String sentence) {}

  /** The end of a job with at least one run. */
  public static JobEnd of(List<RunEnd> runs, List<PlatformComparison> comparisons) {
    RunEnd worst =
        runs.stream().min(Qualified.order(RunEnd::verdict, RunEnd::sentence)).orElseThrow();
    var fault =
        comparisons.stream()
            .filter(PlatformComparison::isFault)
            .min(Comparator.comparing(PlatformComparison::verdict))
            .filter(found -> found.verdict().compareTo(worst.verdict()) < 0);
    if (fault.isPresent()) {
      var found = fault.get();
      RunEnd other =
          runs.stream().filter(run -> run.id().equals(found.run())).findFirst().orElseThrow();
      return new JobEnd(
          found.verdict(),
          JobReport.sentence(
              other.place(), runs.size(), other.devices(), found.verdict(), found.sentence()));
    }
    String sentence =
        JobReport.sentence(
            worst.place(), runs.size(), worst.devices(), worst.verdict(), worst.sentence());
    return new JobEnd(worst.verdict(), sentence + alone(worst.verdict(), comparisons));
  }

  /** A green job says what wasn't compared. */
  private static String alone(Verdict verdict, List<PlatformComparison> comparisons) {
    if (verdict != Verdict.PASSED) {
      return "";
    }
    return comparisons.stream()
        .filter(found -> found.outcome() == PlatformComparison.Outcome.NOT_COMPARED)
        .findFirst()
        .map(found -> "; " + found.sentence())
        .orElse("");
  }
}
