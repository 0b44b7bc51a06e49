package io.ringmaster.service.results;

import io.ringmaster.service.artifacts.ArtifactStore;
import io.ringmaster.service.artifacts.NewFile;
import io.ringmaster.service.config.EmbeddedDatabase;
import io.ringmaster.service.jobs.Columns;
import io.ringmaster.service.jobs.Job;
import io.ringmaster.service.jobs.JobChanges;
import io.ringmaster.service.jobs.JobChanges.Until;
import io.ringmaster.service.jobs.JobStore;
import io.ringmaster.service.jobs.Run;
import io.ringmaster.service.jobs.State;
import io.ringmaster.service.metrics.RunMetrics;
import io.ringmaster.service.placement.Attempts;
import io.ringmaster.service.placement.Attempts.Outcome;
import io.ringmaster.service.placement.DeviceLeases;
import io.ringmaster.service.placement.DeviceStatuses;
import io.ringmaster.worker.job.JobEnd;
import io.ringmaster.worker.job.JobReport;
import io.ringmaster.worker.job.ReportJson;
import io.ringmaster.worker.job.Verdict;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Service;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * Ends runs: verdict, report, checks and the release of devices in one transaction, at most once.
 * Whoever comes second - a late attempt, a finish that raced a takeover - changes nothing.
 */
@Service
public class ResultRecorder {

  static final String REPORT = "report.json";

  /** Prefix of the artifacts that are outputs. */
  public static final String OUTPUTS = "outputs/";

  private final JdbcClient jdbc;
  private final JobStore jobs;
  private final ArtifactStore artifacts;
  private final GoldenResultStore goldenResults;
  private final PlatformComparisons comparisons;
  private final DeviceLeases leases;
  private final DeviceStatuses statuses;
  private final Attempts attempts;
  private final JobChanges changes;
  private final RunMetrics metrics;
  private final TransactionTemplate transaction;
  private final EmbeddedDatabase database;
  private final InstantSource clock;

  public ResultRecorder(
      JdbcClient jdbc,
      JobStore jobs,
      ArtifactStore artifacts,
      GoldenResultStore goldenResults,
      PlatformComparisons comparisons,
      DeviceLeases leases,
      DeviceStatuses statuses,
      Attempts attempts,
      JobChanges changes,
      RunMetrics metrics,
      TransactionTemplate transaction,
      EmbeddedDatabase database,
      InstantSource clock) {
    this.jdbc = jdbc;
    this.jobs = jobs;
    this.artifacts = artifacts;
    this.goldenResults = goldenResults;
    this.comparisons = comparisons;
    this.leases = leases;
    this.statuses = statuses;
    this.attempts = attempts;
    this.changes = changes;
    this.metrics = metrics;
    this.transaction = transaction;
    this.database = database;
    this.clock = clock;
  }

  /**
   * Records what came out of an attempt, as its worker says.
   *
   * @param report the report of this run alone
   * @param outputs files that the run left, by name
   * @param startedAt when the attempt started
   * @return false when that attempt is over already, and nothing was recorded
   * @throws io.ringmaster.service.problems.ProblemException UNAVAILABLE when the place of its files
   *     can't be used; then nothing was recorded, and the same may be tried again
   */
  public boolean finish(
      Run run, int attempt, JobReport report, Map<String, byte[]> outputs, Instant startedAt) {
    var outcome =
        switch (report.verdict()) {
          case WORKER_LOST -> Outcome.LOST;
          case INFRA -> Outcome.INFRA;
          case PASSED,
              NOT_VERIFIED,
              WRONG_RESULT,
              RACE,
              DEADLOCK,
              MISMATCH,
              OUT_OF_BOUNDS,
              REJECTED,
              ERROR,
              TIMED_OUT,
              CANCELLED,
              RESOURCE ->
              Outcome.FINISHED;
        };
    return finish(run, attempt, outcome, report, outputs, startedAt);
  }

  /**
   * The same for an attempt that need not have ended as the run does: a run that somebody cancelled
   * is cancelled, but its worker may have died all the same.
   *
   * @param outcome how the attempt ended
   */
  public boolean finish(
      Run run,
      int attempt,
      Outcome outcome,
      JobReport report,
      Map<String, byte[]> outputs,
      Instant startedAt) {
    // What goes elsewhere goes there before the row of the job is locked.
    var ahead =
        artifacts.places().isEmpty()
            ? Optional.<Ended>empty()
            : ahead(run, attempt, report, outputs);
    if (ahead.isEmpty() && !artifacts.places().isEmpty()) {
      return false;
    }
    var change =
        Objects.requireNonNull(
            transaction.execute(
                _ ->
                    jobs.lock(run.jobId())
                        .flatMap(
                            job ->
                                finishLocked(
                                    job,
                                    run,
                                    attempt,
                                    outcome,
                                    report.diagnostics(),
                                    ahead.orElseGet(() -> ended(job, run, report, outputs))))));
    if (change.isPresent()) {
      database.settle();
      metrics.finished(
          run.platform(), run.pool(), report, Duration.between(startedAt, clock.instant()));
      changes.announce(run.jobId(), change.get());
    }
    return change.isPresent();
  }

  /** A result whose files are kept. */
  private record Ended(JobReport.Run result, ArtifactStore.Kept files) {}

