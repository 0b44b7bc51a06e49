package io.ringmaster.service.baselines;

import io.ringmaster.service.baselines.Comparison.Kind;
import io.ringmaster.service.baselines.Comparison.RunPair;
import io.ringmaster.service.jobs.Job;
import io.ringmaster.service.jobs.JobFilter;
import io.ringmaster.service.jobs.JobReports;
import io.ringmaster.service.jobs.JobStore;
import io.ringmaster.service.jobs.Requester;
import io.ringmaster.service.platforms.PlatformCatalog;
import io.ringmaster.service.problems.ProblemCode;
import io.ringmaster.service.problems.ProblemException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.springframework.stereotype.Service;

/** Compares finished jobs with baselines or with each other, and says what came out in words. */
@Service
class Comparisons {

  private static final int MOST_SAID = 4;

  private final Baselines baselines;
  private final JobStore jobs;
  private final JobReports reports;
  private final Requester requester;
  private final PlatformCatalog platforms;

  Comparisons(
      Baselines baselines,
      JobStore jobs,
      JobReports reports,
      Requester requester,
      PlatformCatalog platforms) {
    this.baselines = baselines;
    this.jobs = jobs;
    this.reports = reports;
    this.requester = requester;
    this.platforms = platforms;
  }

  /**
   * A comparison in full.
   *
   * @param against what it was compared with; empty when there is nothing
   */
  record Result(
      Job job, Comparison comparison, String sentence, Optional<ApprovedResult> against) {}

  /**
   * With a baseline's approved result for the job's name.
   *
   * @throws ProblemException NOT_FOUND, NOT_FINISHED, NOT_COMPARABLE
   */
  Result withBaseline(String jobId, String name, boolean anyway) {
    var job = baselines.finished(jobId);
    var baseline = baselines.get(name);
    var approved = baseline.approvedFor(job.name());
    var what =
        "baseline "
            + name
            + approved.map(some -> ", revision " + some.revision() + labels(some)).orElse("");
    return result(job, approved, what, baseline.tolerancePercent(), anyway);
  }

  /** With the newest other finished job of the same name that has all these labels. */
  Result withLabels(String jobId, Map<String, String> labels, boolean anyway) {
    var job = baselines.finished(jobId);
    var other =
        jobs
            .list(JobFilter.finished(job.name(), labels, requester.seesOnly()), Optional.empty(), 2)
            .stream()
            .filter(some -> !some.id().equals(jobId))
            .findFirst()
            .map(this::asApproved);
    var what =
        other
            .map(some -> "job " + some.jobId() + labels(some))
            .orElse("finished jobs with " + text(labels));
    return result(job, other, what, 0, anyway);
  }

  private ApprovedResult asApproved(Job job) {
    return new ApprovedResult(
        job.id(),
        job.name(),
        0,
        job.id(),
        job.labels(),
        "",
        job.owner(),
        job.finishedAt().orElse(job.createdAt()),
        "",
        RunNumbers.of(job, reports.report(job)));
  }

  private Result result(
      Job job, Optional<ApprovedResult> against, String what, double tolerance, boolean anyway) {
    var now = RunNumbers.of(job, reports.report(job));
    var before = against.map(ApprovedResult::runs).orElse(List.of());
    var reasons = against.map(some -> reasons(job, now, some)).orElse(List.of());
    if (!reasons.isEmpty() && !anyway) {
      throw new ProblemException(
          ProblemCode.NOT_COMPARABLE,
          "Job %s and %s say nothing of each other: %s. Run it as that one was, or ask with anyway=true."
              .formatted(job.id(), what, String.join("; ", reasons)));
    }
    var comparison = new RunComparer(tolerance).compare(now, before);
    var sentence =
        sentence(job, comparison, what)
            + (reasons.isEmpty() ? "" : " (compared although " + String.join("; ", reasons) + ")");
    return new Result(job, comparison, sentence, against);
  }

