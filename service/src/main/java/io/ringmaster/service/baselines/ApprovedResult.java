package io.ringmaster.service.baselines;

import java.time.Instant;
import java.util.List;
import java.util.Map;

/**
 * A result that somebody approved, or one that stands in for it.
 *
 * @param id row of the approval
 * @param name the job's name
 * @param revision counts the approvals for this name in its baseline
 * @param labels those of the job
 * @param digest equal for equal results
 */
record ApprovedResult(
    String id,
    String name,
    int revision,
    String jobId,
    Map<String, String> labels,
    String digest,
    String approvedBy,
    Instant approvedAt,
    String note,
    List<RunNumbers> runs) {

  /** The label in which a pipeline says what the platform can't know: caches warm or cold. */
  static final String STATE = "state";

  String state() {
    return labels.getOrDefault(STATE, "");
  }
}
