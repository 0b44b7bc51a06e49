package io.ringmaster.service.jobs;

/** What happens to jobs that other features act on; published after the commit. */
public final class JobEvents {

  private JobEvents() {}

  /** A job is in the queue. */
  public record Submitted(String jobId, String platform) {}

  /** Somebody wants a running job to stop. */
  public record CancelRequested(String jobId) {}

  /** A run has ended without ever having started. */
  public record EndedInQueue(Run run) {}
}