  /** Why the numbers of the two can't be held against each other. */
  private List<String> reasons(Job job, List<RunNumbers> now, ApprovedResult against) {
    var reasons = new LinkedHashSet<String>();
    var state = job.labels().getOrDefault(ApprovedResult.STATE, "");
    if (!state.equals(against.state())) {
      reasons.add(
          "its label state is %s, the other's is %s"
              .formatted(named(state), named(against.state())));
    }
    for (var pair : RunComparer.pairs(now, against.runs())) {
      if (pair.now().isPresent() && pair.before().isPresent()) {
        reasons(pair.now().get(), pair.before().get(), reasons);
      }
    }
    return List.copyOf(reasons);
  }

  private void reasons(RunNumbers now, RunNumbers before, Set<String> reasons) {
    if (!now.surroundings().equals(before.surroundings())) {
      reasons.add(
          "%s ran under %s, the other under %s"
              .formatted(
                  now.title(),
                  named(String.join(", ", now.surroundings())),
                  named(String.join(", ", before.surroundings()))));
    }
    // Simulated devices are all alike; of real ones each has its own clock and its own neighbours.
    if (!platforms.isSimulated(now.platform()) && !now.devices().equals(before.devices())) {
      reasons.add(
          "%s ran on devices %s, the other on %s"
              .formatted(now.title(), now.devices(), before.devices()));
    }
  }

  private static String named(String value) {
    return value.isEmpty() ? "nothing" : value;
  }

  private static String labels(ApprovedResult result) {
    return result.labels().isEmpty() ? "" : " (" + text(result.labels()) + ")";
  }

  private static String text(Map<String, String> labels) {
    return labels.entrySet().stream()
        .map(label -> label.getKey() + "=" + label.getValue())
        .collect(Collectors.joining(", "));
  }

  private static String sentence(Job job, Comparison comparison, String what) {
    return switch (comparison.kind()) {
      case NEW ->
          "new: there is nothing to compare %s with in %s; %s"
              .formatted(newOnes(job, comparison), what, figures(job, comparison));
      case SAME -> "same as %s: %s".formatted(what, figures(job, comparison));
      case FIXED -> "fixed against %s: %s".formatted(what, said(comparison, Kind.FIXED));
      case CHANGED -> "changed against %s: %s".formatted(what, said(comparison, Kind.CHANGED));
    };
  }

  private static String newOnes(Job job, Comparison comparison) {
    var titles =
        comparison.runs().stream()
            .filter(pair -> pair.kind() == Kind.NEW)
            .map(RunPair::title)
            .toList();
    return titles.size() == comparison.runs().size() ? job.name() : String.join(", ", titles);
  }

  private static String figures(Job job, Comparison comparison) {
    var runs = comparison.runs().stream().flatMap(pair -> pair.now().stream()).toList();
    return "%s, %d %s, %d %s, virtual time %,d ns, %,d payload bytes, %,d wire bytes"
        .formatted(
            job.verdict().orElseThrow(),
            runs.size(),
            runs.size() == 1 ? "run" : "runs",
            runs.stream().mapToInt(run -> run.checks().size()).sum(),
            runs.stream().mapToInt(run -> run.checks().size()).sum() == 1 ? "check" : "checks",
            runs.stream().mapToLong(RunNumbers::virtualNanos).sum(),
            runs.stream().mapToLong(RunNumbers::payloadBytes).sum(),
            runs.stream().mapToLong(RunNumbers::wireBytes).sum());
  }

  private static String said(Comparison comparison, Kind kind) {
    var all = new ArrayList<String>();
    for (var pair : comparison.runs()) {
      if (pair.kind() == kind) {
        pair.changes().forEach(change -> all.add(pair.title() + ": " + change.message()));
      }
    }
    var first = String.join("; ", all.subList(0, Math.min(all.size(), MOST_SAID)));
    return all.size() > MOST_SAID ? first + "; and " + (all.size() - MOST_SAID) + " more" : first;
  }
}
