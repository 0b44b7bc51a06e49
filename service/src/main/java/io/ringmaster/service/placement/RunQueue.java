package io.ringmaster.service.placement;

import io.ringmaster.service.config.DatabaseTime;
import io.ringmaster.service.config.EmbeddedDatabase;
import io.ringmaster.service.config.Ids;
import io.ringmaster.service.config.RingmasterProperties;
import io.ringmaster.service.jobs.Columns;
import io.ringmaster.service.jobs.Job;
import io.ringmaster.service.jobs.JobChanges;
import io.ringmaster.service.jobs.JobStore;
import io.ringmaster.service.jobs.Run;
import io.ringmaster.service.jobs.State;
import io.ringmaster.service.placement.Attempts.Outcome;
import io.ringmaster.service.placement.Plan.Start;
import java.time.Duration;
import java.time.InstantSource;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.dao.DuplicateKeyException;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Service;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * Gives out queued runs. Whoever wants one makes a pass of the {@link Planner} over the queue and
 * the fleet as they are, and what it decides is committed with the run and all its devices in the
 * same transaction; passes happen one after the other.
 */
@Service
public class RunQueue {

  /** A run that was decided on may be cancelled before it is locked; then the next may do. */
  private static final int TRIES = 5;

  private static final Logger LOG = LoggerFactory.getLogger(RunQueue.class);

  private final JdbcClient jdbc;
  private final JobStore jobs;
  private final FleetReader fleet;
  private final DeviceLeases leases;
  private final DeviceStatuses statuses;
  private final Attempts attempts;
  private final PlanningLock planning;
  private final QueueAging aging;
  private final JobChanges changes;
  private final TransactionTemplate transaction;
  private final EmbeddedDatabase database;
  private final ApplicationEventPublisher events;
  private final InstantSource clock;
  private final DatabaseTime time;
  private final Ids ids;
  private final Policy policy;

  RunQueue(
      JdbcClient jdbc,
      JobStore jobs,
      FleetReader fleet,
      DeviceLeases leases,
      DeviceStatuses statuses,
      Attempts attempts,
      PlanningLock planning,
      QueueAging aging,
      JobChanges changes,
      TransactionTemplate transaction,
      EmbeddedDatabase database,
      ApplicationEventPublisher events,
      InstantSource clock,
      DatabaseTime time,
      Ids ids,
      RingmasterProperties properties) {
    this.jdbc = jdbc;
    this.jobs = jobs;
    this.fleet = fleet;
    this.leases = leases;
    this.statuses = statuses;
    this.attempts = attempts;
    this.planning = planning;
    this.aging = aging;
    this.changes = changes;
    this.transaction = transaction;
    this.database = database;
    this.events = events;
    this.clock = clock;
    this.time = time;
    this.ids = ids;
    this.policy = policy(properties);
  }

  static Policy policy(RingmasterProperties properties) {
    return new Policy(
        properties.placement().reservations(),
        properties.workers().stopGrace(),
        properties.quotas());
  }

  /**
   * Claims the next run that can start there, with all its devices; empty when there is none.
   *
   * @param worker who will execute it, for people
   * @param instance the process it will be executed in
   * @param seat what that one can execute
   */
  public Optional<Claim> claim(String worker, String instance, Seat seat) {
    for (int i = 0; i < TRIES && isAnythingQueued(seat); i++) {
      try {
        aging.raise();
        var attempted = planning.locked(() -> pass(worker, instance, seat));
        if (attempted.isEmpty()) {
          return Optional.empty();
        }
        var claim = attempted.get().claim();
        if (claim.isPresent()) {
          database.settle();
          changes.announce(claim.get().job().id(), JobChanges.Until.CHANGE);
          return claim;
        }
      } catch (DuplicateKeyException e) {
        // Undone with the transaction; the next pass sees who has the device.
        LOG.warn("A device was taken while a pass was going on", e);
      }
    }
    return Optional.empty();
  }

  /** Most questions for work come when there is none. */
  private boolean isAnythingQueued(Seat seat) {
    return !seat.draining()
        && jdbc.sql(
                """
                select 1 from run where state = 'QUEUED' and platform in (:platforms) limit 1
                """)
            .param("platforms", seat.platforms())
            .query(Integer.class)
            .optional()
            .isPresent();
  }

  /** A run that was decided on; without a claim when it could not be had after all. */
  private record Attempted(Optional<Claim> claim) {}

