package io.ringmaster.service.placement;

import io.ringmaster.service.config.EmbeddedDatabase;
import io.ringmaster.service.config.Ids;
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
  private final Ids ids;

  public RunQueue(
      JdbcClient jdbc,
      JobStore jobs,
      DeviceLeases leases,
      JobChanges changes,
      TransactionTemplate transaction,
      EmbeddedDatabase database,
      InstantSource clock,
      Ids ids) {
    this.jdbc = jdbc;
    this.jobs = jobs;
    this.leases = leases;
    this.changes = changes;
    this.transaction = transaction;
    this.database = database;
    this.clock = clock;
    this.ids = ids;
  }

  private record Candidate(String runId, String jobId) {}

  /**
   * Claims the next run that can start, with all its devices; empty when there is none.
   *
   * @param worker who will execute it
   * @param instance the process it will be executed in
   * @param offer what it can execute
   */
  public Optional<Claim> claim(String worker, String instance, Offer offer) {
    for (var candidate : candidates(offer)) {
      try {
        var claim = transaction.execute(_ -> tryClaim(candidate, worker, instance, offer));
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

  private List<Candidate> candidates(Offer offer) {
    return jdbc.sql(
            """
            select id, job_id from run where state = 'QUEUED' and platform in (:platforms)
            order by priority desc, id limit :rows
            """)
        .param("platforms", offer.platforms())
        .param("rows", WINDOW)
        .query((row, _) -> new Candidate(row.getString(1), row.getString(2)))
        .list();
  }

  private Optional<Claim> tryClaim(
      Candidate candidate, String worker, String instance, Offer offer) {
    var job = jobs.lock(candidate.jobId());
    var run =
        job.stream()
            .flatMap(some -> some.runs().stream())
            .filter(some -> some.id().equals(candidate.runId()) && some.state() == State.QUEUED)
            .findFirst();
    if (run.isEmpty() || !offer.fits(run.get()) || !leases.taken(run.get()).isEmpty()) {
      return Optional.empty();
    }
    int attempt = run.get().attempt() + 1;
    var leaseId = ids.lease();
    var now = Columns.now(clock);
    int claimed =
        jdbc.sql(
                """
                update run set state = 'RUNNING', attempt = :attempt, worker = :worker,
                  instance = :instance, lease_id = :lease, started_at = :now,
                  heard_at = current_timestamp
                where id = :id and state = 'QUEUED'
                  and exists (select 1 from service_instance s where s.id = :instance)
                """)
            .param("attempt", attempt)
            .param("worker", worker)
            .param("instance", instance)
            .param("lease", leaseId)
            .param("now", now)
            .param("id", candidate.runId())
            .update();
    if (claimed == 0) {
      // The process was given up, or signed off, while it asked.
      return Optional.empty();
    }
    leases.take(run.get(), attempt);
    jobs.history().started(run.get(), attempt, worker, now);
    jobs.refresh(candidate.jobId(), now);
    return Optional.of(new Claim(job.orElseThrow(), run.get(), attempt, leaseId, now.toInstant()));
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
                                lease_id = null, started_at = null, heard_at = null
                              where id = :id and state = 'RUNNING' and attempt = :attempt
                              """)
                          .param("id", run.id())
                          .param("attempt", attempt)
                          .update();
                  if (rows == 1) {
                    leases.release(run.id());
                    jobs.history().requeued(run, attempt, Columns.now(clock));
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
