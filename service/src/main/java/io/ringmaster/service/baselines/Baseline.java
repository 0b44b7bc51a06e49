package io.ringmaster.service.baselines;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * A set of approved results under one name, such as that of a branch.
 *
 * @param tolerancePercent by how much a virtual time may differ and still count as the same
 * @param version grows with every change
 * @param approved what stands now, by job name
 */
record Baseline(
    String name,
    String owner,
    String description,
    double tolerancePercent,
    long version,
    Instant createdAt,
    Instant updatedAt,
    List<ApprovedResult> approved) {

  Baseline withApproved(List<ApprovedResult> results) {
    return new Baseline(
        name, owner, description, tolerancePercent, version, createdAt, updatedAt, results);
  }

  Optional<ApprovedResult> approvedFor(String jobName) {
    return approved.stream().filter(some -> some.name().equals(jobName)).findFirst();
  }
}
