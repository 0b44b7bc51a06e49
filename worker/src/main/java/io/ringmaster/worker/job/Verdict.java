package io.ringmaster.worker.job;

/** What came out of a job; exactly one, set once. The order is the order of precedence. */
public enum Verdict {
  CANCELLED,
  REJECTED,
  OUT_OF_BOUNDS,
  MISMATCH,
  DEADLOCK,
  RACE,
  WRONG_RESULT,
  ERROR,
  TIMED_OUT,
  RESOURCE,
  WORKER_LOST,
  INFRA,
  NOT_VERIFIED,
  PASSED
}
