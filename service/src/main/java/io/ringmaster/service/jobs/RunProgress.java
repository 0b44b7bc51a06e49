package io.ringmaster.service.jobs;

import java.util.Optional;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;

/** What runs that are executed elsewhere have said so far. The end of a run makes it useless. */
@Repository
public class RunProgress {

  private static final int MOST_LOG = 1 << 20;

  /** In the place of a NUL, which PostgreSQL can't keep; one for one, since offsets count. */
  private static final char UNKNOWN = '\uFFFD';

  private final JdbcClient jdbc;

  RunProgress(JdbcClient jdbc) {
    this.jdbc = jdbc;
  }

  /** An attempt begins; whatever an earlier one has said is forgotten. */
  public void begin(String runId, int attempt) {
    end(runId);
    jdbc.sql(
            """
            insert into run_progress (run_id, attempt, phase, log)
            values (:run, :attempt, 'starting', '')
            """)
        .param("run", runId)
        .param("attempt", attempt)
        .update();
  }

  public void phase(String runId, String phase) {
    jdbc.sql("update run_progress set phase = :phase where run_id = :run")
        .param("phase", phase)
        .param("run", runId)
        .update();
  }

  /**
   * More of the log; of text that came before, only what follows it is kept, so that it may be sent
   * twice.
   *
   * @param offset characters before it
   * @return false when something between is missing
   */
  public boolean append(String runId, int offset, String text) {
    var log = log(runId).orElse("");
    if (offset > log.length()) {
      return false;
    }
    int known = Math.min(text.length(), log.length() - offset);
    var more = text.substring(known).replace('\0', UNKNOWN);
    jdbc.sql("update run_progress set log = :log where run_id = :run")
        .param("log", log + more.substring(0, Math.min(more.length(), MOST_LOG - log.length())))
        .param("run", runId)
        .update();
    return true;
  }

  public void end(String runId) {
    jdbc.sql("delete from run_progress where run_id = :run").param("run", runId).update();
  }

  private Optional<String> find(String column, String runId) {
    return jdbc.sql("select " + column + " from run_progress where run_id = :run")
        .param("run", runId)
        .query(String.class)
        .optional();
  }

  public Optional<String> log(String runId) {
    return find("log", runId);
  }

  public Optional<String> phase(String runId) {
    return find("phase", runId);
  }
}
