package io.ringmaster.service.jobs;

import io.ringmaster.worker.job.Verdict;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Which jobs a list shows. */
public record JobFilter(
    Optional<State> state,
    Optional<Verdict> verdict,
    Optional<String> platform,
    Optional<String> pool,
    Optional<String> name,
    Map<String, String> labels,
    Optional<Instant> createdAfter,
    Optional<Instant> createdBefore,
    Optional<String> owner) {

  /** Labels from parameters written {@code key:value}; the contract has checked the form. */
  public static Map<String, String> labels(@Nullable List<String> parameters) {
    var labels = new LinkedHashMap<String, String>();
    for (var label : parameters == null ? List.<String>of() : parameters) {
      int colon = label.indexOf(':');
      labels.put(label.substring(0, colon), label.substring(colon + 1));
    }
    return labels;
  }

  /** Finished jobs of a name with these labels. */
  public static JobFilter finished(
      String name, Map<String, String> labels, Optional<String> owner) {
    return new JobFilter(
        Optional.of(State.FINISHED),
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        Optional.of(name),
        labels,
        Optional.empty(),
        Optional.empty(),
        owner);
  }
}
