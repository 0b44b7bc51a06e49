package io.ringmaster.service.baselines;

import io.ringmaster.api.model.Approved;
import io.ringmaster.api.model.BaselineSummary;
import io.ringmaster.api.model.Change;
import io.ringmaster.api.model.CheckNumbers;
import io.ringmaster.api.model.CollectiveNumbers;
import io.ringmaster.api.model.ComparisonKind;
import io.ringmaster.api.model.RunComparison;
import io.ringmaster.service.jobs.JobViews;
import java.math.BigDecimal;
import java.util.List;
import java.util.Optional;

/** Shows baselines and comparisons the way the contract has them. */
final class BaselineViews {

  private BaselineViews() {}

  static io.ringmaster.api.model.Baseline baseline(Baseline baseline) {
    return new io.ringmaster.api.model.Baseline(
        baseline.name(),
        baseline.owner(),
        baseline.description(),
        BigDecimal.valueOf(baseline.tolerancePercent()),
        JobViews.time(baseline.createdAt()),
        JobViews.time(baseline.updatedAt()),
        baseline.approved().stream().map(BaselineViews::approved).toList());
  }

  static BaselineSummary summary(BaselineStore.Summary summary) {
    var baseline = summary.baseline();
    return new BaselineSummary(
        baseline.name(),
        baseline.owner(),
        baseline.description(),
        JobViews.time(baseline.updatedAt()),
        summary.names());
  }

  static Approved approved(ApprovedResult result) {
    return new Approved(
        result.name(),
        result.revision(),
        result.jobId(),
        result.labels(),
        result.state(),
        result.digest(),
        result.approvedBy(),
        JobViews.time(result.approvedAt()),
        result.note(),
        result.runs().stream().map(BaselineViews::numbers).toList());
  }

  private static io.ringmaster.api.model.RunNumbers numbers(RunNumbers run) {
    return new io.ringmaster.api.model.RunNumbers(
        run.platform(),
        run.devices(),
        run.arguments(),
        run.surroundings(),
        JobViews.verdict(run.verdict()),
        run.outputDigest(),
        run.virtualNanos(),
        run.payloadBytes(),
        run.wireBytes(),
        run.checks().stream().map(BaselineViews::check).toList(),
        run.collectives().stream()
            .map(
                one ->
                    new CollectiveNumbers(
                        one.name(), one.virtualNanos(), one.payloadBytes(), one.wireBytes()))
            .toList());
  }

  private static CheckNumbers check(RunNumbers.CheckNumbers check) {
    var view = new CheckNumbers(check.name(), check.passed(), check.elements(), check.mismatches());
    view.setMaxAbsDifference(check.maxAbsDifference());
    return view;
  }

  static io.ringmaster.api.model.Comparison comparison(
      Comparisons.Result result, Optional<String> baseline) {
    var comparison = result.comparison();
    var view =
        new io.ringmaster.api.model.Comparison(
            kind(comparison.kind()),
            result.sentence(),
            JobViews.verdict(result.job().verdict().orElseThrow()),
            comparison.runs().stream().map(BaselineViews::run).toList());
    baseline.ifPresent(view::setBaseline);
    result
        .against()
        .ifPresent(
            against -> {
              view.setJobId(against.jobId());
              view.setLabels(against.labels());
              if (baseline.isPresent()) {
                view.setRevision(against.revision());
              }
            });
    return view;
  }

  private static RunComparison run(Comparison.RunPair pair) {
    List<Change> changes =
        pair.changes().stream()
            .map(
                change -> {
                  var view =
                      new Change(change.what(), change.before(), change.now(), change.message());
                  if (!change.where().isEmpty()) {
                    view.setWhere(change.where());
                  }
                  return view;
                })
            .toList();
    var view = new RunComparison(kind(pair.kind()), pair.title(), changes);
    pair.now().ifPresent(now -> view.setNow(numbers(now)));
    pair.before().ifPresent(before -> view.setBefore(numbers(before)));
    return view;
  }

  private static ComparisonKind kind(Comparison.Kind kind) {
    return ComparisonKind.fromValue(kind.name());
  }
}
