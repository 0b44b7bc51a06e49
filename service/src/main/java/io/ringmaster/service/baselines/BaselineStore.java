package io.ringmaster.service.baselines;

import io.ringmaster.service.config.Ids;
import io.ringmaster.service.jobs.Columns;
import io.ringmaster.service.jobs.Query;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;
import tools.jackson.core.type.TypeReference;

/**
 * Keeps baselines. What was approved is kept by its digest, once for however many approvals, and
 * outlives the job it came from.
 */
@Repository
class BaselineStore {

  private static final String APPROVALS =
      "select a.*, c.content from baseline_approval a join baseline_content c on c.digest ="
          + " a.digest";

  private final JdbcClient jdbc;
  private final Ids ids;

  BaselineStore(JdbcClient jdbc, Ids ids) {
    this.jdbc = jdbc;
    this.ids = ids;
  }

  Optional<Baseline> find(String name) {
    return read("select * from baseline where name = :name", name);
  }

  /** The same, held until the transaction ends. */
  Optional<Baseline> lock(String name) {
    return read("select * from baseline where name = :name for update", name);
  }

  /**
   * First the version, then what was approved: whoever changes the baseline in between makes the
   * version too old for the results, which a later change refuses, never too new, which it would
   * let pass.
   */
  private Optional<Baseline> read(String select, String name) {
    return jdbc.sql(select)
        .param("name", name)
        .query((row, _) -> baseline(row))
        .optional()
        .map(baseline -> baseline.withApproved(approved(name)));
  }

  private List<ApprovedResult> approved(String name) {
    return jdbc.sql(APPROVALS + " where a.baseline = :name and a.current_one order by a.job_name")
        .param("name", name)
        .query(BaselineStore::approval)
        .list();
  }

  private static Baseline baseline(ResultSet row) throws SQLException {
    return new Baseline(
        row.getString("name"),
        row.getString("owner"),
        row.getString("description"),
        row.getDouble("tolerance_percent"),
        row.getLong("version"),
        Columns.instant(row, "created_at"),
        Columns.instant(row, "updated_at"),
        List.of());
  }

  private static ApprovedResult approval(ResultSet row, int index) throws SQLException {
    return new ApprovedResult(
        row.getString("id"),
        row.getString("job_name"),
        row.getInt("revision"),
        row.getString("job_id"),
        Columns.parse(row.getString("labels"), new TypeReference<>() {}),
        row.getString("digest"),
        row.getString("approved_by"),
        Columns.instant(row, "approved_at"),
        row.getString("note"),
        Columns.parse(row.getString("content"), new TypeReference<>() {}));
  }

  /** A baseline in a list, with the names of the jobs it has results for. */
  record Summary(Baseline baseline, List<String> names) {}

  /** A page of baselines, by name from the end. */
  List<Summary> list(Optional<String> after, int rows) {
    var page =
        new Query("select * from baseline b")
            .page(jdbc, "b.name", after, rows)
            .query((row, _) -> baseline(row))
            .list();
    var names = names(page.stream().map(Baseline::name).toList());
    return page.stream()
        .map(one -> new Summary(one, names.getOrDefault(one.name(), List.of())))
        .toList();
  }

  private Map<String, List<String>> names(List<String> baselines) {
    var names = new HashMap<String, List<String>>();
    if (!baselines.isEmpty()) {
      jdbc.sql(
              "select baseline, job_name from baseline_approval where baseline in (:names) and"
                  + " current_one order by job_name")
          .param("names", baselines)
          .query(
              row -> {
                names
                    .computeIfAbsent(row.getString("baseline"), _ -> new ArrayList<>())
                    .add(row.getString("job_name"));
              });
    }
    return names;
  }

  /** A page of approvals, newest first. */
  List<ApprovedResult> history(
      String baseline, Optional<String> jobName, Optional<String> after, int rows) {
    return new Query(APPROVALS)
        .where("a.baseline = :name", "name", Optional.of(baseline))
        .where("a.job_name = :job_name", "job_name", jobName)
        .page(jdbc, "a.id", after, rows)
        .query(BaselineStore::approval)
        .list();
  }

  /**
   * Makes a baseline.
   *
   * @throws org.springframework.dao.DuplicateKeyException when there is one of that name
   */
  void insert(String name, String owner, String description, double tolerance, OffsetDateTime now) {
    jdbc.sql(
            """
            insert into baseline (name, owner, description, tolerance_percent, version, created_at,
              updated_at)
            values (:name, :owner, :description, :tolerance, 1, :now, :now)
            """)
        .param("name", name)
        .param("owner", owner)
        .param("description", description)
        .param("tolerance", tolerance)
        .param("now", now)
        .update();
  }

  void update(String name, String description, double tolerance, OffsetDateTime now) {
    jdbc.sql(
            """
            update baseline set description = :description, tolerance_percent = :tolerance,
              version = version + 1, updated_at = :now where name = :name
            """)
        .param("name", name)
        .param("description", description)
        .param("tolerance", tolerance)
        .param("now", now)
        .update();
  }

  /** Lets a result stand for its name. The caller holds the lock. */
  void approve(String baseline, ApprovedResult result, String content, OffsetDateTime now) {
    jdbc.sql(
            """
            insert into baseline_content (digest, content)
            select cast(:digest as varchar(64)), :content
            where not exists (select 1 from baseline_content c where c.digest = :digest)
            """)
        .param("digest", result.digest())
        .param("content", content)
        .update();
    jdbc.sql(
            """
            update baseline_approval set current_one = false
            where baseline = :name and job_name = :job and current_one
            """)
        .param("name", baseline)
        .param("job", result.name())
        .update();
    jdbc.sql(
            """
            insert into baseline_approval (id, baseline, job_name, revision, job_id, labels, digest,
              approved_by, approved_at, note, current_one)
            values (:id, :baseline, :job, :revision, :jobId, :labels, :digest, :by, :now, :note, true)
            """)
        .param("id", ids.row())
        .param("baseline", baseline)
        .param("job", result.name())
        .param("revision", result.revision())
        .param("jobId", result.jobId())
        .param("labels", Columns.json(result.labels()))
        .param("digest", result.digest())
        .param("by", result.approvedBy())
        .param("now", now)
        .param("note", result.note())
        .update();
    jdbc.sql("update baseline set version = version + 1, updated_at = :now where name = :name")
        .param("name", baseline)
        .param("now", now)
        .update();
  }

  /** Removes a baseline with its history, and contents that nothing else refers to. */
  void delete(String name) {
    jdbc.sql("delete from baseline where name = :name").param("name", name).update();
    removeOrphans();
  }

  /** Removes contents that no approval refers to any more. */
  int removeOrphans() {
    return jdbc.sql(
            """
            delete from baseline_content where not exists
              (select 1 from baseline_approval a where a.digest = baseline_content.digest)
            """)
        .update();
  }
}
