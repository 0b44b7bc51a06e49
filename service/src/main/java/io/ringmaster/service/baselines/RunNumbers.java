package io.ringmaster.service.baselines;

import io.ringmaster.service.jobs.Job;
import io.ringmaster.worker.job.JobReport;
import io.ringmaster.worker.job.Verdict;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What of a run is compared. Wall times aren't: they are the machine's.
 *
 * @param surroundings what else it ran under; runs in other surroundings say nothing of each other
 */
record RunNumbers(
    String platform,
    List<Integer> devices,
    List<String> arguments,
    List<String> surroundings,
    Verdict verdict,
    String outputDigest,
    long virtualNanos,
    long payloadBytes,
    long wireBytes,
    List<CheckNumbers> checks,
    List<CollectiveNumbers> collectives) {

  /**
   * A check.
   *
   * @param name with the case that made it, and a number where several have the same name
   */
  record CheckNumbers(
      String name,
      boolean passed,
      long elements,
      long mismatches,
      @Nullable Double maxAbsDifference) {}

  /** All calls of one collective by one algorithm together. */
  record CollectiveNumbers(String name, long virtualNanos, long payloadBytes, long wireBytes) {

    CollectiveNumbers plus(CollectiveNumbers other) {
      return new CollectiveNumbers(
          name,
          virtualNanos + other.virtualNanos,
          payloadBytes + other.payloadBytes,
          wireBytes + other.wireBytes);
    }
  }

  static List<RunNumbers> of(Job job, JobReport report) {
    return report.runs().stream().map(run -> of(job, run)).toList();
  }

  private static RunNumbers of(Job job, JobReport.Run run) {
    return new RunNumbers(
        run.platform(),
        run.devices(),
        run.arguments(),
        surroundings(job),
        run.verdict(),
        run.evidence().outputDigest(),
        run.timings().runVirtualNanos(),
        run.evidence().payloadBytes(),
        run.evidence().wireBytes(),
        checks(run),
        collectives(run));
  }

  private static List<String> surroundings(Job job) {
    var circumstances = job.circumstances();
    var all = new ArrayList<>(circumstances.conditions());
    if (job.seed() != 0) {
      all.add("seed=" + job.seed());
    }
    circumstances.scheduleSeed().ifPresent(seed -> all.add("schedule-seed=" + seed));
    if (circumstances.schedules() > 0) {
      all.add("schedules=" + circumstances.schedules());
    }
    if (circumstances.cacheLines()) {
      all.add("cache-lines");
    }
    return all.stream().sorted().toList();
  }

  private static List<CheckNumbers> checks(JobReport.Run run) {
    var seen = new LinkedHashMap<String, Integer>();
    var all = new ArrayList<CheckNumbers>();
    for (var check : run.checks()) {
      var name = (check.test() == null ? "" : check.test() + " ") + check.name();
      int number = seen.merge(name, 1, Integer::sum);
      all.add(
          new CheckNumbers(
              number == 1 ? name : name + " #" + number,
              check.passed(),
              check.elements(),
              check.mismatches(),
              check.maxAbsDifference()));
    }
    return all;
  }

  private static List<CollectiveNumbers> collectives(JobReport.Run run) {
    var all = new LinkedHashMap<String, CollectiveNumbers>();
    for (var collective : run.collectives()) {
      var name = collective.op() + " " + collective.rail() + " " + collective.algorithm();
      all.merge(
          name,
          new CollectiveNumbers(
              name,
              collective.virtualNanos(),
              sum(collective.payloadBytes()),
              sum(collective.wireBytes())),
          CollectiveNumbers::plus);
    }
    return List.copyOf(all.values());
  }

  private static long sum(List<Long> values) {
    return values.stream().mapToLong(Long::longValue).sum();
  }

  /** What makes two runs the same in two jobs. Device ids don't; how many there are does. */
  String title() {
    var text = platform + " x " + devices.size();
    return arguments.isEmpty() ? text : text + " " + String.join(" ", arguments);
  }
}
