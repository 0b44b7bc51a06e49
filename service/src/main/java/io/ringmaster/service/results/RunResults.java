package io.ringmaster.service.results;

import io.ringmaster.service.jobs.Job;
import io.ringmaster.service.jobs.Run;
import io.ringmaster.worker.job.JobReport;
import io.ringmaster.worker.job.JobReport.Evidence;
import io.ringmaster.worker.job.JobReport.Operations;
import io.ringmaster.worker.job.JobReport.Timings;
import io.ringmaster.worker.job.JobReport.Traffic;
import io.ringmaster.worker.job.Verdict;
import java.util.List;
import java.util.Map;

/** Builds the parts of reports that no kernel run has written. */
public final class RunResults {

  private RunResults() {}

  /**
   * The report's run under the service's id; a report without runs (REJECTED) gets an empty one.
   */
  static JobReport.Run of(Job job, Run run, JobReport report) {
    if (report.runs().isEmpty()) {
      return empty(job, run, report.verdict(), report.sentence()).saying(report.diagnostics());
    }
    var found = report.runs().getFirst();
    return new JobReport.Run(
        run.id(),
        run.platform(),
        run.devices(),
        run.arguments(),
        report.verdict(),
        report.sentence(),
        report.diagnostics(),
        found.evidence(),
        found.checks(),
        found.findings(),
        found.collectives(),
        found.barriers(),
        found.traffic(),
        found.tests(),
        found.timings(),
        found.log());
  }

  /** A run that ended before its kernel did anything. */
  static JobReport.Run empty(Job job, Run run, Verdict verdict, String sentence) {
    return new JobReport.Run(
        run.id(),
        run.platform(),
        run.devices(),
        run.arguments(),
        verdict,
        sentence,
        List.of(),
        new Evidence(0, new Operations(0, 0, 0, 0, 0, 0), 0, 0, 0, 0, 0, "", job.seed(), Map.of()),
        List.of(),
        List.of(),
        List.of(),
        List.of(),
        new Traffic(List.of(), List.of()),
        List.of(),
        new Timings(0, 0, 0, 0),
        "");
  }

  /** A report of something that went wrong outside the kernel. */
  public static JobReport outside(Verdict verdict, String sentence) {
    return new JobReport(verdict, sentence, List.of(), List.of());
  }
}
