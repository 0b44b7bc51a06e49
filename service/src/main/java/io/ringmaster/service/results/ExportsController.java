package io.ringmaster.service.results;

import io.ringmaster.api.model.Stage;
import io.ringmaster.api.server.ExportsApi;
import io.ringmaster.service.jobs.JobReader;
import io.ringmaster.service.jobs.JobReports;
import java.nio.charset.StandardCharsets;
import org.springframework.core.io.ByteArrayResource;
import org.springframework.core.io.Resource;
import org.springframework.http.ContentDisposition;
import org.springframework.http.HttpHeaders;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.RestController;

/** Results in the forms that other tools read. */
@RestController
class ExportsController implements ExportsApi {

  private static final MediaType TEXT = new MediaType(MediaType.TEXT_PLAIN, StandardCharsets.UTF_8);
  private static final MediaType CSV =
      MediaType.parseMediaType("text/csv;charset=UTF-8;header=present");
  private static final MediaType OPEN_METRICS =
      MediaType.parseMediaType(JobOpenMetrics.MEDIA_TYPE + ";version=1.0.0;charset=UTF-8");
  private static final MediaType ZIP = MediaType.parseMediaType("application/zip");

  private final JobReader reader;
  private final JobReports reports;
  private final RunBundles bundles;
  private final RunIr ir;

  ExportsController(JobReader reader, JobReports reports, RunBundles bundles, RunIr ir) {
    this.reader = reader;
    this.reports = reports;
    this.bundles = bundles;
    this.ir = ir;
  }

  @Override
  public ResponseEntity<String> getJobChecksCsv(String jobId) {
    return ResponseEntity.ok()
        .contentType(CSV)
        .body(ChecksCsv.write(reports.report(reader.get(jobId))));
  }

  @Override
  public ResponseEntity<String> getJobMetrics(String jobId) {
    var job = reader.get(jobId);
    return ResponseEntity.ok()
        .contentType(OPEN_METRICS)
        .body(JobOpenMetrics.write(job.id(), reports.report(job)));
  }

  @Override
  public ResponseEntity<Resource> getRunBundle(String jobId, String run) {
    var job = reader.get(jobId);
    var some = reader.run(job, run);
    var name = "%s-%d.zip".formatted(job.id(), some.place());
    return ResponseEntity.ok()
        .contentType(ZIP)
        .header(
            HttpHeaders.CONTENT_DISPOSITION,
            ContentDisposition.attachment().filename(name).build().toString())
        .body(new ByteArrayResource(bundles.zip(job, some)));
  }

  @Override
  public ResponseEntity<String> diffIr(String left, String right, Stage stage) {
    return ResponseEntity.ok().contentType(TEXT).body(ir.diff(left, right, stage));
  }
}
