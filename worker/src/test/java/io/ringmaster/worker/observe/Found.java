package io.ringmaster.worker.observe;

import io.ringmaster.worker.fabric.Finding;
import io.ringmaster.worker.fabric.Finding.Kind;
import java.util.List;

/** Picks findings out of an observation. */
final class Found {

  private Found() {}

  static List<Finding> of(Observation observation, Kind kind) {
    return observation.findings().stream().filter(finding -> finding.kind() == kind).toList();
  }

  static List<Kind> kinds(Observation observation) {
    return observation.findings().stream().map(Finding::kind).toList();
  }

  /** Kinds that make a job fail. */
  static List<Kind> errors(Observation observation) {
    return observation.findings().stream()
        .filter(finding -> finding.severity() == Finding.Severity.ERROR)
        .map(Finding::kind)
        .toList();
  }
}
