package io.ringmaster.worker.job;

import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;

/**
 * What a job comes to once all its runs have ended: the worst of its runs speaks for it, unless a
 * comparison between platforms says something graver. Of green ones all together say what they
 * leave open.
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
    RunEnd worst = runs.stream().min(Comparator.comparing(RunEnd::verdict)).orElseThrow();
    var fault =
        comparisons.stream()
            .filter(PlatformComparison::isFault)
            .min(Comparator.comparing(PlatformComparison::verdict))
            .filter(found -> found.verdict().compareTo(worst.verdict()) < 0);
    if (fault.isPresent()) {
      var found = fault.get();
      RunEnd other =
          runs.stream().filter(run -> run.id().equals(found.run())).findFirst().orElseThrow();
      return new JobEnd(found.verdict(), oneOf(runs, other, found.sentence()));
    }
    if (worst.verdict() == Verdict.PASSED) { // Then the others have passed, too.
      String all = Qualified.together(runs.stream().map(RunEnd::sentence).toList());
      return new JobEnd(Verdict.PASSED, all + alone(comparisons));
    }
    return new JobEnd(worst.verdict(), oneOf(runs, worst, worst.sentence()));
  }

  /** The end of a job of runs as a report has them. */
  static JobEnd ofRuns(List<JobReport.Run> runs, List<PlatformComparison> comparisons) {
    return of(
        IntStream.range(0, runs.size())
            .mapToObj(
                i -> {
                  JobReport.Run run = runs.get(i);
                  return new RunEnd(run.id(), i + 1, run.devices(), run.verdict(), run.sentence());
                })
            .toList(),
        comparisons);
  }

  /** What one run says for its job. */
  private static String oneOf(List<RunEnd> runs, RunEnd run, String sentence) {
    return runs.size() == 1
        ? sentence
        : "run "
            + run.place()
            + " of "
            + runs.size()
            + ", devices "
            + run.devices()
            + ": "
            + sentence;
  }

  /** A green job says what wasn't compared. */
  private static String alone(List<PlatformComparison> comparisons) {
    return comparisons.stream()
        .filter(found -> found.outcome() == PlatformComparison.Outcome.NOT_COMPARED)
        .findFirst()
        .map(found -> "; " + found.sentence())
        .orElse("");
  }
}
