package io.ringmaster.service.placement;

import io.ringmaster.service.config.RingmasterProperties;
import io.ringmaster.service.jobs.Job;
import io.ringmaster.service.jobs.Run;
import io.ringmaster.service.jobs.State;
import io.ringmaster.service.jobs.WaitingExplainer;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/** Says what queued jobs wait for: one look into the database for all jobs of a list. */
@Component
class QueueExplainer implements WaitingExplainer {

  private final JdbcClient jdbc;
  private final DeviceLeases leases;
  private final int embedded;

  QueueExplainer(JdbcClient jdbc, DeviceLeases leases, RingmasterProperties properties) {
    this.jdbc = jdbc;
    this.leases = leases;
    this.embedded = properties.workers().embedded();
  }

  @Override
  public Map<String, Reason> explain(Collection<Job> jobs) {
    var first = new LinkedHashMap<String, Run>();
    jobs.forEach(job -> firstQueued(job).ifPresent(run -> first.put(job.id(), run)));
    if (first.isEmpty()) {
      return Map.of();
    }
    var ahead = ahead(first.values().stream().map(Run::id).toList());
    var taken = leases.taken(first.values());
    long workers = workers();
    var reasons = new HashMap<String, Reason>();
    first.forEach(
        (job, run) ->
            // A run that left the queue between the two looks waits for nothing.
            Optional.ofNullable(ahead.get(run.id()))
                .ifPresent(
                    count ->
                        reasons.put(
                            job,
                            reason(run, count, taken.getOrDefault(run.id(), List.of()), workers))));
    return reasons;
  }

  private static Optional<Run> firstQueued(Job job) {
    return job.runs().stream().filter(run -> run.state() == State.QUEUED).findFirst();
  }

  /** Those of this process, and those that are registered. */
  private long workers() {
    return embedded + jdbc.sql("select count(*) from worker").query(Long.class).single();
  }

  private static Reason reason(Run run, long ahead, List<Integer> taken, long workers) {
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
        switch ((int) Math.min(workers, 2)) {
          case 0 -> "There is no worker: this process has none, and none is registered.";
          case 1 -> "The worker is busy, or has not the devices of this run.";
          default -> "All " + workers + " workers are busy, or have not the devices of this run.";
        };
    return new Reason("NO_WORKER", busy + " " + behind, ahead);
  }

  /** How many queued runs come before each of these, in the order of the queue. */
  private Map<String, Long> ahead(List<String> runs) {
    var ahead = new HashMap<String, Long>();
    jdbc.sql(
            """
            select id, place from (
              select id, row_number() over (order by priority desc, id) - 1 as place
              from run where state = 'QUEUED') queue
            where id in (:runs)
            """)
        .param("runs", runs)
        .query(
            row -> {
              ahead.put(row.getString(1), row.getLong(2));
            });
    return ahead;
  }
}
