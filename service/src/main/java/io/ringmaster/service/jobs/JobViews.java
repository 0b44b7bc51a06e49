package io.ringmaster.service.jobs;

import io.ringmaster.api.model.Evidence;
import io.ringmaster.api.model.Limits;
import io.ringmaster.api.model.Operations;
import io.ringmaster.api.model.ScriptInfo;
import io.ringmaster.api.model.Waiting;
import io.ringmaster.service.problems.DiagnosticViews;
import io.ringmaster.worker.job.JobReport;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.springframework.stereotype.Component;

/** Shows jobs and runs the way the contract has them. */
@Component
public class JobViews {

  private final WaitingExplainer waiting;
  private final LiveRuns live;

  public JobViews(WaitingExplainer waiting, LiveRuns live) {
    this.waiting = waiting;
    this.live = live;
  }

  /** One job. */
  public io.ringmaster.api.model.Job job(Job job) {
    return jobs(List.of(job)).getFirst();
  }

  /** Many jobs, in their order, with one look at the queue for all of them. */
  List<io.ringmaster.api.model.Job> jobs(List<Job> jobs) {
    var queued = jobs.stream().filter(job -> job.state() == State.QUEUED).toList();
    var reasons =
        queued.isEmpty() ? Map.<String, WaitingExplainer.Reason>of() : waiting.explain(queued);
    return jobs.stream().map(job -> job(job, Optional.ofNullable(reasons.get(job.id())))).toList();
  }

  private io.ringmaster.api.model.Job job(Job job, Optional<WaitingExplainer.Reason> waits) {
    var view =
        new io.ringmaster.api.model.Job(
            job.id(),
            job.name(),
            state(job.state()),
            job.platform(),
            job.runs().stream().map(Run::devices).toList(),
            job.arguments(),
            job.seed(),
            io.ringmaster.api.model.Priority.fromValue(job.priority().name()),
            job.labels(),
            new Limits(
                job.limits().wall().toSeconds(),
                job.limits().scriptSteps(),
                job.limits().kernelSteps(),
                job.limits().memoryBytes()),
            new ScriptInfo(job.scriptName(), job.scriptDigest(), job.scriptBytes()),
            time(job.createdAt()),
            job.cancelRequested(),
            DiagnosticViews.of(job.diagnostics()),
            job.runs().stream().map(this::run).toList());
    view.setPlatforms(job.platforms());
    view.setComparisons(job.comparisons().stream().map(ComparisonViews::of).toList());
    view.setSchedules(job.circumstances().schedules());
    view.setConditions(job.circumstances().conditions());
    view.setCacheLines(job.circumstances().cacheLines());
    job.circumstances().scheduleSeed().ifPresent(view::setScheduleSeed);
    job.rerunOf().ifPresent(view::setRerunOf);
    job.verdict().ifPresent(verdict -> view.setVerdict(verdict(verdict)));
    job.sentence().ifPresent(view::setSentence);
    job.startedAt().ifPresent(at -> view.setStartedAt(time(at)));
    job.finishedAt().ifPresent(at -> view.setFinishedAt(time(at)));
    waits.ifPresent(
        reason ->
            view.setWaiting(
                new Waiting(
                    reason.reason(), reason.detail(), time(job.createdAt()), reason.position())));
    return view;
  }

  /** One run. */
  public io.ringmaster.api.model.Run run(Run run) {
    var view =
        new io.ringmaster.api.model.Run(
            run.id(),
            run.place(),
            run.platform(),
            run.devices(),
            state(run.state()),
            run.attempt(),
            time(run.queuedAt()));
    view.setArguments(run.arguments());
    view.setRequest(run.request().text());
    run.pool().ifPresent(view::setPool);
    run.worker().ifPresent(view::setWorker);
    run.startedAt().ifPresent(at -> view.setStartedAt(time(at)));
    run.finishedAt().ifPresent(at -> view.setFinishedAt(time(at)));
    if (run.state() == State.RUNNING) {
      live.phase(run.id()).ifPresent(view::setPhase);
    }
    run.outcome()
        .ifPresent(
            outcome -> {
              view.setVerdict(verdict(outcome.verdict()));
              view.setSentence(outcome.sentence());
              view.setFailedChecks(outcome.failedChecks());
              view.setFindings(outcome.findings());
              outcome.evidence().ifPresent(evidence -> view.setEvidence(evidence(evidence)));
            });
    return view;
  }

  private static Evidence evidence(JobReport.Evidence evidence) {
    var operations = evidence.operations();
    return new Evidence(
        evidence.ranks(),
        new Operations(
            operations.notifies(),
            operations.waits(),
            operations.put(),
            operations.get(),
            operations.remoteLoad(),
            operations.remoteStore()),
        evidence.payloadBytes(),
        evidence.wireBytes(),
        evidence.signalBytes(),
        evidence.checks(),
        evidence.elementsCompared(),
        evidence.outputDigest(),
        evidence.scheduleSeed(),
        evidence.versions());
  }

  /** A verdict in the contract's words. */
  public static io.ringmaster.api.model.Verdict verdict(io.ringmaster.worker.job.Verdict verdict) {
    return io.ringmaster.api.model.Verdict.fromValue(verdict.name());
  }

  private static io.ringmaster.api.model.State state(State state) {
    return io.ringmaster.api.model.State.fromValue(state.name());
  }

  /** A time in the contract's shape: UTC. */
  public static OffsetDateTime time(Instant time) {
    return time.atOffset(ZoneOffset.UTC);
  }
}
