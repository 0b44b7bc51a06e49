package io.ringmaster.service.config;

import java.sql.SQLException;
import javax.sql.DataSource;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/** What is special about a database inside this process, if it is one. */
@Component
public class EmbeddedDatabase {

  private final JdbcClient jdbc;
  private final boolean embedded;

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
   * Makes sure that what was committed survives a kill of this process. The embedded database skips
   * the write of a commit while another one is being written, and catches up with the next.
   */
  public void settle() {
    if (embedded) {
      jdbc.sql("checkpoint").update();
    }
  }
}
