package io.ringmaster.service.fleet;

import io.ringmaster.service.config.Ids;
import io.ringmaster.service.jobs.Columns;
import io.ringmaster.service.platforms.PlatformOffers;
import io.ringmaster.service.workers.Processes;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;
import org.springframework.transaction.support.TransactionTemplate;
import tools.jackson.core.type.TypeReference;

/** The worker processes that are registered and give signs of life. */
@Repository
class WorkerRegistry implements PlatformOffers {

  private static final String ALL =
      "select w.*, s.heartbeat_at from worker w join service_instance s on s.id = w.id ";

  private final JdbcClient jdbc;
  private final Processes processes;
  private final TransactionTemplate transaction;
  private final InstantSource clock;
  private final Ids ids;

  WorkerRegistry(
      JdbcClient jdbc,
      Processes processes,
      TransactionTemplate transaction,
      InstantSource clock,
      Ids ids) {
    this.jdbc = jdbc;
    this.processes = processes;
    this.transaction = transaction;
    this.clock = clock;
    this.ids = ids;
  }

  /** Takes a worker in and returns its id. */
  String register(
      String name,
      String pool,
      List<String> platforms,
      List<List<Integer>> devices,
      List<List<Integer>> groups,
      int slots,
      String version) {
    var id = ids.worker();
    transaction.executeWithoutResult(
        _ -> {
          processes.add(id);
          jdbc.sql(
                  """
                  insert into worker (id, name, pool, platforms, devices, device_groups, slots,
                    version, registered_at)
                  values (:id, :name, :pool, :platforms, :devices, :groups, :slots, :version, :now)
                  """)
              .param("id", id)
              .param("name", name)
              .param("pool", pool)
              .param("platforms", Columns.json(platforms))
              .param("devices", Columns.json(devices))
              .param("groups", Columns.json(groups))
              .param("slots", slots)
              .param("version", version)
              .param("now", Columns.now(clock))
              .update();
        });
    return id;
  }

  /** A worker that has not been given up. */
  Optional<RemoteWorker> find(String id) {
    return jdbc.sql(ALL + "where w.id = :id").param("id", id).query(this::worker).optional();
  }

  /** All of them, by name. */
  List<RemoteWorker> all() {
    return jdbc.sql(ALL + "order by w.name, w.id").query(this::worker).list();
  }

  /** Gives a worker nothing new, or something again; false when there is no such worker. */
  boolean drain(String id, boolean begin) {
    return jdbc.sql("update worker set draining = :draining where id = :id")
            .param("draining", begin)
            .param("id", id)
            .update()
        == 1;
  }

  /** A run by its name in the database. */
  record RunKey(String jobId, String runId, int attempt) {}

  /** The runs that a worker executes now. */
  List<RunKey> runs(String id) {
    return jdbc.sql(
            """
            select job_id, id, attempt from run
            where instance = :worker and state = 'RUNNING'
            order by id
            """)
        .param("worker", id)
        .query((row, _) -> new RunKey(row.getString(1), row.getString(2), row.getInt(3)))
        .list();
  }

  /** The run that a lease stands for; empty when that lease has ended. */
  Optional<RunKey> leased(String id, String leaseId, int attempt) {
    return jdbc.sql(
            """
            select job_id, id, attempt from run
            where lease_id = :lease and instance = :worker and attempt = :attempt
              and state = 'RUNNING'
            """)
        .param("lease", leaseId)
        .param("worker", id)
        .param("attempt", attempt)
        .query((row, _) -> new RunKey(row.getString(1), row.getString(2), row.getInt(3)))
        .optional();
  }

  @Override
  public boolean offers(String platform) {
    return all().stream().anyMatch(worker -> worker.platforms().contains(platform));
  }

  private RemoteWorker worker(ResultSet row, int index) throws SQLException {
    return new RemoteWorker(
        row.getString("id"),
        row.getString("name"),
        row.getString("pool"),
        Columns.parse(row.getString("platforms"), new TypeReference<>() {}),
        Columns.parse(row.getString("devices"), new TypeReference<>() {}),
        Columns.parse(row.getString("device_groups"), new TypeReference<>() {}),
        row.getInt("slots"),
        row.getBoolean("draining"),
        row.getString("version"),
        Columns.instant(row, "registered_at"),
        Columns.instant(row, "heartbeat_at"));
  }
}
