package io.ringmaster.service.placement;

import io.ringmaster.api.model.Attempt;
import io.ringmaster.api.model.AttemptList;
import io.ringmaster.api.model.DeviceState;
import io.ringmaster.api.model.DeviceStatus;
import io.ringmaster.api.model.JobExplanation;
import io.ringmaster.api.model.RunExplanation;
import io.ringmaster.api.model.State;
import io.ringmaster.api.server.QueueApi;
import io.ringmaster.service.jobs.JobReader;
import io.ringmaster.service.placement.QueueExplainer.Explanation;
import java.time.ZoneOffset;
import java.util.List;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.RestController;

/** Says why runs wait, and how often they were started. */
@RestController
class QueueController implements QueueApi {

  private final JobReader jobs;
  private final QueueExplainer explainer;
  private final Attempts attempts;

  QueueController(JobReader jobs, QueueExplainer explainer, Attempts attempts) {
    this.jobs = jobs;
    this.explainer = explainer;
    this.attempts = attempts;
  }

  @Override
  public ResponseEntity<JobExplanation> explainJob(String jobId) {
    var job = jobs.get(jobId);
    return ResponseEntity.ok(
        new JobExplanation(
            State.fromValue(job.state().name()),
            explainer.explain(job).stream().map(QueueController::view).toList()));
  }

  private static RunExplanation view(Explanation explanation) {
    var view =
        new RunExplanation(
            explanation.run().place(),
            explanation.run().request().text(),
            explanation.cause().reason().name(),
            explanation.cause().detail(),
            explanation.position(),
            explanation.held().stream().map(QueueController::view).toList());
    explanation
        .kept()
        .ifPresent(
            kept -> {
              view.setKeptDevices(kept.devices().stream().sorted().toList());
              view.setKeptPool(kept.pool());
              view.setKeptFrom(kept.from().atOffset(ZoneOffset.UTC));
            });
    return view;
  }

  private static DeviceStatus view(QueueExplainer.HeldDevice held) {
    var view =
        new DeviceStatus(
            held.pool() + ":" + held.device(),
            held.pool(),
            held.device(),
            List.of(DeviceState.HELD));
    view.setHeldUntil(held.until().atOffset(ZoneOffset.UTC));
    return view;
  }

  @Override
  public ResponseEntity<AttemptList> getRunAttempts(String jobId, String run) {
    var id = jobs.run(jobs.get(jobId), run).id();
    return ResponseEntity.ok(
        new AttemptList(attempts.of(id).stream().map(QueueController::view).toList()));
  }

  private static Attempt view(Attempts.Attempt attempt) {
    var view =
        new Attempt(
            attempt.number(),
            attempt.worker(),
            attempt.pool(),
            attempt.devices(),
            attempt.startedAt().atOffset(ZoneOffset.UTC));
    attempt.endedAt().ifPresent(at -> view.setEndedAt(at.atOffset(ZoneOffset.UTC)));
    attempt.outcome().ifPresent(outcome -> view.setOutcome(outcome.name()));
    return view;
  }
}
