package io.ringmaster.service.submissions;

import io.ringmaster.api.model.CompileResult;
import io.ringmaster.api.model.Stage;
import io.ringmaster.api.server.SubmissionsApi;
import io.ringmaster.service.jobs.JobReader;
import io.ringmaster.service.jobs.JobReplies;
import io.ringmaster.service.jobs.JobSubmitter;
import io.ringmaster.service.problems.DiagnosticViews;
import io.ringmaster.service.web.Wait;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import java.io.IOException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/**
 * Takes scripts in. It doesn't implement the generated interface, whose methods get the body when
 * it is already an object: too late to name every unknown field and every byte that is no UTF-8.
 */
@RestController
class SubmissionsController {

  private final SubmissionReader submissions;
  private final JobSubmitter submitter;
  private final JobReader reader;
  private final JobReplies replies;
  private final CompileDesk compiler;

  SubmissionsController(
      SubmissionReader submissions,
      JobSubmitter submitter,
      JobReader reader,
      JobReplies replies,
      CompileDesk compiler) {
    this.submissions = submissions;
    this.submitter = submitter;
    this.reader = reader;
    this.replies = replies;
    this.compiler = compiler;
  }

  @PostMapping(
      path = SubmissionsApi.PATH_SUBMIT_JOB,
      consumes = {MediaType.APPLICATION_JSON_VALUE, MediaType.MULTIPART_FORM_DATA_VALUE},
      produces = {MediaType.APPLICATION_JSON_VALUE, MediaType.APPLICATION_PROBLEM_JSON_VALUE})
  ResponseEntity<io.ringmaster.api.model.Job> submit(
      HttpServletRequest request,
      @RequestParam(required = false) @Nullable Integer wait,
      @RequestHeader(name = "Prefer", required = false) @Nullable String prefer,
      @RequestHeader(name = "Idempotency-Key", required = false) @Nullable String key)
      throws IOException, ServletException {
    var submission = submissions.read(request);
    compiler.check(submission.script());
    var accepted = submitter.submit(submission, Optional.ofNullable(key));
    var patience = Wait.of(wait, prefer);
    var job = reader.awaitEnd(accepted.jobId(), patience.time());
    return replies.submitted(job, patience, accepted.replayed());
  }

  @PostMapping(
      path = SubmissionsApi.PATH_COMPILE_SCRIPT,
      consumes = {MediaType.APPLICATION_JSON_VALUE, MediaType.MULTIPART_FORM_DATA_VALUE},
      produces = {MediaType.APPLICATION_JSON_VALUE, MediaType.APPLICATION_PROBLEM_JSON_VALUE})
  ResponseEntity<CompileResult> compile(HttpServletRequest request)
      throws IOException, ServletException {
    var asked = submissions.readCompilation(request);
    var compiled = compiler.compile(asked);
    return ResponseEntity.ok(
        new CompileResult(
            DiagnosticViews.of(compiled.diagnostics()),
            Stage.fromValue(asked.stage().name()),
            compiled.ir()));
  }
}
