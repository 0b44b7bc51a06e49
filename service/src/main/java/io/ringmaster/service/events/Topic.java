package io.ringmaster.service.events;

import io.ringmaster.service.jobs.JobHistory;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;

/** One job that is followed: what has happened to it, read once for all its followers. */
final class Topic {

  private final String jobId;
  private final JobHistory history;
  private final Set<Follower> followers = ConcurrentHashMap.newKeySet();
  private final ReentrantLock reading = new ReentrantLock();
  private volatile List<JobHistory.Event> events = List.of();

  Topic(String jobId, JobHistory history) {
    this.jobId = jobId;
    this.history = history;
  }

  String jobId() {
    return jobId;
  }

  List<JobHistory.Event> events() {
    return events;
  }

  Set<Follower> followers() {
    return followers;
  }

  long newest() {
    return events.isEmpty() ? 0 : events.getLast().id();
  }

  /** Whether a run has started of which no end is known. */
  boolean isRunning() {
    long started =
        events.stream().filter(event -> event.type() == JobHistory.Type.RUN_STARTED).count();
    long ended =
        events.stream()
            .filter(
                event ->
                    event.type() == JobHistory.Type.RUN_FINISHED
                        || event.type() == JobHistory.Type.RUN_REQUEUED)
            .count();
    return started > ended;
  }

  /** Reads what is new and wakes the followers. */
  void refresh() {
    reading.lock();
    try {
      var more = history.after(jobId, newest());
      if (!more.isEmpty()) {
        var all = new ArrayList<>(events);
        all.addAll(more);
        events = List.copyOf(all);
      }
    } finally {
      reading.unlock();
    }
    followers.forEach(Follower::wake);
  }
}
