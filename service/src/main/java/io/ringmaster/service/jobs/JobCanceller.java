package io.ringmaster.service.jobs;

import io.ringmaster.service.config.EmbeddedDatabase;
import io.ringmaster.service.problems.ProblemCode;
import io.ringmaster.service.problems.ProblemException;
import io.ringmaster.worker.job.JobEnd;
import io.ringmaster.worker.job.Verdict;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Service;
import org.springframework.transaction.support.TransactionTemplate;

/** Stops jobs and removes finished ones. */
@Service
class JobCanceller {

  private static final String CANCELLED_IN_QUEUE = "Cancelled before it started.";

  private final JobStore store;
  private final JdbcClient jdbc;
  private final TransactionTemplate transaction;
  private final EmbeddedDatabase database;
  private final JobChanges changes;
  private final ApplicationEventPublisher events;
  private final InstantSource clock;

  JobCanceller(
      JobStore store,
      JdbcClient jdbc,
      TransactionTemplate transaction,
      EmbeddedDatabase database,
      JobChanges changes,
      ApplicationEventPublisher events,
      InstantSource clock) {
    this.store = store;
    this.jdbc = jdbc;
    this.transaction = transaction;
    this.database = database;
    this.changes = changes;
    this.events = events;
    this.clock = clock;
  }

  /**
   * Ends what is queued at once and asks what is running to stop; a finished job stays as it is.
   *
   * @throws ProblemException NOT_FOUND
   */
  void cancel(String id) {
    var ended = new ArrayList<Run>();
    var change =
        Objects.requireNonNull(
            transaction.execute(
                _ -> {
                  ended.clear();
                  return cancelLocked(lock(id), ended);
                }));
    if (change.isPresent()) {
      database.settle();
      events.publishEvent(new JobEvents.CancelRequested(id));
      ended.forEach(run -> events.publishEvent(new JobEvents.EndedInQueue(run)));
      changes.announce(id, change.get());
    }
  }

  private Job lock(String id) {
    return store.lock(id).orElseThrow(() -> JobReader.unknown(id));
  }

  /** Empty when that changes nothing. */
  private Optional<JobChanges.Until> cancelLocked(Job job, List<Run> ended) {
    if (job.isFinished() || job.cancelRequested()) {
      return Optional.empty();
    }
    store.requestCancel(job.id(), Columns.now(clock));
    for (var run : job.runs()) {
      if (run.state() == State.QUEUED) {
        endInQueue(run);
        ended.add(run);
      }
    }
    boolean running = job.runs().stream().anyMatch(run -> run.state() == State.RUNNING);
    if (!running) {
      var now = Columns.now(clock);
      store.finish(
          job.id(),
          new JobEnd(Verdict.CANCELLED, CANCELLED_IN_QUEUE),
          job.diagnostics(),
          List.of(),
          now);
    }
    return Optional.of(running ? JobChanges.Until.CHANGE : JobChanges.Until.END);
  }

  private void endInQueue(Run run) {
    var now = Columns.now(clock);
    store.history().ended(run, run.attempt(), Verdict.CANCELLED, CANCELLED_IN_QUEUE, now);
    jdbc.sql(
            """
            update run set state = 'FINISHED', verdict = 'CANCELLED', sentence = :sentence,
              failed_checks = 0, findings = 0, finished_at = :now
            where id = :id and state = 'QUEUED'
            """)
        .param("id", run.id())
        .param("sentence", CANCELLED_IN_QUEUE)
        .param("now", now)
        .update();
  }

  /**
   * Removes a finished job.
   *
   * @throws ProblemException NOT_FOUND, NOT_FINISHED
   */
  void delete(String id) {
    transaction.executeWithoutResult(
        _ -> {
          var job = lock(id);
          if (!job.isFinished()) {
            throw new ProblemException(
                ProblemCode.NOT_FINISHED,
                "Job %s is %s. Cancel it first, with POST /api/v1/jobs/%s/cancel."
                    .formatted(id, job.state(), id));
          }
          store.delete(id);
        });
  }
}