  private Optional<Attempted> pass(String worker, String instance, Seat seat) {
    long begin = System.nanoTime();
    var now = fleet.read(seat);
    var pass = new PlanningPass(now, policy);
    var reader = new QueueReader(jdbc, competing(now, seat), Optional.of(seat.pool()));
    while (!pass.isOver()) {
      var run = reader.next(pass);
      if (run.isEmpty()) {
        break;
      }
      pass.consider(run.get());
    }
    var plan = pass.plan();
    events.publishEvent(
        new PlacementEvents.PassEnded(
            Duration.ofNanos(System.nanoTime() - begin),
            plan.starts().size(),
            plan.waits().values().stream().map(Plan.Wait::reason).toList()));
    return plan.starts().stream()
        .findFirst()
        .map(start -> new Attempted(commit(start, worker, instance)));
  }

  /** Devices may be kept for runs on any platform that the pool offers. */
  private static Set<String> competing(Fleet fleet, Seat seat) {
    var platforms = new HashSet<>(seat.platforms());
    fleet.seats().stream()
        .filter(other -> other.pool().equals(seat.pool()))
        .forEach(other -> platforms.addAll(other.platforms()));
    return platforms;
  }

  private Optional<Claim> commit(Start start, String worker, String instance) {
    var queued = start.run();
    var job = jobs.lock(queued.jobId());
    var run =
        job.stream()
            .flatMap(some -> some.runs().stream())
            .filter(some -> some.id().equals(queued.id()) && some.state() == State.QUEUED)
            .findFirst();
    if (run.isEmpty()) {
      return Optional.empty();
    }
    int attempt = run.get().attempt() + 1;
    var leaseId = ids.lease();
    var now = Columns.now(clock);
    var pool = start.seat().pool();
    int claimed =
        jdbc.sql(
                """
                update run set state = 'RUNNING', attempt = :attempt, worker = :worker,
                  instance = :instance, lease_id = :lease, started_at = :now, pool = :pool,
                  devices = :devices, heard_at = :heard
                where id = :id and state = 'QUEUED'
                  and exists (select 1 from service_instance s where s.id = :instance)
                """)
            .param("attempt", attempt)
            .param("worker", worker)
            .param("instance", instance)
            .param("lease", leaseId)
            .param("now", now)
            .param("pool", pool)
            .param("heard", time.now())
            .param("devices", Columns.json(start.devices()))
            .param("id", queued.id())
            .update();
    if (claimed == 0) {
      // The process was given up, or signed off, while it asked.
      return Optional.empty();
    }
    leases.take(
        queued.id(),
        attempt,
        queued.platform(),
        pool,
        start.devices(),
        now.toInstant().plus(queued.wall()).plus(policy.grace()));
    attempts.begin(queued.id(), attempt, worker, pool, start.devices());
    var given = run.get().on(pool, start.devices());
    jobs.history().started(given, attempt, worker, now);
    jobs.refresh(job.orElseThrow().with(given.in(State.RUNNING)), now);
    boolean probe =
        queued.probe()
            || (leases.areShared(queued.platform()) && statuses.hasSuspects(pool, start.devices()));
    return Optional.of(
        new Claim(job.orElseThrow(), given, attempt, leaseId, now.toInstant(), probe));
  }

  /**
   * Puts a run back that its worker could not finish; false when that attempt is over already.
   *
   * @param attempt the attempt that ends here
   * @param outcome how; what was lost is tried out before the next attempt
   */
  public boolean putBack(Run run, int attempt, Outcome outcome) {
    boolean done =
        Boolean.TRUE.equals(
            transaction.execute(
                _ ->
                    jobs.lock(run.jobId())
                        .map(job -> putBackLocked(job, run, attempt, outcome))
                        .orElse(false)));
    if (done) {
      changes.announce(run.jobId(), JobChanges.Until.CHANGE);
    }
    return done;
  }

  /** A run that broke its worker once is tried out at every start from then on. */
  private boolean putBackLocked(Job job, Run run, int attempt, Outcome outcome) {
    int rows =
        jdbc.sql(
                """
                update run set state = 'QUEUED', worker = null, instance = null, lease_id = null,
                  started_at = null, heard_at = null, pool = null, probe = (probe or :broke),
                  devices = case when auto_devices then '[]' else devices end
                where id = :id and state = 'RUNNING' and attempt = :attempt
                """)
            .param("id", run.id())
            .param("attempt", attempt)
            .param("broke", outcome.isBreakdown())
            .update();
    if (rows == 1) {
      if (outcome.isBreakdown()) {
        statuses.suspect(run.id());
      }
      attempts.end(run.id(), attempt, outcome);
      leases.release(run.id());
      jobs.history().requeued(run, attempt, Columns.now(clock));
      jobs.refresh(job.with(run.in(State.QUEUED)), Columns.now(clock));
    }
    return rows == 1;
  }
}
