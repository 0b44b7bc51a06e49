package io.ringmaster.service.artifacts;

import java.util.List;
import java.util.Optional;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;

/**
 * Keeps the files of runs in the database, under the run's id and a name such as {@code
 * report.json}.
 */
@Repository
public class ArtifactStore {

  /** A file without its content. */
  public record Entry(String name, String mediaType, long sizeBytes) {}

  private final JdbcClient jdbc;

  public ArtifactStore(JdbcClient jdbc) {
    this.jdbc = jdbc;
  }

  /** Keeps a file; a run has one of each name. */
  public void save(String runId, String name, String mediaType, byte[] content) {
    jdbc.sql(
            """
            insert into artifact (run_id, name, media_type, size_bytes, content)
            values (:run, :name, :type, :size, :content)
            """)
        .param("run", runId)
        .param("name", name)
        .param("type", mediaType)
        .param("size", (long) content.length)
        .param("content", content)
        .update();
  }

  /** A file's content; empty when the run has none of that name. */
  public Optional<byte[]> load(String runId, String name) {
    return jdbc.sql("select content from artifact where run_id = :run and name = :name")
        .param("run", runId)
        .param("name", name)
        .query((row, _) -> row.getBytes(1))
        .optional();
  }

  /** The files of a run whose names start with {@code prefix}, by name. */
  public List<Entry> list(String runId, String prefix) {
    return jdbc
        .sql(
            """
            select name, media_type, size_bytes from artifact where run_id = :run order by name
            """)
        .param("run", runId)
        .query((row, _) -> new Entry(row.getString(1), row.getString(2), row.getLong(3)))
        .stream()
        .filter(entry -> entry.name().startsWith(prefix))
        .toList();
  }
}
