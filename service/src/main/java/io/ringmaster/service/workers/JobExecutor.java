package io.ringmaster.service.workers;

import io.ringmaster.worker.job.JobReport;
import io.ringmaster.worker.job.JobSpec;
import io.ringmaster.worker.job.RunControl;

/**
 * The door to what runs kernels. Called from a thread of its own; must return soon after the
 * control says cancelled.
 */
public interface JobExecutor {

  /**
   * Executes a job with one device list.
   *
   * @return what came out; faults of the kernel are verdicts, not exceptions
   */
  JobReport run(JobSpec spec, RunControl control);
}
