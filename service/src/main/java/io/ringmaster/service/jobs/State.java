package io.ringmaster.service.jobs;

/** Where a job or a run is. */
public enum State {
  QUEUED,
  RUNNING,
  FINISHED
}
