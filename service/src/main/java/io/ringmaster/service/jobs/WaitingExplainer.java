package io.ringmaster.service.jobs;

import java.util.Collection;
import java.util.Map;

/** Says why queued jobs have not started; placement knows. */
public interface WaitingExplainer {

  /**
   * Why, and how many are ahead.
   *
   * @param reason one of the contract's reasons
   * @param position runs ahead of the job's first queued run
   */
  record Reason(String reason, String detail, long position) {}

  /** The reasons by job id; those of which nothing waits any more have none. */
  Map<String, Reason> explain(Collection<Job> jobs);
}
