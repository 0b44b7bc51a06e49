package io.ringmaster.service.workers;

import io.ringmaster.service.config.EmbeddedDatabase;
import io.ringmaster.service.config.RingmasterProperties;
import io.ringmaster.service.metrics.RunMetrics;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;
import org.springframework.transaction.TransactionException;

/**
 * Takes up runs whose process is gone, and those of which a process that lives says nothing: the
 * answer that gave it the run may have been lost on its way. Also passes on cancellations that
 * another process took.
 */
@Component
class LostRuns implements SmartLifecycle {

  private static final Logger LOG = LoggerFactory.getLogger(LostRuns.class);

  private final JdbcClient jdbc;
  private final EmbeddedDatabase database;
  private final ServiceInstance instance;
  private final Processes processes;
  private final ActiveRuns active;
  private final Returns returns;
  private final RingmasterProperties.Workers settings;
  private final ScheduledExecutorService schedule =
      Executors.newSingleThreadScheduledExecutor(
          Thread.ofPlatform().name("lost-runs").daemon().factory());
  private volatile boolean running;
  private long roundAt;

  LostRuns(
      JdbcClient jdbc,
      EmbeddedDatabase database,
      ServiceInstance instance,
      Processes processes,
      ActiveRuns active,
      Returns returns,
      RingmasterProperties properties) {
    this.jdbc = jdbc;
    this.database = database;
    this.instance = instance;
    this.processes = processes;
    this.active = active;
    this.returns = returns;
    this.settings = properties.workers();
  }

  @Override
  public void start() {
    running = true;
    if (database.isEmbedded()) {
      instance.beAlone();
    }
    if (!instance.hasListeners()) {
      processes.listenAgain();
    }
    instance.beat();
    sweep();
    roundAt = System.nanoTime();
    long period = settings.heartbeat().toNanos();
    var _ = schedule.scheduleWithFixedDelay(this::round, period, period, TimeUnit.NANOSECONDS);
    long poll = settings.pollInterval().toNanos();
    var _ = schedule.scheduleWithFixedDelay(this::hearCancels, poll, poll, TimeUnit.NANOSECONDS);
  }

  private void round() {
    try {
      var patience = settings.heartbeat().plus(settings.lostAfter().dividedBy(2));
      round(System.nanoTime() - roundAt > patience.toNanos());
      roundAt = System.nanoTime();
    } catch (DataAccessException | TransactionException e) {
      LOG.warn("No sign of life possible, the database does not answer: {}", e.getMessage());
    }
  }

  /**
   * Gives signs of life and looks for those of others.
   *
   * @param afterOutage then nobody is blamed for a silence that nobody could have heard through:
   *     other processes of the service may not have got through to the database either
   */
  void round(boolean afterOutage) {
    if (afterOutage) {
      processes.forgive();
    }
    instance.beat();
    active.all().forEach(this::beat);
    sweep();
  }

  /** A run that was taken from this process has no use for its result. */
  private void beat(ActiveRun run) {
    var claim = run.claim();
    if (!processes.beatRun(claim.run().id(), claim.attempt())) {
      run.stop(ActiveRun.Stop.SHUTDOWN);
    }
  }

  private void hearCancels() {
    if (active.all().isEmpty()) {
      return;
    }
    try {
      jdbc.sql("select id from job where cancel_requested = true and state = 'RUNNING'")
          .query(String.class)
          .list()
          .forEach(active::stopJob);
    } catch (DataAccessException | TransactionException e) {
      LOG.warn("Cannot ask for cancellations: {}", e.getMessage());
    }
  }

  /** Gives up who has been silent for too long, and takes up what that one executed. */
  void sweep() {
    processes.forgetSilent();
    recover();
  }

  private void recover() {
    record Lost(String runId, String jobId, int attempt, RunMetrics.Loss cause) {}
    jdbc.sql(
            """
            select id, job_id, attempt,
              exists (select 1 from service_instance s where s.id = run.instance) as lives
            from run
            where state = 'RUNNING'
              and (heard_at is null or heard_at < :limit
                or not exists (select 1 from service_instance s where s.id = run.instance))
            order by id
            """)
        .param("limit", processes.silentBefore())
        .query(
            (row, _) ->
                new Lost(
                    row.getString(1),
                    row.getString(2),
                    row.getInt(3),
                    row.getBoolean(4) ? RunMetrics.Loss.SILENT : RunMetrics.Loss.PROCESS_GONE))
        .list()
        .forEach(lost -> returns.lost(lost.jobId(), lost.runId(), lost.attempt(), lost.cause()));
  }

  @Override
  public void stop() {
    running = false;
    schedule.shutdownNow();
    try {
      var _ = schedule.awaitTermination(1, TimeUnit.SECONDS);
      instance.leave();
    } catch (DataAccessException e) {
      LOG.warn("Cannot say good-bye, the database does not answer: {}", e.getMessage());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public boolean isRunning() {
    return running;
  }

  /** Starts before the workers, which are in the last phase, and stops after them. */
  @Override
  public int getPhase() {
    return DEFAULT_PHASE - 1;
  }
}
