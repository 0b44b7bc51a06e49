package io.ringmaster.service.events;

import io.ringmaster.api.server.EventsApi;
import io.ringmaster.service.jobs.JobReader;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.servlet.mvc.method.annotation.SseEmitter;

/** Streams events. The generated interface has texts for answers, not streams. */
@RestController
class EventsController {

  private final JobReader reader;
  private final EventStreams streams;

  EventsController(JobReader reader, EventStreams streams) {
    this.reader = reader;
    this.streams = streams;
  }

  @GetMapping(
      path = EventsApi.PATH_STREAM_JOB_EVENTS,
      produces = {MediaType.TEXT_EVENT_STREAM_VALUE, MediaType.APPLICATION_PROBLEM_JSON_VALUE})
  ResponseEntity<SseEmitter> stream(
      @PathVariable String jobId,
      @RequestHeader(name = "Last-Event-ID", required = false) @Nullable String last,
      HttpServletResponse response) {
    var job = reader.get(jobId);
    long sent = last == null || last.isEmpty() ? 0 : Long.parseLong(last);
    if (streams.isOver(job, sent)) {
      return ResponseEntity.noContent().build(); // it stops browsers from coming back again
    }
    response.setHeader("X-Accel-Buffering", "no"); // proxies that collect would hold events back
    return ResponseEntity.ok(streams.follow(job.id(), sent));
  }
}
