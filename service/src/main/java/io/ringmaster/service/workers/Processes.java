package io.ringmaster.service.workers;

import io.ringmaster.service.config.DatabaseTime;
import io.ringmaster.service.config.RingmasterProperties;
import java.time.Duration;
import java.time.OffsetDateTime;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;

/**
 * The processes that execute runs: those of the service that share the database, and the workers
 * elsewhere. Each gives signs of life; the runs of one that fell silent are taken from it.
 */
@Repository
public class Processes {

  private final JdbcClient jdbc;
  private final DatabaseTime time;
  private final Duration lostAfter;

  Processes(JdbcClient jdbc, DatabaseTime time, RingmasterProperties properties) {
    this.jdbc = jdbc;
    this.time = time;
    this.lostAfter = properties.workers().lostAfter();
  }

  /** A process that is new. */
  public void add(String id) {
    var now = time.now();
    jdbc.sql("insert into service_instance (id, started_at, heartbeat_at) values (:id, :now, :now)")
        .param("id", id)
        .param("now", now)
        .update();
  }

  /** A sign of life; false from one that was given up as dead. */
  public boolean beat(String id) {
    return jdbc.sql("update service_instance set heartbeat_at = :now where id = :id")
            .param("now", time.now())
            .param("id", id)
            .update()
        == 1;
  }

  /** A sign of life of one attempt, beside that of its process; false when it is over. */
  public boolean beatRun(String runId, int attempt) {
    return jdbc.sql(
                """
                update run set heard_at = :now
                where id = :run and attempt = :attempt and state = 'RUNNING'
                """)
            .param("now", time.now())
            .param("run", runId)
            .param("attempt", attempt)
            .update()
        == 1;
  }

  /** Gives up those that have been silent for too long. */
  void forgetSilent() {
    jdbc.sql("delete from service_instance where heartbeat_at < :limit")
        .param("limit", silentBefore())
        .update();
  }

  /** Whoever gave its last sign of life before this time is lost. */
  OffsetDateTime silentBefore() {
    return time.now().minus(lostAfter);
  }

  /** For a database that only one process can have open: all others of the service are dead. */
  void beAlone(String id) {
    jdbc.sql(
            """
            delete from service_instance
            where id <> :id and not exists (select 1 from worker w where w.id = service_instance.id)
            """)
        .param("id", id)
        .update();
  }

  /** Whether another process of the service was there to hear the workers. */
  boolean hasListeners(String id) {
    return jdbc.sql(
                """
                select count(*) from service_instance s
                where s.id <> :id and s.heartbeat_at >= :limit
                  and not exists (select 1 from worker w where w.id = s.id)
                """)
            .param("id", id)
            .param("limit", silentBefore())
            .query(Long.class)
            .single()
        > 0;
  }

  /** Nobody could hear the workers elsewhere for a while: their time begins anew. */
  void listenAgain() {
    var now = time.now();
    jdbc.sql(
            """
            update run set heard_at = :now
            where state = 'RUNNING' and exists (select 1 from worker w where w.id = run.instance)
            """)
        .param("now", now)
        .update();
    jdbc.sql(
            """
            update service_instance set heartbeat_at = :now
            where exists (select 1 from worker w where w.id = service_instance.id)
            """)
        .param("now", now)
        .update();
  }

  /** Nobody could say that it lives for a while: everybody's time begins anew. */
  void forgive() {
    var now = time.now();
    jdbc.sql("update run set heard_at = :now where state = 'RUNNING'").param("now", now).update();
    jdbc.sql("update service_instance set heartbeat_at = :now").param("now", now).update();
  }

  /** A process says that it ends. */
  public void leave(String id) {
    jdbc.sql("delete from service_instance where id = :id").param("id", id).update();
  }
}
