package io.ringmaster.service.placement;

import io.ringmaster.service.jobs.Columns;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;
import tools.jackson.core.type.TypeReference;

/** Every start of a run, and what became of it; the row of one that has ended never changes. */
@Repository
public class Attempts {

  private final JdbcClient jdbc;
  private final InstantSource clock;

  Attempts(JdbcClient jdbc, InstantSource clock) {
    this.jdbc = jdbc;
    this.clock = clock;
  }

  /** How an attempt ended. */
  public enum Outcome {
    /** With a verdict that stands. */
    FINISHED,
    /** Its worker died, fell silent or never heard of it. */
    LOST,
    /** Its worker handed it back. */
    GIVEN_BACK,
    /** The worker failed, not the kernel. */
    INFRA,
    /** A device didn't execute a kernel that is known to be good. */
    PROBE_FAILED;

    /** Whether the machine failed: its devices are tried out before the next run. */
    public boolean isBreakdown() {
      return switch (this) {
        case LOST, INFRA -> true;
        case FINISHED, GIVEN_BACK, PROBE_FAILED -> false;
      };
    }
  }

  /**
   * One start.
   *
   * @param outcome empty while it goes on
   */
  public record Attempt(
      int number,
      String worker,
      String pool,
      List<Integer> devices,
      Instant startedAt,
      Optional<Instant> endedAt,
      Optional<Outcome> outcome) {}

  void begin(String runId, int attempt, String worker, String pool, List<Integer> devices) {
    jdbc.sql(
            """
            insert into attempt (run_id, attempt, worker, pool, devices, started_at)
            values (:run, :attempt, :worker, :pool, :devices, :now)
            """)
        .param("run", runId)
        .param("attempt", attempt)
        .param("worker", worker)
        .param("pool", pool)
        .param("devices", Columns.json(devices))
        .param("now", Columns.now(clock))
        .update();
  }

  /** Records the end, once. */
  public void end(String runId, int attempt, Outcome outcome) {
    jdbc.sql(
            """
            update attempt set ended_at = :now, outcome = :outcome
            where run_id = :run and attempt = :attempt and ended_at is null
            """)
        .param("now", Columns.now(clock))
        .param("outcome", outcome.name())
        .param("run", runId)
        .param("attempt", attempt)
        .update();
  }

  /** All starts of a run, the first one first. */
  public List<Attempt> of(String runId) {
    return jdbc.sql("select * from attempt where run_id = :run order by attempt")
        .param("run", runId)
        .query(Attempts::attempt)
        .list();
  }

  private static Attempt attempt(ResultSet row, int index) throws SQLException {
    return new Attempt(
        row.getInt("attempt"),
        row.getString("worker"),
        row.getString("pool"),
        Columns.parse(row.getString("devices"), new TypeReference<>() {}),
        Columns.instant(row, "started_at"),
        Columns.optionalInstant(row, "ended_at"),
        Columns.optionalText(row, "outcome").map(Outcome::valueOf));
  }
}
