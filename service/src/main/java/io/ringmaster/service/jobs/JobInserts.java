package io.ringmaster.service.jobs;

import io.ringmaster.service.config.Ids;
import java.sql.Types;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Optional;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;

/** Writes new jobs: the job, its labels, its source and its runs, and the key of the request. */
@Repository
class JobInserts {

  private final JdbcClient jdbc;
  private final Ids ids;
  private final Requester requester;
  private final JobHistory history;

  JobInserts(JdbcClient jdbc, Ids ids, Requester requester, JobHistory history) {
    this.history = history;
    this.jdbc = jdbc;
    this.ids = ids;
    this.requester = requester;
  }

  /** The submission that an Idempotency-Key stands for. */
  record Remembered(String jobId, String submissionDigest) {}

  Optional<Remembered> remembered(String key) {
    return jdbc.sql(
            """
            select job_id, submission_digest from idempotency_key
            where owner = :owner and idem_key = :key
            """)
        .param("owner", requester.name())
        .param("key", key)
        .query((row, _) -> new Remembered(row.getString(1), row.getString(2)))
        .optional();
  }

  /**
   * Keeps a key together with its job.
   *
   * @throws org.springframework.dao.DuplicateKeyException when the key is taken
   */
  void remember(String key, String jobId, Submission submission, OffsetDateTime now) {
    jdbc.sql(
            """
            insert into idempotency_key (owner, idem_key, submission_digest, job_id, created_at)
            values (:owner, :key, :digest, :job, :now)
            """)
        .param("owner", requester.name())
        .param("key", key)
        .param("digest", submission.digest())
        .param("job", jobId)
        .param("now", now)
        .update();
  }

  /** Forgets keys from before a time. */
  void forgetBefore(OffsetDateTime time) {
    jdbc.sql("delete from idempotency_key where created_at < :time").param("time", time).update();
  }

  void insert(String id, Submission submission, OffsetDateTime now) {
    insertJob(id, submission, now);
    history.add(id, JobHistory.Type.QUEUED, now);
    submission
        .labels()
        .forEach(
            (key, value) ->
                jdbc.sql(
                        """
                        insert into job_label (job_id, label_key, label_value)
                        values (:id, :key, :value)
                        """)
                    .param("id", id)
                    .param("key", key)
                    .param("value", value)
                    .update());
    jdbc.sql("insert into job_source (job_id, content) values (:id, :content)")
        .param("id", id)
        .param("content", submission.script().content())
        .update();
    int place = 0;
    for (var platform : submission.platforms()) {
      for (var devices : submission.devices()) {
        for (var arguments : submission.argumentSets()) {
          place++;
          insertRun(id, submission, place, platform, devices, arguments, now);
        }
      }
    }
  }

  private void insertJob(String id, Submission submission, OffsetDateTime now) {
    var limits = submission.limits();
    jdbc.sql(
            """
            insert into job (id, owner, name, state, platform, arguments, argument_sets, labels, seed,
              schedules, conditions, schedule_seed, cache_lines, rerun_of, priority, wall_seconds, script_steps, kernel_steps, memory_bytes, script_name, script_digest,
              script_bytes, diagnostics, cancel_requested, version, created_at)
            values (:id, :owner, :name, 'QUEUED', :platform, :arguments, :argumentSets, :labels, :seed,
              :schedules, :conditions, :scheduleSeed, :cacheLines, :rerunOf, :priority, :wall, :scriptSteps, :kernelSteps, :memory, :scriptName, :digest,
              :bytes, '[]', false, 1, :now)
            """)
        .param("id", id)
        .param("owner", requester.name())
        .param("name", submission.name())
        .param("platform", submission.platforms().getFirst())
        .param("arguments", Columns.json(submission.argumentSets().getFirst()))
        .param("argumentSets", Columns.json(submission.argumentSets()))
        .param("labels", Columns.json(submission.labels()))
        .param("seed", submission.seed())
        .param("schedules", submission.circumstances().schedules())
        .param("conditions", Columns.json(submission.circumstances().conditions()))
        .param("scheduleSeed", submission.circumstances().scheduleSeed().orElse(null), Types.BIGINT)
        .param("cacheLines", submission.circumstances().cacheLines())
        .param("rerunOf", submission.rerunOf().orElse(null), Types.VARCHAR)
        .param("priority", submission.priority().rank())
        .param("wall", limits.wall().toSeconds())
        .param("scriptSteps", limits.scriptSteps())
        .param("kernelSteps", limits.kernelSteps())
        .param("memory", limits.memoryBytes())
        .param("scriptName", submission.script().name())
        .param("digest", submission.script().digest())
        .param("bytes", (long) submission.script().content().length)
        .param("now", now)
        .update();
  }

  private void insertRun(
      String id,
      Submission submission,
      int place,
      String platform,
      DeviceRequest devices,
      List<String> arguments,
      OffsetDateTime now) {
    jdbc.sql(
            """
            insert into run (id, job_id, place, platform, devices, arguments, ranks, priority, state,
              attempt, queued_at, wanted_pool, auto_devices, kind, owner)
            values (:id, :job, :place, :platform, :devices, :arguments, :ranks, :priority, 'QUEUED',
              0, :now, :pool, :auto, :kind, :owner)
            """)
        .param("id", ids.run())
        .param("owner", requester.name())
        .param("job", id)
        .param("place", place)
        .param("platform", platform)
        .param(
            "devices",
            switch (devices) {
              case DeviceRequest.Ids ids -> ids.text();
              case DeviceRequest.Count _ -> "[]";
            })
        .param("arguments", Columns.json(arguments))
        .param("ranks", devices.ranks())
        .param("pool", submission.pool().orElse(null), Types.VARCHAR)
        .param("auto", devices instanceof DeviceRequest.Count)
        .param("kind", submission.kind(platform, devices))
        .param("priority", submission.priority().rank())
        .param("now", now)
        .update();
  }
}
