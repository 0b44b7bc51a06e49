package io.ringmaster.service.submissions;

import io.ringmaster.api.server.RerunsApi;
import io.ringmaster.service.jobs.Job;
import io.ringmaster.service.jobs.JobReader;
import io.ringmaster.service.jobs.JobReplies;
import io.ringmaster.service.jobs.JobSubmitter;
import io.ringmaster.service.jobs.Run;
import io.ringmaster.service.jobs.Submission;
import io.ringmaster.service.web.Wait;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.RestController;

/** Submits jobs once more, from what is kept of them. */
@RestController
class RerunController implements RerunsApi {

  private final JobReader reader;
  private final SubmissionReader rules;
  private final JobSubmitter submitter;
  private final JobReplies replies;

  RerunController(
      JobReader reader, SubmissionReader rules, JobSubmitter submitter, JobReplies replies) {
    this.reader = reader;
    this.rules = rules;
    this.submitter = submitter;
    this.replies = replies;
  }

  @Override
  public ResponseEntity<io.ringmaster.api.model.Job> rerunJob(
      String jobId, @Nullable Integer wait, @Nullable String prefer) {
    var submission = again(reader.get(jobId));
    rules.refuseUnplaceable(submission);
    var accepted = submitter.submit(submission, Optional.empty());
    var patience = Wait.of(wait, prefer);
    var job = reader.awaitEnd(accepted.jobId(), patience.time());
    return replies.submitted(job, patience, false);
  }

  private Submission again(Job job) {
    var source = reader.source(job);
    var first = job.runs().getFirst();
    var devices =
        job.runs().stream()
            .filter(run -> run.platform().equals(first.platform()))
            .filter(run -> run.arguments().equals(first.arguments()))
            .map(Run::request)
            .toList();
    return new Submission(
        job.name(),
        Submission.Script.of(job.scriptName(), source),
        job.platforms(),
        devices,
        first.wantedPool(),
        job.argumentSets(),
        job.seed(),
        job.circumstances(),
        Optional.of(job.id()),
        job.priority(),
        new TreeMap<>(job.labels()),
        job.limits());
  }
}