  /** Empty when that attempt is over already: nothing is kept for it. */
  private Optional<Ended> ahead(
      Run run, int attempt, JobReport report, Map<String, byte[]> outputs) {
    return jobs.find(run.jobId())
        .filter(
            job ->
                job.runs().stream()
                    .anyMatch(
                        one ->
                            one.id().equals(run.id())
                                && one.state() == State.RUNNING
                                && one.attempt() == attempt))
        .map(job -> ended(job, run, report, outputs));
  }

  private Ended ended(Job job, Run run, JobReport report, Map<String, byte[]> outputs) {
    var result = RunResults.of(job, run, report);
    var files = new ArrayList<NewFile>();
    // A report that no kernel has a part in can be made again from the job. So it ends also while
    // there is no place for files.
    if (!report.runs().isEmpty()
        || !report.diagnostics().isEmpty()
        || isOfKernel(report.verdict())) {
      var json =
          ReportJson.write(
              new JobReport(
                  result.verdict(), result.sentence(), report.diagnostics(), List.of(result)));
      files.add(new NewFile(REPORT, "application/json", json.getBytes(StandardCharsets.UTF_8)));
    }
    outputs.forEach(
        (name, bytes) -> files.add(new NewFile(OUTPUTS + name, "application/octet-stream", bytes)));
    return new Ended(result, artifacts.keep(run.id(), files));
  }

  /** What that is for the job; empty when the attempt was over already. */
  private Optional<Until> finishLocked(
      Job job,
      Run run,
      int attempt,
      Outcome outcome,
      List<JobReport.DiagnosticLine> diagnostics,
      Ended ended) {
    var result = ended.result();
    var now = Columns.now(clock);
    var end =
        new Run.Outcome(
            result.verdict(),
            Columns.text(result.sentence()),
            Optional.of(result.evidence()),
            (int) result.checks().stream().filter(check -> !check.passed()).count(),
            result.findings().size());
    if (!update(run, attempt, end, now)) {
      return Optional.empty();
    }
    artifacts.record(ended.files());
    goldenResults.save(job, run, result);
    jobs.history().ended(run, attempt, result.verdict(), result.sentence(), now);
    endAttempt(run, attempt, outcome, result.verdict());
    leases.release(run.id());
    var given = job.runs().stream().filter(one -> one.id().equals(run.id())).findFirst();
    return Optional.of(finishJob(job.with(given.orElse(run).ended(end)), diagnostics, now));
  }

  /** Devices lose their good name with the machine, and get it back from a kernel's verdict. */
  private void endAttempt(Run run, int attempt, Outcome outcome, Verdict verdict) {
    if (outcome.isBreakdown()) {
      statuses.suspect(run.id());
    } else if (outcome == Outcome.FINISHED
        && isOfKernel(verdict)
        && leases.areShared(run.platform())) {
      statuses.trust(run.id());
    }
    attempts.end(run.id(), attempt, outcome);
  }

  /** Whether the devices must have executed a kernel to its end to come to this verdict. */
  private static boolean isOfKernel(Verdict verdict) {
    return switch (verdict) {
      case PASSED, NOT_VERIFIED, WRONG_RESULT, RACE, DEADLOCK, MISMATCH, OUT_OF_BOUNDS -> true;
      case REJECTED, ERROR, TIMED_OUT, CANCELLED, RESOURCE, WORKER_LOST, INFRA -> false;
    };
  }

  private boolean update(Run run, int attempt, Run.Outcome end, OffsetDateTime now) {
    return jdbc.sql(
                """
                update run set state = 'FINISHED', verdict = :verdict, sentence = :sentence,
                  evidence = :evidence, failed_checks = :failed, findings = :findings,
                  finished_at = :now
                where id = :id and state = 'RUNNING' and attempt = :attempt
                """)
            .param("verdict", end.verdict().name())
            .param("sentence", end.sentence())
            .param("evidence", Columns.json(end.evidence().orElseThrow()))
            .param("failed", end.failedChecks())
            .param("findings", end.findings())
            .param("now", now)
            .param("id", run.id())
            .param("attempt", attempt)
            .update()
        == 1;
  }

  /** Ends the job with its last run; the worst run, or a difference of two, speaks for it. */
  private Until finishJob(Job job, List<JobReport.DiagnosticLine> found, OffsetDateTime now) {
    var diagnostics = new LinkedHashSet<>(job.diagnostics());
    diagnostics.addAll(found);
    if (job.runs().stream().allMatch(run -> run.state() == State.FINISHED)) {
      var compared = comparisons.of(job);
      var end = JobEnd.of(job.runs().stream().map(ResultRecorder::end).toList(), compared);
      jobs.finish(job.id(), end, new ArrayList<>(diagnostics), compared, now);
      return Until.END;
    }
    jobs.refresh(job, now);
    jobs.keepDiagnostics(job.id(), new ArrayList<>(diagnostics));
    return Until.CHANGE;
  }

  private static JobEnd.RunEnd end(Run run) {
    var outcome = run.outcome().orElseThrow();
    return new JobEnd.RunEnd(
        run.id(), run.place(), run.devices(), outcome.verdict(), outcome.sentence());
  }
}
