package io.ringmaster.service.jobs;

import java.util.Optional;

/** What is known of runs while they run; the workers know. */
public interface LiveRuns {

  /** What the run is doing: compiling, running, verifying. */
  Optional<String> phase(String runId);

  /** What its script has printed so far. */
  Optional<String> log(String runId);
}
