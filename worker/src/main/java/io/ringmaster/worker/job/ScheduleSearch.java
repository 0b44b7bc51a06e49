package io.ringmaster.worker.job;

import io.ringmaster.worker.fabric.Finding;
import io.ringmaster.worker.job.JobReport.FindingLine;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BiFunction;

/**
 * Runs a script in several orders and says whether its outcome depends on the order: by its
 * verdict, or by the bytes of its outputs. The report is that of the first order with the gravest
 * verdict, so that it can be read and replayed.
 */
final class ScheduleSearch {

  /** Seeds that a sentence spells out. */
  private static final int SPELLED_OUT = 8;

  private final JobSpec spec;
  private final BiFunction<JobSpec, RunControl, ScriptRun.Result> runner;
  private final long startNanos;

  /**
   * Prepares a search.
   *
   * @param runner runs the script once, in the order that the submission names
   * @param startNanos when the time of the search began, by {@link System#nanoTime}
   */
  ScheduleSearch(
      JobSpec spec, BiFunction<JobSpec, RunControl, ScriptRun.Result> runner, long startNanos) {
    this.startNanos = startNanos;
    this.spec = spec;
    this.runner = runner;
  }

  ScriptRun.Result run(RunControl control) {
    Exploration exploration = spec.exploration();
    ScriptRun.Result first = runner.apply(spec, control);
    if (exploration.schedules() == 0 || !goesOn(first.run().verdict())) {
      return first;
    }
    Map<Long, ScriptRun.Result> results = new LinkedHashMap<>();
    results.put(exploration.scheduleSeed(), first);
    // Only the run in the asked order is followed; the others are looked at when they are over.
    RunControl quiet = new Quiet(control);
    for (int more = 1; more <= exploration.schedules(); more++) {
      if (isOutOfTime()) {
        break;
      }
      long seed = exploration.scheduleSeed() + more;
      ScriptRun.Result result = runner.apply(spec.exploring(exploration.only(seed)), quiet);
      if (result.run().verdict() == Verdict.CANCELLED) {
        return result;
      }
      if (result.run().verdict() == Verdict.TIMED_OUT && isOutOfTime()) {
        // The time of the search is over, not that of this order.
        break;
      }
      results.put(seed, result);
    }
    return summary(first, results);
  }

  private boolean isOutOfTime() {
    return System.nanoTime() - startNanos > spec.limits().wall().toNanos();
  }

  /** A script that never got to run its kernels ends the same way in every order. */
  private static boolean goesOn(Verdict verdict) {
    return switch (verdict) {
      case REJECTED, ERROR, CANCELLED, TIMED_OUT, RESOURCE, WORKER_LOST, INFRA -> false;
      case PASSED, NOT_VERIFIED, WRONG_RESULT, RACE, DEADLOCK, MISMATCH, OUT_OF_BOUNDS -> true;
    };
  }

  private ScriptRun.Result summary(ScriptRun.Result first, Map<Long, ScriptRun.Result> results) {
    Map<Verdict, List<Long>> verdicts = new TreeMap<>();
    Map<String, List<Long>> outputs = new LinkedHashMap<>();
    results.forEach(
        (seed, result) -> {
          verdicts.computeIfAbsent(result.run().verdict(), _ -> new ArrayList<>()).add(seed);
          outputs
              .computeIfAbsent(result.run().evidence().outputDigest(), _ -> new ArrayList<>())
              .add(seed);
        });
    ScriptRun.Result shown = first;
    for (ScriptRun.Result result : results.values()) {
      if (result.run().verdict().compareTo(shown.run().verdict()) < 0) {
        shown = result;
      }
    }
    return with(
        shown,
        shown.equals(first) ? "" : "in the order of seed " + seed(shown) + ": ",
        finding(verdicts, outputs, results.size()));
  }

  private FindingLine finding(
      Map<Verdict, List<Long>> verdicts, Map<String, List<Long>> outputs, int orders) {
    String message;
    if (verdicts.size() > 1) {
      var parts = new ArrayList<String>();
      verdicts.forEach((verdict, seeds) -> parts.add(verdict + " with " + spelled(seeds)));
      message = "the outcome depends on the order: " + String.join(", ", parts);
    } else if (outputs.size() > 1) {
      message =
          outputs.size()
              + " different outputs in "
              + orders
              + " orders: "
              + outputs.values().stream()
                  .limit(SPELLED_OUT)
                  .map(ScheduleSearch::spelled)
                  .reduce((one, other) -> one + " | " + other)
                  .orElse("");
    } else {
      message = "all " + orders + " orders that were run end alike, with the same outputs";
    }
    if (orders <= spec.exploration().schedules()) {
      message +=
          "; the time limit ended the search after "
              + orders
              + " of "
              + (spec.exploration().schedules() + 1)
              + " orders";
    }
    return new FindingLine(
        Finding.Kind.SCHEDULE_SEARCH.name(),
        Finding.Kind.SCHEDULE_SEARCH.severity().name(),
        message,
        "run one of them alone, by its scheduleSeed (--schedule-seed on the command line); the"
            + " inputs stay the same",
        List.of(),
        null,
        null,
        null,
        null,
        null,
        null,
        List.of(),
        null);
  }

  private static String spelled(List<Long> seeds) {
    List<String> names = seeds.stream().limit(SPELLED_OUT).map(String::valueOf).toList();
    int more = seeds.size() - names.size();
    return (seeds.size() == 1 ? "seed " : "seeds ")
        + String.join(", ", names)
        + (more > 0 ? " and " + more + " more" : "");
  }

  private static long seed(ScriptRun.Result result) {
    return result.run().evidence().scheduleSeed();
  }

  private static ScriptRun.Result with(ScriptRun.Result result, String where, FindingLine finding) {
    JobReport.Run run = result.run();
    var findings = new ArrayList<>(run.findings());
    findings.add(finding);
    return new ScriptRun.Result(
        new JobReport.Run(
            run.id(),
            run.platform(),
            run.devices(),
            run.arguments(),
            run.verdict(),
            where + run.sentence(),
            run.diagnostics(),
            run.evidence(),
            run.checks(),
            findings,
            run.collectives(),
            run.barriers(),
            run.traffic(),
            run.tests(),
            run.timings(),
            run.log()),
        result.diagnostics(),
        result.lowered());
  }
}
