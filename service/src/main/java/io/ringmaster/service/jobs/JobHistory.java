package io.ringmaster.service.jobs;

import io.ringmaster.worker.job.Verdict;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;

/**
 * What happened to jobs, for those who follow them. It is written in the transaction of the change
 * itself, so that nobody is told what was undone, and nothing is left out.
 */
@Repository
public class JobHistory {

  private final JdbcClient jdbc;

  JobHistory(JdbcClient jdbc) {
    this.jdbc = jdbc;
  }

  /** The kinds, as the contract writes them. */
  public enum Type {
    QUEUED("queued"),
    RUN_STARTED("run-started"),
    RUN_REQUEUED("run-requeued"),
    RUN_FINISHED("run-finished"),
    CANCEL_REQUESTED("cancel-requested"),
    FINISHED("finished");

    private final String text;

    Type(String text) {
      this.text = text;
    }

    public String text() {
      return text;
    }
  }

  /**
   * Something that happened.
   *
   * @param id grows within a job
   * @param run the run's place in the job
   */
  public record Event(
      long id,
      String jobId,
      Type type,
      Instant at,
      Optional<Integer> run,
      Optional<Integer> attempt,
      Optional<String> worker,
      Optional<Verdict> verdict,
      Optional<String> sentence) {}

  void add(String jobId, Type type, OffsetDateTime now) {
    insert(jobId, type, now, null, null, null, null, null);
  }

  void finished(String jobId, Verdict verdict, String sentence, OffsetDateTime now) {
    insert(jobId, Type.FINISHED, now, null, null, null, verdict, sentence);
  }

  /** An attempt of a run begins. The caller holds the job's lock. */
  public void started(Run run, int attempt, String worker, OffsetDateTime now) {
    insert(run.jobId(), Type.RUN_STARTED, now, run.place(), attempt, worker, null, null);
  }

  /** A run goes back into the queue. The caller holds the job's lock. */
  public void requeued(Run run, int attempt, OffsetDateTime now) {
    insert(run.jobId(), Type.RUN_REQUEUED, now, run.place(), attempt, null, null, null);
  }

  /** A run has ended. The caller holds the job's lock. */
  public void ended(Run run, int attempt, Verdict verdict, String sentence, OffsetDateTime now) {
    insert(run.jobId(), Type.RUN_FINISHED, now, run.place(), attempt, null, verdict, sentence);
  }

  private void insert(
      String jobId,
      Type type,
      OffsetDateTime now,
      @Nullable Integer run,
      @Nullable Integer attempt,
      @Nullable String worker,
      @Nullable Verdict verdict,
      @Nullable String sentence) {
    jdbc.sql(
            """
            insert into job_event (job_id, type, happened_at, run, attempt, worker, verdict, sentence)
            values (:job, :type, :now, :run, :attempt, :worker, :verdict, :sentence)
            """)
        .param("job", jobId)
        .param("type", type.name())
        .param("now", now)
        .param("run", run, Types.INTEGER)
        .param("attempt", attempt, Types.INTEGER)
        .param("worker", worker, Types.VARCHAR)
        .param("verdict", verdict == null ? null : verdict.name(), Types.VARCHAR)
        .param("sentence", sentence == null ? null : Columns.text(sentence), Types.VARCHAR)
        .update();
  }

  /** What happened to a job after the event of that id, in order. */
  public List<Event> after(String jobId, long id) {
    return jdbc.sql("select * from job_event where job_id = :job and id > :id order by id")
        .param("job", jobId)
        .param("id", id)
        .query(JobHistory::event)
        .list();
  }

  /** The newest id of each of these jobs. */
  public Map<String, Long> newest(Collection<String> jobs) {
    var newest = new HashMap<String, Long>();
    if (!jobs.isEmpty()) {
      jdbc.sql("select job_id, max(id) from job_event where job_id in (:jobs) group by job_id")
          .param("jobs", jobs)
          .query(
              row -> {
                newest.put(row.getString(1), row.getLong(2));
              });
    }
    return newest;
  }

  private static Event event(ResultSet row, int index) throws SQLException {
    return new Event(
        row.getLong("id"),
        row.getString("job_id"),
        Type.valueOf(row.getString("type")),
        Columns.instant(row, "happened_at"),
        Optional.ofNullable(row.getObject("run", Integer.class)),
        Optional.ofNullable(row.getObject("attempt", Integer.class)),
        Columns.optionalText(row, "worker"),
        Columns.optionalText(row, "verdict").map(Verdict::valueOf),
        Columns.optionalText(row, "sentence"));
  }
}
