package io.ringmaster.worker.job;

/** Where jobs for platform opencl are executed: in this process, or better in one of its own. */
public interface AcceleratorHost {

  /** What there is to compute with; found out once and then known. */
  Accelerators accelerators();

  /**
   * Runs a job for platform opencl; there is a device.
   *
   * @return its report; what happens to the process that runs it is a verdict, too
   */
  JobReport run(JobSpec spec, RunControl control);
}
