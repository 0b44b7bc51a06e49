package io.ringmaster.service.jobs;

import io.ringmaster.worker.job.Verdict;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;

/** Which jobs a list shows. */
public record JobFilter(
    Optional<State> state,
    Optional<Verdict> verdict,
    Optional<String> platform,
    Optional<String> name,
    Map<String, String> labels,
    Optional<Instant> createdAfter,
    Optional<Instant> createdBefore,
    Optional<String> owner) {}
