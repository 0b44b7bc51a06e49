package io.ringmaster.service.jobs;

import io.ringmaster.worker.job.JobEnd;
import io.ringmaster.worker.job.JobReport.DiagnosticLine;
import io.ringmaster.worker.job.PlatformComparison;
import io.ringmaster.worker.job.Verdict;
import java.nio.charset.StandardCharsets;
import java.sql.Types;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;

/**
 * Reads and changes jobs. Whatever changes a job or a run of it locks the job's row first ({@link
 * #lock}), so that all transitions of a job happen one after the other and none waits in a circle.
 */
@Repository
public class JobStore {

  private final JdbcClient jdbc;
  private final JobHistory history;

  public JobStore(JdbcClient jdbc, JobHistory history) {
    this.jdbc = jdbc;
    this.history = history;
  }

  /** Where changes of a job's runs are written down. */
  public JobHistory history() {
    return history;
  }

  /** The job with its runs. */
  public Optional<Job> find(String id) {
    return jdbc.sql("select * from job where id = :id")
        .param("id", id)
        .query(JobRows::job)
        .optional()
        .map(job -> job.withRuns(runs(List.of(id))));
  }

  /** A page of jobs, newest first. */
  public List<Job> list(JobFilter filter, Optional<String> after, int rows) {
    var query =
        new Query("select * from job j")
            .where("j.state = :state", "state", filter.state().map(State::name))
            .where("j.verdict = :verdict", "verdict", filter.verdict().map(Verdict::name))
            .where(
                "exists (select 1 from run r where r.job_id = j.id and r.platform = :platform)",
                "platform",
                filter.platform())
            .where(
                """
                exists (select 1 from run r where r.job_id = j.id
                  and (r.pool = :pool or r.wanted_pool = :pool))
                """,
                "pool",
                filter.pool())
            .where("j.name = :name", "name", filter.name())
            .where("j.created_at >= :since", "since", filter.createdAfter().map(Columns::at))
            .where("j.created_at < :until", "until", filter.createdBefore().map(Columns::at))
            .where("j.owner = :owner", "owner", filter.owner());
    query.labels("j.id", filter.labels());
    var jobs = query.page(jdbc, "j.id", after, rows).query(JobRows::job).list();
    if (jobs.isEmpty()) {
      return jobs;
    }
    var runs =
        runs(jobs.stream().map(Job::id).toList()).stream()
            .collect(Collectors.groupingBy(Run::jobId));
    return jobs.stream().map(job -> job.withRuns(runs.getOrDefault(job.id(), List.of()))).toList();
  }

  private List<Run> runs(List<String> jobs) {
    return jdbc.sql("select * from run where job_id in (:jobs) order by job_id, place")
        .param("jobs", jobs)
        .query(JobRows::run)
        .list();
  }

  /** The script's bytes as they were submitted. */
  public Optional<byte[]> source(String id) {
    return jdbc.sql("select content from job_source where job_id = :id")
        .param("id", id)
        .query((row, _) -> row.getBytes(1))
        .optional();
  }

  /**
   * What a worker needs to begin.
   *
   * @param cancelRequested whether nobody wants it any more
   */
  public record Script(String text, boolean cancelRequested) {}

  /** The script and whether it is still wanted; empty when the job is gone. */
  public Optional<Script> script(String id) {
    return jdbc.sql(
            """
            select s.content, j.cancel_requested from job j join job_source s on s.job_id = j.id
            where j.id = :id
            """)
        .param("id", id)
        .query(
            (row, _) ->
                new Script(new String(row.getBytes(1), StandardCharsets.UTF_8), row.getBoolean(2)))
        .optional();
  }

  /** Holds the job's row until the transaction ends; empty when there is no such job. */
  public Optional<Job> lock(String id) {
    return jdbc.sql("select * from job where id = :id for update")
        .param("id", id)
        .query(JobRows::job)
        .optional()
        .map(job -> job.withRuns(runs(List.of(id))));
  }

  /** Records that somebody wants the job to stop. The caller holds the lock. */
  void requestCancel(String id, OffsetDateTime now) {
    history.add(id, JobHistory.Type.CANCEL_REQUESTED, now);
    jdbc.sql("update job set cancel_requested = true, version = version + 1 where id = :id")
        .param("id", id)
        .update();
  }

  /**
   * Brings the job's own state in line with its unfinished runs. The caller holds the lock.
   *
   * @param job with its runs as they are now
   */
  public void refresh(Job job, OffsetDateTime now) {
    boolean queuedOnly = job.runs().stream().allMatch(run -> run.state() == State.QUEUED);
    jdbc.sql(
            """
            update job set state = :state, started_at = coalesce(started_at, :started),
              version = version + 1 where id = :id
            """)
        .param("id", job.id())
        .param("state", (queuedOnly ? State.QUEUED : State.RUNNING).name())
        .param("started", queuedOnly ? null : now, Types.TIMESTAMP_WITH_TIMEZONE)
        .update();
  }

  /** Ends a job, once: a finished job keeps its verdict. The caller holds the lock. */
  public boolean finish(
      String id,
      JobEnd end,
      List<DiagnosticLine> diagnostics,
      List<PlatformComparison> comparisons,
      OffsetDateTime now) {
    boolean ended =
        jdbc.sql(
                    """
                    update job set state = 'FINISHED', verdict = :verdict, sentence = :sentence,
                      diagnostics = :diagnostics, comparisons = :comparisons, finished_at = :now,
                      version = version + 1
                    where id = :id and state <> 'FINISHED'
                    """)
                .param("id", id)
                .param("verdict", end.verdict().name())
                .param("sentence", Columns.text(end.sentence()))
                .param("diagnostics", Columns.json(diagnostics))
                .param(
                    "comparisons",
                    comparisons.isEmpty() ? null : Columns.json(comparisons),
                    Types.VARCHAR)
                .param("now", now)
                .update()
            == 1;
    if (ended) {
      history.finished(id, end.verdict(), end.sentence(), now);
    }
    return ended;
  }

  /** Keeps messages about the source while other runs go on. The caller holds the lock. */
  public void keepDiagnostics(String id, List<DiagnosticLine> diagnostics) {
    jdbc.sql("update job set diagnostics = :diagnostics where id = :id")
        .param("id", id)
        .param("diagnostics", Columns.json(diagnostics))
        .update();
  }

  /** Removes a job with everything that belongs to it. */
  public void delete(String id) {
    jdbc.sql("delete from job where id = :id").param("id", id).update();
  }
}
