package io.ringmaster.service.placement;

import io.ringmaster.service.config.EmbeddedDatabase;
import io.ringmaster.service.jobs.Columns;
import io.ringmaster.service.jobs.JobChanges;
import io.ringmaster.service.jobs.JobStore;
import io.ringmaster.service.jobs.Run;
import io.ringmaster.service.jobs.State;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.dao.DuplicateKeyException;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Service;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * Gives out queued runs: higher priority first, then in the order of submission. A run whose
 * devices are taken is passed over until they are free.
 */
@Service
public class RunQueue {

  /** How far to look beyond runs that cannot start now. */
  private static final int WINDOW = 100;

  private static final Logger LOG = LoggerFactory.getLogger(RunQueue.class);

  private final JdbcClient jdbc;
  private final JobStore jobs;
  private final DeviceLeases leases;
  private final JobChanges changes;
  private final TransactionTemplate transaction;
  private final EmbeddedDatabase database;
  private final InstantSource clock;

  public RunQueue(
      JdbcClient jdbc,
      JobStore jobs,
      DeviceLeases leases,
      JobChanges changes,
      TransactionTemplate transaction,
      EmbeddedDatabase database,
      InstantSource clock) {
    this.jdbc = jdbc;
    this.jobs = jobs;
    this.leases = leases;
    this.changes = changes;
    this.transaction = transaction;
    this.database = database;
    this.clock = clock;
  }

  private record Candidate(String runId, String jobId) {}

  /**
   * Claims the next run that can start, with all its devices; empty when there is none.
   *
   * @param worker who will execute it
   * @param instance the process it will be executed in
   */
  public Optional<Claim> claim(String worker, String instance) {
    for (var candidate : candidates()) {
      try {
        var claim = transaction.execute(_ -> tryClaim(candidate, worker, instance));
        if (claim != null && claim.isPresent()) {
          database.settle();
          changes.announce(candidate.jobId());
          return claim;
        }
      } catch (DuplicateKeyException e) {
        // The lease was undone with the transaction; the next run may do.
        LOG.debug("Another worker took a device of run {} in between", candidate.runId(), e);
      }
    }
    return Optional.empty();
  }

  private List<Candidate> candidates() {
    return jdbc.sql(
            """
            select id, job_id from run where state = 'QUEUED' order by priority desc, id limit :rows
            """)
        .param("rows", WINDOW)
        .query((row, _) -> new Candidate(row.getString(1), row.getString(2)))
        .list();
  }

  private Optional<Claim> tryClaim(Candidate candidate, String worker, String instance) {
    var job = jobs.lock(candidate.jobId());
    var run =
        job.stream()
            .flatMap(some -> some.runs().stream())
            .filter(some -> some.id().equals(candidate.runId()) && some.state() == State.QUEUED)
            .findFirst();
    if (run.isEmpty() || !leases.taken(run.get()).isEmpty()) {
      return Optional.empty();
    }
    int attempt = run.get().attempt() + 1;
    var now = Columns.now(clock);
    leases.take(run.get(), attempt);
    jdbc.sql(
            """
            update run set state = 'RUNNING', attempt = :attempt, worker = :worker,
              instance = :instance, started_at = :now
            where id = :id and state = 'QUEUED'
            """)
        .param("attempt", attempt)
        .param("worker", worker)
        .param("instance", instance)
        .param("now", now)
        .param("id", candidate.runId())
        .update();
    jobs.refresh(candidate.jobId(), now);
    return Optional.of(new Claim(job.orElseThrow(), run.get(), attempt, now.toInstant()));
  }

  /**
   * Puts a run back that its worker could not finish; false when that attempt is over already.
   *
   * @param attempt the attempt that ends here
   */
  public boolean putBack(Run run, int attempt) {
    boolean done =
        Boolean.TRUE.equals(
            transaction.execute(
                _ -> {
                  if (jobs.lock(run.jobId()).isEmpty()) {
                    return false;
                  }
                  int rows =
                      jdbc.sql(
                              """
                              update run set state = 'QUEUED', worker = null, instance = null,
                                started_at = null
                              where id = :id and state = 'RUNNING' and attempt = :attempt
                              """)
                          .param("id", run.id())
                          .param("attempt", attempt)
                          .update();
                  if (rows == 1) {
                    leases.release(run.id());
                    jobs.refresh(run.jobId(), Columns.now(clock));
                  }
                  return rows == 1;
                }));
    if (done) {
      changes.announce(run.jobId());
    }
    return done;
  }
}
