package io.ringmaster.service.jobs;

import io.ringmaster.worker.job.JobReport.Evidence;
import io.ringmaster.worker.job.JobSpec.Limits;
import io.ringmaster.worker.job.PlatformComparison;
import io.ringmaster.worker.job.Verdict;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import tools.jackson.core.type.TypeReference;

/** Reads rows of the tables {@code job} and {@code run}. */
final class JobRows {

  private JobRows() {}

  static Job job(ResultSet row, int index) throws SQLException {
    return new Job(
        row.getString("id"),
        row.getString("owner"),
        row.getString("name"),
        State.valueOf(row.getString("state")),
        Columns.optionalText(row, "verdict").map(Verdict::valueOf),
        Columns.optionalText(row, "sentence"),
        row.getString("platform"),
        Columns.parse(row.getString("arguments"), new TypeReference<>() {}),
        Columns.parse(row.getString("labels"), new TypeReference<>() {}),
        Columns.parse(row.getString("argument_sets"), new TypeReference<>() {}),
        row.getLong("seed"),
        new Circumstances(
            Columns.parse(row.getString("conditions"), new TypeReference<>() {}),
            row.getInt("schedules"),
            Optional.ofNullable(row.getObject("schedule_seed", Long.class)),
            row.getBoolean("cache_lines")),
        Columns.optionalText(row, "rerun_of"),
        Priority.ofRank(row.getInt("priority")),
        new Limits(
            Duration.ofSeconds(row.getLong("wall_seconds")),
            row.getLong("script_steps"),
            row.getLong("kernel_steps"),
            row.getLong("memory_bytes")),
        row.getString("script_name"),
        row.getString("script_digest"),
        row.getLong("script_bytes"),
        Columns.parse(row.getString("diagnostics"), new TypeReference<>() {}),
        comparisons(row),
        row.getBoolean("cancel_requested"),
        row.getLong("version"),
        Columns.instant(row, "created_at"),
        Columns.optionalInstant(row, "started_at"),
        Columns.optionalInstant(row, "finished_at"),
        List.of());
  }

  private static List<PlatformComparison> comparisons(ResultSet row) throws SQLException {
    var json = row.getString("comparisons");
    return json == null ? List.of() : Columns.parse(json, new TypeReference<>() {});
  }

  static Run run(ResultSet row, int index) throws SQLException {
    List<Integer> devices = Columns.parse(row.getString("devices"), new TypeReference<>() {});
    return new Run(
        row.getString("id"),
        row.getString("job_id"),
        row.getInt("place"),
        row.getString("platform"),
        devices,
        Columns.parse(row.getString("arguments"), new TypeReference<>() {}),
        State.valueOf(row.getString("state")),
        row.getInt("attempt"),
        Columns.optionalText(row, "worker"),
        Columns.instant(row, "queued_at"),
        Columns.optionalInstant(row, "started_at"),
        Columns.optionalInstant(row, "finished_at"),
        outcome(row),
        row.getBoolean("auto_devices")
            ? new DeviceRequest.Count(row.getInt("ranks"))
            : new DeviceRequest.Ids(devices),
        Columns.optionalText(row, "wanted_pool"),
        Columns.optionalText(row, "pool"));
  }

  private static Optional<Run.Outcome> outcome(ResultSet row) throws SQLException {
    var verdict = row.getString("verdict");
    if (verdict == null) {
      return Optional.empty();
    }
    return Optional.of(
        new Run.Outcome(
            Verdict.valueOf(verdict),
            row.getString("sentence"),
            Columns.parseOptional(row.getString("evidence"), Evidence.class),
            row.getInt("failed_checks"),
            row.getInt("findings")));
  }
}
