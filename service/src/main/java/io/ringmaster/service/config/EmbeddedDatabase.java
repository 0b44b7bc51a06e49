package io.ringmaster.service.config;

import java.sql.SQLException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import javax.sql.DataSource;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/** What is special about a database inside this process, if it is one. */
@Component
public class EmbeddedDatabase {

  private final JdbcClient jdbc;
  private final boolean embedded;
  private final ReentrantLock writing = new ReentrantLock();
  private final AtomicLong asked = new AtomicLong();
  private long written;

  public EmbeddedDatabase(JdbcClient jdbc, DataSource dataSource) {
    this.jdbc = jdbc;
    this.embedded = isEmbedded(dataSource);
  }

  private static boolean isEmbedded(DataSource dataSource) {
    try (var connection = dataSource.getConnection()) {
      var metaData = connection.getMetaData();
      return metaData.getDatabaseProductName().equals("H2")
          && !metaData.getURL().startsWith("jdbc:h2:tcp:");
    } catch (SQLException e) {
      throw new IllegalStateException("The database does not say what it is.", e);
    }
  }

  /** Whether only this process can have the database open. */
  public boolean isEmbedded() {
    return embedded;
  }

  /**
   * Makes sure that what was committed before survives a kill of this process; to be called before
   * anybody is told of it. The embedded database writes commits some time later by itself. Whoever
   * comes while one write goes on shares the next with all others who wait for it: a write costs
   * about as much for twenty commits as for one.
   */
  public void settle() {
    if (!embedded) {
      return;
    }
    long mine = asked.incrementAndGet();
    writing.lock();
    try {
      if (written < mine) {
        long upTo = asked.get();
        jdbc.sql("checkpoint").update();
        written = upTo;
      }
    } finally {
      writing.unlock();
    }
  }
}
