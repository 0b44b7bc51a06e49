package io.ringmaster.service.placement;

import io.ringmaster.service.config.RingmasterProperties;
import io.ringmaster.service.jobs.Job;
import io.ringmaster.service.jobs.Run;
import io.ringmaster.service.jobs.State;
import io.ringmaster.service.jobs.WaitingExplainer;
import java.util.Optional;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/** Says what a queued job waits for. */
@Component
class QueueExplainer implements WaitingExplainer {

  private final JdbcClient jdbc;
  private final DeviceLeases leases;
  private final int workers;

  QueueExplainer(JdbcClient jdbc, DeviceLeases leases, RingmasterProperties properties) {
    this.jdbc = jdbc;
    this.leases = leases;
    this.workers = properties.workers().embedded();
  }

  @Override
  public Optional<Reason> explain(Job job) {
    return job.runs().stream()
        .filter(run -> run.state() == State.QUEUED)
        .findFirst()
        .map(run -> reason(job, run));
  }

  private Reason reason(Job job, Run run) {
    long ahead = ahead(job, run);
    var taken = leases.taken(run);
    if (!taken.isEmpty()) {
      return new Reason(
          "NO_FREE_DEVICE",
          "Another run holds %s %s of %s."
              .formatted(taken.size() == 1 ? "device" : "devices", taken, run.platform()),
          ahead);
    }
    var behind =
        switch ((int) Math.min(ahead, 2)) {
          case 0 -> "This one is next.";
          case 1 -> "1 run is ahead of this one.";
          default -> ahead + " runs are ahead of this one.";
        };
    var busy =
        switch (workers) {
          case 0 -> "This process has no workers.";
          case 1 -> "The worker is busy.";
          default -> "All " + workers + " workers are busy.";
        };
    return new Reason("NO_WORKER", busy + " " + behind, ahead);
  }

  private long ahead(Job job, Run run) {
    return jdbc.sql(
            """
            select count(*) from run
            where state = 'QUEUED' and (priority > :priority or (priority = :priority and id < :id))
            """)
        .param("priority", job.priority().rank())
        .param("id", run.id())
        .query(Long.class)
        .single();
  }
}
