package io.ringmaster.service.jobs;

/** What happens to jobs that other features act on; published after the commit, if there is one. */
public final class JobEvents {

  private JobEvents() {}

  /** A job is in the queue. */
  public record Submitted(String jobId, String platform) {}

  /**
   * A submission was refused, since its owner has too much already.
   *
   * @param quota the name of the quota that is used up
   */
  public record QuotaExceeded(String quota) {}

  /** Somebody wants a running job to stop. */
  public record CancelRequested(String jobId) {}

  /** A run has ended without ever having started. */
  public record EndedInQueue(Run run) {}
}
