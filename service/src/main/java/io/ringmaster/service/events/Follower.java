package io.ringmaster.service.events;

import io.ringmaster.service.jobs.JobHistory;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.http.MediaType;
import org.springframework.web.servlet.mvc.method.annotation.SseEmitter;
import tools.jackson.databind.json.JsonMapper;

/**
 * One client that follows a job. It has no thread: one comes when there is something to send, and
 * goes when all is sent, so that a client that reads slowly keeps nobody else waiting.
 */
final class Follower {

  private static final Logger LOG = LoggerFactory.getLogger(Follower.class);

  private final SseEmitter emitter;
  private final Supplier<List<JobHistory.Event>> events;
  private final JsonMapper json;
  private final Runnable gone;
  private final AtomicInteger calls = new AtomicInteger();
  private long sent;
  private volatile boolean beatDue;
  private final Map<Integer, String> progress = new ConcurrentHashMap<>();
  private volatile boolean done;
  private final Map<Integer, String> shown = new HashMap<>();

  /**
   * A follower.
   *
   * @param sent the last event that the client has
   * @param events all that has happened so far
   * @param gone called once when there is nobody to send to any more
   */
  Follower(
      SseEmitter emitter,
      long sent,
      Supplier<List<JobHistory.Event>> events,
      JsonMapper json,
      Runnable gone) {
    this.emitter = emitter;
    this.sent = sent;
    this.events = events;
    this.json = json;
    this.gone = gone;
  }

  /** Sends what is new, soon. */
  void wake() {
    if (calls.getAndIncrement() == 0) {
      var _ = Thread.ofVirtual().name("events").start(this::drain);
    }
  }

  /** Sends a comment, so that proxies keep the connection and a dead one is noticed. */
  void beat() {
    beatDue = true;
    wake();
  }

  /** Sends what a run is doing, if it is doing something else than before. */
  void progress(int run, String data) {
    if (!data.equals(progress.put(run, data))) {
      wake();
    }
  }

  /** The process ends. */
  void end() {
    done = true;
    emitter.complete();
  }

  private void drain() {
    int seen = calls.get();
    do {
      try {
        sendNew();
        sendProgress();
        if (!done && beatDue) {
          beatDue = false;
          emitter.send(SseEmitter.event().comment("still here"));
        }
      } catch (IOException | IllegalStateException e) {
        LOG.debug("A follower is gone", e);
        done = true;
      }
      if (done) {
        gone.run();
        return;
      }
      seen = calls.addAndGet(-seen);
    } while (seen != 0);
  }

  private void sendNew() throws IOException {
    for (var event : events.get()) {
      if (done) {
        return;
      }
      if (event.id() > sent) {
        emitter.send(
            SseEmitter.event()
                .id(Long.toString(event.id()))
                .name(event.type().text())
                .data(json.writeValueAsString(EventViews.of(event)), MediaType.TEXT_PLAIN));
        sent = event.id();
      }
      // Nothing comes behind it, also for a client that has it already.
      if (event.type() == JobHistory.Type.FINISHED) {
        done = true;
        emitter.complete();
      }
    }
  }

  private void sendProgress() throws IOException {
    for (var one : progress.entrySet()) {
      if (!done && !one.getValue().equals(shown.put(one.getKey(), one.getValue()))) {
        emitter.send(
            SseEmitter.event().name("progress").data(one.getValue(), MediaType.TEXT_PLAIN));
      }
    }
  }
}
