package io.ringmaster.service.events;

import io.ringmaster.api.model.JobEvent;
import io.ringmaster.service.jobs.JobHistory;
import io.ringmaster.service.jobs.JobViews;
import java.time.Instant;

/** Shows events the way the contract has them. */
final class EventViews {

  private EventViews() {}

  static JobEvent of(JobHistory.Event event) {
    var view = new JobEvent(event.type().text(), event.jobId(), JobViews.time(event.at()));
    event.run().ifPresent(view::setRun);
    event.attempt().ifPresent(view::setAttempt);
    event.worker().ifPresent(view::setWorker);
    event.verdict().ifPresent(verdict -> view.setVerdict(JobViews.verdict(verdict)));
    event.sentence().ifPresent(view::setSentence);
    return view;
  }

  static JobEvent progress(String jobId, Instant at, int run, String phase) {
    var view = new JobEvent("progress", jobId, JobViews.time(at));
    view.setRun(run);
    view.setPhase(phase);
    return view;
  }
}
