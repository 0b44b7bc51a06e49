package io.ringmaster.service.jobs;

import io.ringmaster.api.model.ComparisonDifference;
import io.ringmaster.api.model.ComparisonOutcome;
import io.ringmaster.api.model.ComparisonTimes;
import io.ringmaster.api.model.DifferenceKind;
import io.ringmaster.worker.job.PlatformComparison;
import java.util.Optional;

/** Shows comparisons of runs the way the contract has them. */
final class ComparisonViews {

  private ComparisonViews() {}

  static io.ringmaster.api.model.PlatformComparison of(PlatformComparison found) {
    var view =
        new io.ringmaster.api.model.PlatformComparison(
            found.run(),
            found.platform(),
            found.referenceRun(),
            found.referencePlatform(),
            found.devices(),
            found.arguments(),
            ComparisonOutcome.fromValue(found.outcome().name()),
            found.sentence(),
            found.outputs(),
            found.identical(),
            found.close(),
            found.differences().stream().map(ComparisonViews::difference).toList(),
            times(found.times()),
            times(found.referenceTimes()));
    Optional.ofNullable(found.maxUlps()).ifPresent(view::setMaxUlps);
    return view;
  }

  private static ComparisonDifference difference(PlatformComparison.Difference found) {
    var view =
        new ComparisonDifference(
            DifferenceKind.fromValue(found.kind().name()),
            found.name(),
            found.place(),
            found.at(),
            found.value(),
            found.reference(),
            found.mismatches(),
            found.elements());
    Optional.ofNullable(found.rank()).ifPresent(view::setRank);
    return view;
  }

  private static ComparisonTimes times(PlatformComparison.Times times) {
    var view = new ComparisonTimes(times.wallNanos());
    Optional.ofNullable(times.virtualNanos()).ifPresent(view::setVirtualNanos);
    return view;
  }
}
