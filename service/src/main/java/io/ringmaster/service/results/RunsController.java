package io.ringmaster.service.results;

import io.ringmaster.api.model.BarrierList;
import io.ringmaster.api.model.CheckList;
import io.ringmaster.api.model.FindingList;
import io.ringmaster.api.model.Output;
import io.ringmaster.api.model.OutputList;
import io.ringmaster.api.model.RunReport;
import io.ringmaster.api.model.RunTraffic;
import io.ringmaster.api.model.Stage;
import io.ringmaster.api.model.TestCaseList;
import io.ringmaster.api.server.RunsApi;
import io.ringmaster.service.artifacts.ArtifactStore;
import io.ringmaster.service.artifacts.StoredFile;
import io.ringmaster.service.jobs.Job;
import io.ringmaster.service.jobs.JobReader;
import io.ringmaster.service.jobs.JobViews;
import io.ringmaster.service.jobs.LiveRuns;
import io.ringmaster.service.jobs.Run;
import io.ringmaster.service.problems.ProblemCode;
import io.ringmaster.service.problems.ProblemException;
import io.ringmaster.worker.job.RunRecorder;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.springframework.core.io.Resource;
import org.springframework.http.ContentDisposition;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpRange;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.RestController;
import tools.jackson.core.type.TypeReference;
import tools.jackson.databind.json.JsonMapper;

/** Shows runs, part by part. */
@RestController
class RunsController implements RunsApi {

  private static final MediaType TEXT = new MediaType(MediaType.TEXT_PLAIN, StandardCharsets.UTF_8);

  private static final TypeReference<Map<String, Object>> TRACE = new TypeReference<>() {};

  private final JobReader reader;
  private final JobViews views;
  private final LiveRuns live;
  private final StoredReports reports;
  private final ArtifactStore artifacts;
  private final RunIr ir;

  RunsController(
      JobReader reader,
      JobViews views,
      LiveRuns live,
      StoredReports reports,
      ArtifactStore artifacts,
      RunIr ir) {
    this.reader = reader;
    this.views = views;
    this.live = live;
    this.reports = reports;
    this.artifacts = artifacts;
    this.ir = ir;
  }

  @Override
  public ResponseEntity<io.ringmaster.api.model.Run> getRun(String jobId, String run) {
    return ResponseEntity.ok(views.run(reader.run(reader.get(jobId), run)));
  }

  @Override
  public ResponseEntity<RunReport> getRunReport(String jobId, String run) {
    return report(jobId, run, Function.identity());
  }

  @Override
  public ResponseEntity<CheckList> getRunChecks(String jobId, String run) {
    return report(jobId, run, report -> new CheckList(report.getChecks()));
  }

  @Override
  public ResponseEntity<TestCaseList> getRunTests(String jobId, String run) {
    return report(jobId, run, report -> new TestCaseList(report.getTests()));
  }

  @Override
  public ResponseEntity<FindingList> getRunFindings(String jobId, String run) {
    return report(jobId, run, report -> new FindingList(report.getFindings()));
  }

  @Override
  public ResponseEntity<BarrierList> getRunBarriers(String jobId, String run) {
    return report(jobId, run, report -> new BarrierList(report.getBarriers()));
  }

  @Override
  public ResponseEntity<RunTraffic> getRunTraffic(String jobId, String run) {
    return report(
        jobId, run, report -> new RunTraffic(report.getTraffic(), report.getCollectives()));
  }

  @Override
  public ResponseEntity<Map<String, Object>> getRunTimeline(String jobId, String run) {
    var some = finishedRun(jobId, run);
    var content =
        artifacts
            .load(some.id(), ResultRecorder.OUTPUTS + RunRecorder.TIMELINE)
            .orElseThrow(
                () ->
                    ProblemException.notFound(
                        "Run %d of job %s has no timeline: no kernel ran, or it was removed when its time (ringmaster.retention.outputs) was over."
                            .formatted(some.place(), jobId)));
    return ResponseEntity.ok(JsonMapper.shared().readValue(content, TRACE));
  }

  private <T> ResponseEntity<T> report(String jobId, String run, Function<RunReport, T> part) {
    var job = reader.get(jobId);
    return ResponseEntity.ok(part.apply(reports.view(job, reader.run(job, run))));
  }

  @Override
  public ResponseEntity<String> getRunLog(String jobId, String run) {
    var job = reader.get(jobId);
    var some = reader.run(job, run);
    var log =
        switch (some.state()) {
          case QUEUED -> "";
          case RUNNING -> live.log(some.id()).orElse("");
          case FINISHED -> reports.finished(job, some).log();
        };
    return ResponseEntity.ok().contentType(TEXT).body(log);
  }

  @Override
  public ResponseEntity<String> getRunIr(String jobId, String run, Stage stage) {
    var job = reader.get(jobId);
    return ResponseEntity.ok().contentType(TEXT).body(ir.text(job, reader.run(job, run), stage));
  }

  @Override
  public ResponseEntity<OutputList> listRunOutputs(String jobId, String run) {
    var some = finishedRun(jobId, run);
    var outputs =
        artifacts.list(some.id(), ResultRecorder.OUTPUTS).stream()
            .filter(entry -> entry.name().endsWith(".npy")) // the others say what these can't
            .map(
                entry ->
                    new Output(
                        entry.name().substring(ResultRecorder.OUTPUTS.length()), entry.sizeBytes()))
            .toList();
    return ResponseEntity.ok(new OutputList(outputs));
  }

  /** Parts are cut, and what the client has is left out, where replies are written. */
  @Override
  public ResponseEntity<Resource> getRunOutput(
      String jobId, String run, String name, @Nullable String range, @Nullable String ifNoneMatch) {
    var some = finishedRun(jobId, run);
    var file =
        artifacts
            .open(some.id(), ResultRecorder.OUTPUTS + name)
            .orElseThrow(
                () ->
                    ProblemException.notFound(
                        "Run %d of job %s has no output of that name: it kept none, or it was removed when its time (ringmaster.retention.outputs) was over."
                            .formatted(some.place(), jobId)));
    if (range != null) {
      requireThere(range, file);
    }
    var disposition =
        ContentDisposition.attachment().filename(name, StandardCharsets.UTF_8).build();
    var reply =
        ResponseEntity.ok()
            .contentType(MediaType.APPLICATION_OCTET_STREAM)
            .header(HttpHeaders.CONTENT_DISPOSITION, disposition.toString());
    file.sha256().ifPresent(digest -> reply.eTag("\"" + digest + "\""));
    return reply.body(file);
  }

  private static void requireThere(String range, StoredFile file) {
    try {
      var _ = HttpRange.toResourceRegions(HttpRange.parseRanges(range), file);
    } catch (IllegalArgumentException e) {
      var problem =
          new ProblemException(
              ProblemCode.RANGE_NOT_SATISFIABLE,
              "Range asks for bytes that are not there: the file has %d. Ask for less, as with bytes=0-%d, or for all of it without Range."
                  .formatted(file.contentLength(), Math.max(0, file.contentLength() - 1)));
      problem.initCause(e);
      throw problem;
    }
  }

  private Run finishedRun(String jobId, String run) {
    Job job = reader.get(jobId);
    var some = reader.run(job, run);
    StoredReports.requireFinished(some.state(), "Run " + some.place() + " of " + jobId, job);
    return some;
  }
}
