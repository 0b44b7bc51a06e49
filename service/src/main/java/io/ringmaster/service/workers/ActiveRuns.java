package io.ringmaster.service.workers;

import io.ringmaster.service.jobs.JobEvents;
import io.ringmaster.service.jobs.LiveRuns;
import io.ringmaster.service.jobs.RunProgress;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.springframework.context.event.EventListener;
import org.springframework.stereotype.Component;

/** The runs that this process executes now; of those elsewhere it knows what they have reported. */
@Component
class ActiveRuns implements LiveRuns {

  private final Map<String, ActiveRun> byRun = new ConcurrentHashMap<>();
  private final RunProgress elsewhere;

  ActiveRuns(RunProgress elsewhere) {
    this.elsewhere = elsewhere;
  }

  void add(ActiveRun run) {
    byRun.put(run.claim().run().id(), run);
  }

  void remove(ActiveRun run) {
    byRun.remove(run.claim().run().id(), run);
  }

  Collection<ActiveRun> all() {
    return List.copyOf(byRun.values());
  }

  void stopJob(String jobId) {
    byRun.values().stream()
        .filter(run -> run.claim().job().id().equals(jobId))
        .forEach(run -> run.stop(ActiveRun.Stop.USER));
  }

  @EventListener
  void cancelRequested(JobEvents.CancelRequested event) {
    stopJob(event.jobId());
  }

  @Override
  public Optional<String> phase(String runId) {
    return Optional.ofNullable(byRun.get(runId))
        .map(ActiveRun::phase)
        .or(() -> elsewhere.phase(runId));
  }

  @Override
  public Optional<String> log(String runId) {
    return Optional.ofNullable(byRun.get(runId)).map(ActiveRun::log).or(() -> elsewhere.log(runId));
  }
}
