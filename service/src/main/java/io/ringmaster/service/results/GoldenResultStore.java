package io.ringmaster.service.results;

import io.ringmaster.service.config.Ids;
import io.ringmaster.service.jobs.Columns;
import io.ringmaster.service.jobs.Job;
import io.ringmaster.service.jobs.Query;
import io.ringmaster.service.jobs.Run;
import io.ringmaster.worker.job.JobReport;
import io.ringmaster.worker.job.JobReport.Check;
import io.ringmaster.worker.job.Verdict;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.time.Instant;
import java.time.InstantSource;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.namedparam.MapSqlParameterSource;
import org.springframework.jdbc.core.namedparam.NamedParameterJdbcOperations;
import org.springframework.jdbc.core.namedparam.SqlParameterSource;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;
import tools.jackson.core.type.TypeReference;

/** Keeps every golden check that any run made, with what is needed to compare it with others. */
@Repository
class GoldenResultStore {

  private static final int MOST_NAME = 1000;

  private final JdbcClient jdbc;
  private final NamedParameterJdbcOperations batches;
  private final Ids ids;
  private final InstantSource clock;

  GoldenResultStore(
      JdbcClient jdbc, NamedParameterJdbcOperations batches, Ids ids, InstantSource clock) {
    this.jdbc = jdbc;
    this.batches = batches;
    this.ids = ids;
    this.clock = clock;
  }

  /** One check as it is kept. */
  record GoldenResult(
      String id,
      String jobId,
      String runId,
      String name,
      String scriptName,
      String scriptDigest,
      String platform,
      int ranks,
      Verdict verdict,
      Check check,
      Instant createdAt) {}

  /** Which checks a list shows. */
  record Filter(
      Optional<String> scriptDigest,
      Optional<String> name,
      Optional<String> check,
      Optional<String> platform,
      Optional<Boolean> passed,
      Map<String, String> labels,
      Optional<String> jobId,
      Optional<Instant> createdAfter,
      Optional<Instant> createdBefore,
      Optional<String> owner) {}

  void save(Job job, Run run, JobReport.Run result) {
    if (result.checks().isEmpty()) {
      return;
    }
    var now = Columns.now(clock);
    batches.batchUpdate(
        """
              insert into golden_result (id, job_id, run_id, job_name, script_name, script_digest,
                platform, ranks, verdict, check_name, kind, passed, line, elements, mismatches,
                max_abs_difference, max_at, rtol, atol, explanation, test_case, created_at)
              values (:id, :job, :run, :jobName, :scriptName, :digest,
                :platform, :ranks, :verdict, :check, :kind, :passed, :line, :elements, :mismatches,
                :maxAbs, :maxAt, :rtol, :atol, :explanation, :test, :now)
              """,
        result.checks().stream()
            .map(check -> row(job, run, result, check, now))
            .toArray(SqlParameterSource[]::new));
  }

  private SqlParameterSource row(
      Job job, Run run, JobReport.Run result, Check check, OffsetDateTime now) {
    return new MapSqlParameterSource()
        .addValue("id", ids.row())
        .addValue("job", job.id())
        .addValue("run", run.id())
        .addValue("jobName", job.name())
        .addValue("scriptName", job.scriptName())
        .addValue("digest", job.scriptDigest())
        .addValue("platform", run.platform())
        .addValue("ranks", run.devices().size())
        .addValue("verdict", result.verdict().name())
        .addValue("check", shortened(Columns.text(check.name())))
        .addValue("kind", check.kind())
        .addValue("passed", check.passed())
        .addValue("line", check.line())
        .addValue("elements", check.elements())
        .addValue("mismatches", check.mismatches())
        .addValue("maxAbs", check.maxAbsDifference(), Types.DOUBLE)
        .addValue("maxAt", Columns.json(check.maxAt()))
        .addValue("rtol", check.rtol(), Types.DOUBLE)
        .addValue("atol", check.atol(), Types.DOUBLE)
        .addValue("explanation", Columns.text(check.explanation()))
        .addValue("test", testOf(check), Types.VARCHAR)
        .addValue("now", now);
  }

  private static @Nullable String testOf(JobReport.Check check) {
    return check.test() == null ? null : shortened(Columns.text(check.test()));
  }

  private static String shortened(String name) {
    return name.length() <= MOST_NAME ? name : name.substring(0, MOST_NAME - 1) + "…";
  }

  /** A page of checks, newest first. */
  List<GoldenResult> list(Filter filter, Optional<String> after, int rows) {
    return new Query("select * from golden_result g")
        .where("g.script_digest = :digest", "digest", filter.scriptDigest())
        .where("g.job_name = :name", "name", filter.name())
        .where("g.check_name = :check_name", "check_name", filter.check())
        .where("g.platform = :platform", "platform", filter.platform())
        .where("g.passed = :passed", "passed", filter.passed())
        .where("g.job_id = :job", "job", filter.jobId())
        .where("g.created_at >= :since", "since", filter.createdAfter().map(Columns::at))
        .where("g.created_at < :until", "until", filter.createdBefore().map(Columns::at))
        .where(
            "exists (select 1 from job j where j.id = g.job_id and j.owner = :owner)",
            "owner",
            filter.owner())
        .labels("g.job_id", filter.labels())
        .page(jdbc, "g.id", after, rows)
        .query(GoldenResultStore::row)
        .list();
  }

  private static GoldenResult row(ResultSet row, int index) throws SQLException {
    return new GoldenResult(
        row.getString("id"),
        row.getString("job_id"),
        row.getString("run_id"),
        row.getString("job_name"),
        row.getString("script_name"),
        row.getString("script_digest"),
        row.getString("platform"),
        row.getInt("ranks"),
        Verdict.valueOf(row.getString("verdict")),
        new Check(
            row.getString("check_name"),
            row.getString("kind"),
            row.getBoolean("passed"),
            row.getInt("line"),
            row.getLong("elements"),
            row.getLong("mismatches"),
            number(row, "max_abs_difference"),
            Columns.parse(row.getString("max_at"), new TypeReference<>() {}),
            number(row, "rtol"),
            number(row, "atol"),
            row.getString("explanation"),
            row.getString("test_case")),
        Columns.instant(row, "created_at"));
  }

  private static @Nullable Double number(ResultSet row, String column) throws SQLException {
    double value = row.getDouble(column);
    return row.wasNull() ? null : value;
  }
}
