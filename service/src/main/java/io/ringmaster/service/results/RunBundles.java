package io.ringmaster.service.results;

import io.ringmaster.service.artifacts.ArtifactStore;
import io.ringmaster.service.jobs.Job;
import io.ringmaster.service.jobs.JobReader;
import io.ringmaster.service.jobs.Run;
import io.ringmaster.worker.job.Bundle;
import io.ringmaster.worker.job.JobReport;
import io.ringmaster.worker.job.ReportJson;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Objects;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.springframework.stereotype.Component;

/** Packs finished runs so that they can be repeated elsewhere. */
@Component
class RunBundles {

  private final StoredReports reports;
  private final ArtifactStore artifacts;
  private final JobReader reader;

  RunBundles(StoredReports reports, ArtifactStore artifacts, JobReader reader) {
    this.reports = reports;
    this.artifacts = artifacts;
    this.reader = reader;
  }

  /** The zip; the same bytes each time. */
  byte[] zip(Job job, Run run) {
    var found = reports.finished(job, run);
    var source = reader.source(job);
    var report =
        new JobReport(found.verdict(), found.sentence(), job.diagnostics(), List.of(found));
    var version =
        Objects.requireNonNullElse(
            found.evidence().versions().get("ringmaster"), "an unknown version");
    var out = new ByteArrayOutputStream();
    try (var zip = new ZipOutputStream(out)) {
      var files = new Files(zip, job);
      files.add(
          Bundle.FILE,
          utf8(
              new Bundle(version, job.spec(run, new String(source, StandardCharsets.UTF_8)), report)
                  .json()));
      files.add("script/" + job.scriptName(), source);
      files.add("report.json", utf8(ReportJson.write(report)));
      files.add("log.txt", utf8(found.log()));
      for (var output : artifacts.list(run.id(), ResultRecorder.OUTPUTS)) {
        artifacts
            .load(run.id(), output.name())
            .ifPresent(content -> files.add(output.name(), content));
      }
      files.add(
          "README.txt",
          utf8(
              """
              Run %d of job %s: %s
              Repeat it with: ringmaster replay THIS.zip
              """
                  .formatted(run.place(), job.id(), found.sentence())));
    } catch (IOException e) {
      throw new UncheckedIOException("Packing in memory failed.", e);
    }
    return out.toByteArray();
  }

  private static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  /** Entries with the time of the job, so that the zip depends on nothing else. */
  private record Files(ZipOutputStream zip, Job job) {
    void add(String name, byte[] content) {
      try {
        var entry = new ZipEntry(name);
        entry.setTimeLocal(LocalDateTime.ofInstant(job.createdAt(), ZoneOffset.UTC));
        zip.putNextEntry(entry);
        zip.write(content);
        zip.closeEntry();
      } catch (IOException e) {
        throw new UncheckedIOException("Packing in memory failed.", e);
      }
    }
  }
}
