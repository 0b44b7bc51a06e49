package io.ringmaster.service.results;

import io.ringmaster.api.model.JobReport;
import io.ringmaster.api.model.RunReport;
import io.ringmaster.service.artifacts.ArtifactStore;
import io.ringmaster.service.jobs.Job;
import io.ringmaster.service.jobs.JobReports;
import io.ringmaster.service.jobs.Run;
import io.ringmaster.service.jobs.State;
import io.ringmaster.service.problems.ProblemCode;
import io.ringmaster.service.problems.ProblemException;
import io.ringmaster.worker.job.JUnitXml;
import io.ringmaster.worker.job.ReportJson;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.springframework.stereotype.Service;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.json.JsonMapper;

/** Reads the reports that runs have left. */
@Service
class StoredReports implements JobReports {

  /** A report may have been written by a version that says more. */
  private static final JsonMapper LENIENT =
      JsonMapper.builder().disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES).build();

  private final ArtifactStore artifacts;

  StoredReports(ArtifactStore artifacts) {
    this.artifacts = artifacts;
  }

  @Override
  public JobReport view(Job job) {
    return LENIENT.readValue(ReportJson.write(report(job)), JobReport.class);
  }

  @Override
  public String junit(Job job) {
    return JUnitXml.write(job.name(), report(job));
  }

  @Override
  public io.ringmaster.worker.job.JobReport report(Job job) {
    requireFinished(job.state(), "Job " + job.id(), job);
    return new io.ringmaster.worker.job.JobReport(
        job.verdict().orElseThrow(),
        job.sentence().orElseThrow(),
        job.diagnostics(),
        job.runs().stream().map(run -> load(job, run)).toList(),
        job.comparisons());
  }

  /**
   * The report of a finished run.
   *
   * @throws ProblemException NOT_FINISHED
   */
  RunReport view(Job job, Run run) {
    var one =
        new io.ringmaster.worker.job.JobReport(
            io.ringmaster.worker.job.Verdict.PASSED, "", List.of(), List.of(finished(job, run)));
    return LENIENT.readValue(ReportJson.write(one), JobReport.class).getRuns().getFirst();
  }

  /**
   * The same, as the worker wrote it.
   *
   * @throws ProblemException NOT_FINISHED
   */
  io.ringmaster.worker.job.JobReport.Run finished(Job job, Run run) {
    requireFinished(run.state(), "Run " + run.place() + " of job " + job.id(), job);
    return load(job, run);
  }

  /** A run that was cancelled in the queue has written nothing. */
  private io.ringmaster.worker.job.JobReport.Run load(Job job, Run run) {
    var outcome = run.outcome().orElseThrow();
    return artifacts
        .load(run.id(), ResultRecorder.REPORT)
        .map(json -> ReportJson.read(new String(json, StandardCharsets.UTF_8)))
        .map(report -> report.runs().getFirst().saying(report.diagnostics()))
        .orElseGet(() -> RunResults.empty(job, run, outcome.verdict(), outcome.sentence()));
  }

  static void requireFinished(State state, String what, Job job) {
    if (state != State.FINISHED) {
      throw new ProblemException(
              ProblemCode.NOT_FINISHED,
              "%s is %s. Wait for it with GET /api/v1/jobs/%s?wait=30."
                  .formatted(what, state, job.id()))
          .withRetryAfter(1);
    }
  }
}
