package io.ringmaster.service.workers;

import io.ringmaster.service.config.Ids;
import io.ringmaster.service.config.RingmasterProperties;
import java.time.OffsetDateTime;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/**
 * This process among those that share the database. It says regularly that it lives; the runs of
 * one that fell silent are taken over by the others.
 */
@Component
class ServiceInstance {

  private final JdbcClient jdbc;
  private final RingmasterProperties.Workers settings;
  private final String id;

  ServiceInstance(JdbcClient jdbc, Ids ids, RingmasterProperties properties) {
    this.jdbc = jdbc;
    this.settings = properties.workers();
    this.id = ids.row();
  }

  String id() {
    return id;
  }

  /** Says that this process lives, and forgets processes that no longer do. */
  void beat() {
    var now = databaseTime();
    int known =
        jdbc.sql("update service_instance set heartbeat_at = :now where id = :id")
            .param("now", now)
            .param("id", id)
            .update();
    if (known == 0) {
      jdbc.sql(
              """
              insert into service_instance (id, started_at, heartbeat_at) values (:id, :now, :now)
              """)
          .param("id", id)
          .param("now", now)
          .update();
    }
    jdbc.sql("delete from service_instance where heartbeat_at < :limit")
        .param("limit", now.minus(settings.lostAfter()))
        .update();
  }

  /** The clocks of two machines differ; the database has one. */
  private OffsetDateTime databaseTime() {
    return jdbc.sql("select current_timestamp")
        .query((row, _) -> row.getObject(1, OffsetDateTime.class))
        .single();
  }

  /** Forgets all other processes: for a database that only one process can have open. */
  void beAlone() {
    jdbc.sql("delete from service_instance where id <> :id").param("id", id).update();
  }

  /** Says that this process ends. */
  void leave() {
    jdbc.sql("delete from service_instance where id = :id").param("id", id).update();
  }
}
