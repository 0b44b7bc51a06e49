package io.ringmaster.service.jobs;

import io.ringmaster.service.web.Wait;
import java.net.URI;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.stereotype.Component;

/** Replies that carry one job, with the headers that belong to it. */
@Component
public class JobReplies {

  private static final String RETRY_SECONDS = "1";

  private final JobViews views;

  public JobReplies(JobViews views) {
    this.views = views;
  }

  /** The reply to a submission: 200 with the finished job that was waited for, else 202. */
  public ResponseEntity<io.ringmaster.api.model.Job> submitted(
      Job job, Wait wait, boolean replayed) {
    var headers = headers(job, wait);
    headers.setLocation(URI.create("/api/v1/jobs/" + job.id()));
    if (replayed) {
      headers.set("Idempotency-Replayed", "true");
    }
    // Who didn't ask to wait gets one status, however fast the job was.
    boolean isAnswer = job.isFinished() && (replayed || !wait.time().isZero());
    return reply(job, isAnswer ? HttpStatus.OK : HttpStatus.ACCEPTED, headers);
  }

  ResponseEntity<io.ringmaster.api.model.Job> read(Job job, Wait wait) {
    return reply(job, HttpStatus.OK, headers(job, wait));
  }

  ResponseEntity<io.ringmaster.api.model.Job> cancelling(Job job) {
    var status = job.isFinished() ? HttpStatus.OK : HttpStatus.ACCEPTED;
    return reply(job, status, headers(job, Wait.of(null, null)));
  }

  ResponseEntity<io.ringmaster.api.model.Job> unchanged(Job job) {
    return ResponseEntity.status(HttpStatus.NOT_MODIFIED).eTag(tag(job)).build();
  }

  static String tag(Job job) {
    return "\"" + job.version() + "\"";
  }

  private static HttpHeaders headers(Job job, Wait wait) {
    var headers = new HttpHeaders();
    headers.setETag(tag(job));
    headers.setCacheControl("no-cache");
    wait.applied().ifPresent(applied -> headers.set("Preference-Applied", applied));
    if (!job.isFinished()) {
      headers.set(HttpHeaders.RETRY_AFTER, RETRY_SECONDS);
    }
    return headers;
  }

  private ResponseEntity<io.ringmaster.api.model.Job> reply(
      Job job, HttpStatus status, HttpHeaders headers) {
    return ResponseEntity.status(status).headers(headers).body(views.job(job));
  }
}
