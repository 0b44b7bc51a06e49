package io.ringmaster.service.security;

/** What somebody may do. */
public enum Role {
  /** Read everything. */
  VIEWER,
  /** Submit, and read, cancel and remove what is one's own. */
  SUBMITTER,
  /** All of it, for everybody's jobs. */
  OPERATOR,
  /** Execute runs. */
  WORKER
}
