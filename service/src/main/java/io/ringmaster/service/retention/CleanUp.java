package io.ringmaster.service.retention;

import io.ringmaster.service.artifacts.ArtifactStore;
import io.ringmaster.service.artifacts.Blobs;
import io.ringmaster.service.config.RingmasterProperties;
import io.ringmaster.service.jobs.Columns;
import io.ringmaster.service.results.ResultRecorder;
import io.ringmaster.worker.job.Verdict;
import java.time.Duration;
import java.time.InstantSource;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/**
 * Removes finished jobs that have been kept long enough, and files that belong to nobody. What
 * isn't finished stays, however old it is; approved results aren't parts of jobs, so they stay,
 * too.
 */
@Component
public class CleanUp {

  private static final Logger LOG = LoggerFactory.getLogger(CleanUp.class);

  /** So many at a time, so that nobody waits for long. */
  private static final int BATCH = 200;

  /** A result that is being recorded has files before it has rows. */
  private static final Duration UNCOMMITTED = Duration.ofHours(1);

  private final JdbcClient jdbc;
  private final ArtifactStore artifacts;
  private final RingmasterProperties.Retention rules;
  private final Duration keys;
  private final InstantSource clock;

  CleanUp(
      JdbcClient jdbc,
      ArtifactStore artifacts,
      RingmasterProperties properties,
      InstantSource clock) {
    this.jdbc = jdbc;
    this.artifacts = artifacts;
    this.rules = properties.retention();
    this.keys = properties.submit().idempotencyRetention();
    this.clock = clock;
  }

  /**
   * What was removed.
   *
   * @param outputs files of jobs that stay
   * @param ownerless runs whose files were left over
   */
  public record Removed(int jobs, int outputs, int keys, int ownerless) {}

  /**
   * Looks at everything once.
   *
   * @throws io.ringmaster.service.problems.ProblemException UNAVAILABLE when a place of files can't
   *     be used; nothing is removed then, else its contents would stay
   */
  public Removed run() {
    artifacts.places().forEach(Blobs::check);
    int jobs = 0;
    for (var verdict : Verdict.values()) {
      jobs += jobs(verdict, before(rules.keepForVerdict().getOrDefault(verdict, rules.keepFor())));
    }
    int outputs = outputs(before(rules.outputs()));
    int forgotten =
        jdbc.sql("delete from idempotency_key where created_at < :time")
            .param("time", before(keys))
            .update();
    var removed = new Removed(jobs, outputs, forgotten, ownerless());
    if (jobs + outputs + removed.ownerless() > 0) {
      LOG.info(
          "Removed {} jobs and {} outputs that were kept long enough, and the files of {} runs that"
              + " are gone",
          jobs,
          outputs,
          removed.ownerless());
    }
    return removed;
  }

  private OffsetDateTime before(Duration time) {
    return Columns.at(clock.instant().minus(time));
  }

  private int jobs(Verdict verdict, OffsetDateTime before) {
    int removed = 0;
    while (true) {
      var some =
          jdbc.sql(
                  """
                  select id from job where finished_at < :time and verdict = :verdict
                  order by finished_at, id limit :rows
                  """)
              .param("time", before)
              .param("verdict", verdict.name())
              .param("rows", BATCH)
              .query((row, _) -> row.getString(1))
              .list();
      if (some.isEmpty()) {
        return removed;
      }
      var runs = runs(some);
      removed +=
          jdbc.sql("delete from job where id in (:ids) and state = 'FINISHED'")
              .param("ids", some)
              .update();
      artifacts.places().forEach(place -> runs.forEach(place::deleteAll));
    }
  }

  private List<String> runs(List<String> jobs) {
    return jdbc.sql("select id from run where job_id in (:jobs)")
        .param("jobs", jobs)
        .query((row, _) -> row.getString(1))
        .list();
  }

  private record File(String runId, String name) {}

  private int outputs(OffsetDateTime before) {
    int removed = 0;
    while (true) {
      var some =
          jdbc.sql(
                  """
                  select a.run_id, a.name from artifact a join run r on r.id = a.run_id
                  where r.finished_at < :time and a.name like :outputs limit :rows
                  """)
              .param("time", before)
              .param("outputs", ResultRecorder.OUTPUTS + "%")
              .param("rows", BATCH)
              .query((row, _) -> new File(row.getString(1), row.getString(2)))
              .list();
      if (some.isEmpty()) {
        return removed;
      }
      for (var file : some) {
        removed += artifacts.remove(file.runId(), file.name()) ? 1 : 0;
      }
    }
  }

  private int ownerless() {
    return artifacts.places().stream().mapToInt(this::ownerless).sum();
  }

  private int ownerless(Blobs place) {
    var limit = clock.instant().minus(UNCOMMITTED);
    var seen = new ArrayList<String>(BATCH);
    var gone = new ArrayList<String>();
    place.eachRun(
        run -> {
          seen.add(run);
          if (seen.size() == BATCH) {
            gone.addAll(unknown(seen));
            seen.clear();
          }
        });
    gone.addAll(unknown(seen));
    int removed = 0;
    for (var run : gone) {
      if (place.lastPut(run).filter(limit::isAfter).isPresent()) {
        place.deleteAll(run);
        removed++;
      }
    }
    return removed;
  }

  private List<String> unknown(List<String> runs) {
    if (runs.isEmpty()) {
      return List.of();
    }
    var known =
        new HashSet<>(
            jdbc.sql("select id from run where id in (:ids)")
                .param("ids", runs)
                .query((row, _) -> row.getString(1))
                .list());
    return runs.stream().filter(run -> !known.contains(run)).toList();
  }
}
