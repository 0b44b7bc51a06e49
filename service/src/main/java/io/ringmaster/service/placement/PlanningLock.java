package io.ringmaster.service.placement;

import io.ringmaster.service.config.EmbeddedDatabase;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * Lets one pass after the other decide, over all processes of the service: each may plan, and one
 * that dies in the middle leaves neither a lock nor half a decision behind.
 */
@Component
class PlanningLock {

  /** Any number, as long as it is always this one. */
  private static final long KEY = 0x52494E47L;

  private final JdbcClient jdbc;
  private final TransactionTemplate transaction;
  private final EmbeddedDatabase database;

  /** Keeps those of one process from queueing up with a connection each. */
  private final ReentrantLock here = new ReentrantLock(true);

  PlanningLock(JdbcClient jdbc, TransactionTemplate transaction, EmbeddedDatabase database) {
    this.jdbc = jdbc;
    this.transaction = transaction;
    this.database = database;
  }

  /** Does something in one transaction, while nobody else plans. */
  <T> T locked(Supplier<T> pass) {
    here.lock();
    try {
      var result =
          transaction.execute(
              _ -> {
                if (!database.isEmbedded()) {
                  // The database lets go of it with the transaction, however that ends.
                  jdbc.sql("select pg_advisory_xact_lock(:key)")
                      .param("key", KEY)
                      .query((_, _) -> true)
                      .list();
                }
                return pass.get();
              });
      return java.util.Objects.requireNonNull(result, "a pass has a result");
    } finally {
      here.unlock();
    }
  }
}
