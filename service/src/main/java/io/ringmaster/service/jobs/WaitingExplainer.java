package io.ringmaster.service.jobs;

import java.util.Optional;

/** Says why a queued job has not started; placement knows. */
public interface WaitingExplainer {

  /**
   * Why, and how many are ahead.
   *
   * @param reason one of the contract's reasons
   * @param position runs ahead of the job's first queued run
   */
  record Reason(String reason, String detail, long position) {}

  /** Empty when nothing of the job waits any more. */
  Optional<Reason> explain(Job job);
}
