package io.ringmaster.service.events;

import io.ringmaster.service.config.RingmasterProperties;
import io.ringmaster.service.jobs.Job;
import io.ringmaster.service.jobs.JobChanges;
import io.ringmaster.service.jobs.JobHistory;
import io.ringmaster.service.jobs.JobStore;
import io.ringmaster.service.jobs.LiveRuns;
import io.ringmaster.service.jobs.State;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.event.ContextClosedEvent;
import org.springframework.context.event.EventListener;
import org.springframework.stereotype.Component;
import org.springframework.web.servlet.mvc.method.annotation.SseEmitter;
import tools.jackson.databind.json.JsonMapper;

/**
 * Lets clients follow jobs. Changes of this process are told by {@link JobChanges}, those of others
 * are found by looking once a second, in one query for all jobs that are followed.
 */
@Component
class EventStreams {

  private static final Logger LOG = LoggerFactory.getLogger(EventStreams.class);
  private static final Duration LOOK_AGAIN = Duration.ofSeconds(1);

  /** For so many jobs a second it is looked up what their runs are doing. */
  private static final int MOST_PROGRESS = 100;

  private static final int MOST_ASKED = 1000;

  private final JobHistory history;
  private final JobStore jobs;
  private final LiveRuns live;
  private final InstantSource clock;
  private final JsonMapper json;
  private final long heartbeatNanos;
  private final Map<String, Topic> topics = new ConcurrentHashMap<>();
  private final ScheduledExecutorService timer =
      Executors.newSingleThreadScheduledExecutor(
          Thread.ofPlatform().daemon().name("event-streams").factory());
  private long lastBeat = System.nanoTime();

  EventStreams(
      JobHistory history,
      JobStore jobs,
      JobChanges changes,
      LiveRuns live,
      InstantSource clock,
      JsonMapper json,
      RingmasterProperties properties) {
    this.history = history;
    this.jobs = jobs;
    this.live = live;
    this.clock = clock;
    this.json = json;
    this.heartbeatNanos = properties.events().heartbeat().toNanos();
    changes.follow(this::changed);
    long pause = Math.min(LOOK_AGAIN.toMillis(), properties.events().heartbeat().toMillis());
    var _ = timer.scheduleWithFixedDelay(this::look, pause, pause, TimeUnit.MILLISECONDS);
  }

  private void changed(String jobId) {
    var topic = topics.get(jobId);
    if (topic != null) {
      var _ = Thread.ofVirtual().name("events").start(topic::refresh);
    }
  }

  /**
   * Whether nothing will ever come after that event: the client has the end of the job, or it ended
   * when events weren't kept yet.
   */
  boolean isOver(Job job, long last) {
    return job.isFinished() && history.after(job.id(), last).isEmpty();
  }

  /** Starts to send a client what happens to a job, after the event that it has last. */
  SseEmitter follow(String jobId, long last) {
    var emitter = new SseEmitter(0L);
    var follower = new Follower[1];
    var topic =
        topics.compute(
            jobId,
            (_, known) -> {
              var some = known == null ? new Topic(jobId, history) : known;
              var one =
                  new Follower(emitter, last, some::events, json, () -> leave(jobId, follower[0]));
              follower[0] = one;
              some.followers().add(one);
              return some;
            });
    emitter.onCompletion(() -> leave(jobId, follower[0]));
    emitter.onError(_ -> leave(jobId, follower[0]));
    topic.refresh();
    return emitter;
  }

  private void leave(String jobId, Follower follower) {
    topics.computeIfPresent(
        jobId,
        (_, topic) -> {
          topic.followers().remove(follower);
          return topic.followers().isEmpty() ? null : topic;
        });
  }

  /** How many clients follow something. */
  int followers() {
    return topics.values().stream().mapToInt(topic -> topic.followers().size()).sum();
  }

  private void look() {
    try {
      var all = List.copyOf(topics.values());
      for (int from = 0; from < all.size(); from += MOST_ASKED) {
        var some = all.subList(from, Math.min(all.size(), from + MOST_ASKED));
        var newest = history.newest(some.stream().map(Topic::jobId).toList());
        some.stream()
            .filter(topic -> newest.getOrDefault(topic.jobId(), 0L) > topic.newest())
            .forEach(Topic::refresh);
      }
      all.stream().filter(Topic::isRunning).limit(MOST_PROGRESS).forEach(this::progress);
      beat(all);
    } catch (RuntimeException e) {
      // The database is away, say; the clients see heartbeats and then go on.
      LOG.warn("Can't see what happens to {} followed jobs", topics.size(), e);
      beat(List.copyOf(topics.values()));
    }
  }

  private void progress(Topic topic) {
    jobs.find(topic.jobId()).ifPresent(job -> progress(topic, job));
  }

  private void progress(Topic topic, Job job) {
    for (var run : job.runs()) {
      if (run.state() == State.RUNNING) {
        live.phase(run.id())
            .ifPresent(
                phase -> {
                  var at = run.startedAt().orElse(clock.instant());
                  var data =
                      json.writeValueAsString(
                          EventViews.progress(job.id(), at, run.place(), phase));
                  topic.followers().forEach(follower -> follower.progress(run.place(), data));
                });
      }
    }
  }

  private void beat(List<Topic> all) {
    if (System.nanoTime() - lastBeat >= heartbeatNanos) {
      lastBeat = System.nanoTime();
      all.forEach(topic -> topic.followers().forEach(Follower::beat));
    }
  }

  /** Streams are requests without end: the process would wait for them. */
  @EventListener
  void closing(ContextClosedEvent event) {
    timer.shutdownNow();
    topics.values().forEach(topic -> topic.followers().forEach(Follower::end));
  }
}
