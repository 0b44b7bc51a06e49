package io.ringmaster.service.placement;

import io.ringmaster.service.jobs.Columns;
import io.ringmaster.service.jobs.DeviceRequest;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import org.springframework.jdbc.core.simple.JdbcClient;
import tools.jackson.core.type.TypeReference;

/**
 * Reads the queue in its order, piece by piece, and leaves out runs that ask for what others before
 * them could not get: however many of those there are, they hide nothing.
 */
final class QueueReader {

  private static final int FIRST_PAGE = 32;
  private static final int MOST_PAGE = 8192;

  /** More kinds than these are read and passed over one by one. */
  private static final int MOST_KINDS = 500;

  private static final String COLUMNS =
      """
      select r.id, r.job_id, r.owner, r.priority, r.platform, r.wanted_pool, r.auto_devices, r.ranks,
        r.devices, r.kind, r.probe, j.wall_seconds
      from run r join job j on j.id = r.job_id
      """;

  private final JdbcClient jdbc;
  private final Collection<String> platforms;
  private final Optional<String> pool;
  private final Queue<QueuedRun> page = new ArrayDeque<>();
  private Optional<QueuedRun> last = Optional.empty();
  private int rows = FIRST_PAGE;
  private boolean sameIsRead;
  private boolean atEnd;

  /**
   * A reader at the head of the queue.
   *
   * @param pool leaves out runs that insist on another one
   */
  QueueReader(JdbcClient jdbc, Collection<String> platforms, Optional<String> pool) {
    this.jdbc = jdbc;
    this.platforms = platforms;
    this.pool = pool;
  }

  /**
   * The next run that may matter to a pass; empty at the end.
   *
   * @param pass which says whose runs, and what kinds of them, it need not look at any more
   */
  Optional<QueuedRun> next(PlanningPass pass) {
    while (true) {
      while (!page.isEmpty()) {
        var run = page.remove();
        if (!pass.isKnown(run)) {
          return Optional.of(run);
        }
      }
      if (atEnd) {
        return Optional.empty();
      }
      readPage(pass.blockedKinds(), pass.fullOwners());
    }
  }

  private void readPage(Set<String> blockedKinds, QuotaUse.Full full) {
    var sql = new StringBuilder(COLUMNS);
    // Read in the order of the index run_queue, however many runs there are. H2 takes an index for
    // the
    // order only when it is ordered by all of its columns, and prefers another one for the platform
    // if it can, after which it sorts the whole queue.
    sql.append("where r.state = 'QUEUED' and coalesce(r.platform, '') in (:platforms)\n");
    if (pool.isPresent()) {
      sql.append("and (r.wanted_pool is null or r.wanted_pool = :pool)\n");
    }
    boolean skip = !blockedKinds.isEmpty() && blockedKinds.size() <= MOST_KINDS;
    if (skip) {
      sql.append("and r.kind not in (:kinds)\n");
    }
    if (!full.none().isEmpty()) {
      sql.append("and r.owner not in (:none)\n");
    }
    if (!full.jobsOnly().isEmpty()) {
      sql.append("and (r.owner not in (:jobsOnly) or r.job_id in (:ofJobs))\n");
    }
    if (!full.privateOnly().isEmpty()) {
      sql.append("and (r.owner not in (:privateOnly) or r.platform in (:private))\n");
    }
    // One or the other, so that each page begins where the last one ended and is found there.
    boolean same = last.isPresent() && !sameIsRead;
    if (same) {
      sql.append("and r.priority = :priority and r.id > :id\n");
    } else if (last.isPresent()) {
      sql.append("and r.priority < :priority\n");
    }
    sql.append("order by r.state, r.priority desc, r.id limit :rows");
    var query = jdbc.sql(sql.toString()).param("platforms", platforms).param("rows", rows);
    if (pool.isPresent()) {
      query = query.param("pool", pool.get());
    }
    if (skip) {
      query = query.param("kinds", blockedKinds);
    }
    if (!full.none().isEmpty()) {
      query = query.param("none", full.none());
    }
    if (!full.jobsOnly().isEmpty()) {
      query = query.param("jobsOnly", full.jobsOnly()).param("ofJobs", full.ofJobs());
    }
    if (!full.privateOnly().isEmpty()) {
      query = query.param("privateOnly", full.privateOnly()).param("private", full.platforms());
    }
    if (last.isPresent()) {
      query = query.param("priority", last.get().priority());
    }
    if (same) {
      query = query.param("id", last.get().id());
    }
    var read = query.query(QueueReader::run).list();
    sameIsRead = same && read.size() < rows;
    atEnd = !same && read.size() < rows;
    rows = Math.min(rows * 4, MOST_PAGE);
    if (!read.isEmpty()) {
      last = Optional.of(read.getLast());
      page.addAll(read);
    }
  }

  /** Queued runs by their ids, those that have left the queue excepted. */
  static java.util.List<QueuedRun> byId(JdbcClient jdbc, Collection<String> ids) {
    return jdbc.sql(COLUMNS + "where r.state = 'QUEUED' and r.id in (:ids)")
        .param("ids", ids)
        .query(QueueReader::run)
        .list();
  }

  private static QueuedRun run(ResultSet row, int index) throws SQLException {
    DeviceRequest request =
        row.getBoolean("auto_devices")
            ? new DeviceRequest.Count(row.getInt("ranks"))
            : new DeviceRequest.Ids(
                Columns.parse(row.getString("devices"), new TypeReference<>() {}));
    return new QueuedRun(
        row.getString("id"),
        row.getString("job_id"),
        row.getString("owner"),
        row.getInt("priority"),
        row.getString("platform"),
        Columns.optionalText(row, "wanted_pool"),
        request,
        Duration.ofSeconds(row.getLong("wall_seconds")),
        row.getString("kind"),
        row.getBoolean("probe"));
  }
}
