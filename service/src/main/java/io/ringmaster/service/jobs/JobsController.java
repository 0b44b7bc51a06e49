package io.ringmaster.service.jobs;

import io.ringmaster.api.model.JobList;
import io.ringmaster.api.model.JobReport;
import io.ringmaster.api.server.JobsApi;
import io.ringmaster.service.web.PageTokens;
import io.ringmaster.service.web.Pages;
import io.ringmaster.service.web.Wait;
import java.nio.charset.StandardCharsets;
import java.time.OffsetDateTime;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.http.ContentDisposition;
import org.springframework.http.HttpHeaders;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.RestController;

/** Lists, reads, cancels and removes jobs. */
@RestController
class JobsController implements JobsApi {

  private final Requester requester;
  private final JobReader reader;
  private final JobStore store;
  private final JobCanceller canceller;
  private final JobReports reports;
  private final JobReplies replies;
  private final JobViews views;

  JobsController(
      JobReader reader,
      JobStore store,
      JobCanceller canceller,
      JobReports reports,
      JobReplies replies,
      JobViews views,
      Requester requester) {
    this.requester = requester;
    this.reader = reader;
    this.store = store;
    this.canceller = canceller;
    this.reports = reports;
    this.replies = replies;
    this.views = views;
  }

  @Override
  public ResponseEntity<io.ringmaster.api.model.Job> getJob(
      String jobId, @Nullable Integer wait, @Nullable String prefer, @Nullable String ifNoneMatch) {
    var patience = Wait.of(wait, prefer);
    if (ifNoneMatch == null) {
      return replies.read(reader.awaitEnd(jobId, patience.time()), patience);
    }
    var job = reader.await(jobId, patience.time(), some -> !matches(ifNoneMatch, some));
    return matches(ifNoneMatch, job) ? replies.unchanged(job) : replies.read(job, patience);
  }

  private static boolean matches(String ifNoneMatch, Job job) {
    return Arrays.stream(ifNoneMatch.split(",", -1))
        .map(tag -> tag.strip().replaceFirst("^W/", ""))
        .anyMatch(tag -> tag.equals("*") || tag.equals(JobReplies.tag(job)));
  }

  @Override
  public ResponseEntity<JobList> listJobs(
      io.ringmaster.api.model.@Nullable State state,
      io.ringmaster.api.model.@Nullable Verdict verdict,
      @Nullable String platform,
      @Nullable String pool,
      @Nullable String name,
      @Nullable List<String> label,
      @Nullable OffsetDateTime createdAfter,
      @Nullable OffsetDateTime createdBefore,
      Integer pageSize,
      @Nullable String pageToken) {
    Object[] filters = {state, verdict, platform, pool, name, label, createdAfter, createdBefore};
    var filter =
        new JobFilter(
            Optional.ofNullable(state).map(some -> State.valueOf(some.name())),
            Optional.ofNullable(verdict)
                .map(some -> io.ringmaster.worker.job.Verdict.valueOf(some.name())),
            Optional.ofNullable(platform),
            Optional.ofNullable(pool),
            Optional.ofNullable(name),
            JobFilter.labels(label),
            Optional.ofNullable(createdAfter).map(OffsetDateTime::toInstant),
            Optional.ofNullable(createdBefore).map(OffsetDateTime::toInstant),
            requester.seesOnly());
    var jobs = store.list(filter, PageTokens.read(pageToken, filters), pageSize + 1);
    return Pages.reply(
        jobs,
        pageSize,
        page -> new JobList(views.jobs(page)),
        JobList::setNextPageToken,
        Job::id,
        filters);
  }

  @Override
  public ResponseEntity<io.ringmaster.api.model.Job> cancelJob(String jobId) {
    canceller.cancel(reader.get(jobId).id());
    return replies.cancelling(reader.get(jobId));
  }

  @Override
  public ResponseEntity<Void> deleteJob(String jobId) {
    canceller.delete(reader.get(jobId).id());
    return ResponseEntity.noContent().build();
  }

  @Override
  public ResponseEntity<JobReport> getJobReport(String jobId) {
    return ResponseEntity.ok(reports.view(reader.get(jobId)));
  }

  @Override
  public ResponseEntity<String> getJobJunit(String jobId) {
    return ResponseEntity.ok(reports.junit(reader.get(jobId)));
  }

  @Override
  public ResponseEntity<String> getJobSource(String jobId) {
    var job = reader.get(jobId);
    var source = reader.source(job);
    return ResponseEntity.ok()
        .header(HttpHeaders.CONTENT_DISPOSITION, attachment(job.scriptName()))
        .header(HttpHeaders.CONTENT_TYPE, "text/x-python;charset=UTF-8")
        .body(new String(source, StandardCharsets.UTF_8));
  }

  private static String attachment(String name) {
    return ContentDisposition.attachment()
        .filename(name, StandardCharsets.UTF_8)
        .build()
        .toString();
  }
}
