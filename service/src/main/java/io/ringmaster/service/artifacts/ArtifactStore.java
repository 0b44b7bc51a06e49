package io.ringmaster.service.artifacts;

import io.ringmaster.service.config.RingmasterProperties;
import io.ringmaster.service.problems.ProblemCode;
import io.ringmaster.service.problems.ProblemException;
import java.sql.Types;
import java.util.List;
import java.util.Optional;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;

/**
 * Keeps the files of runs, under the run's id and a name such as {@code report.json}: in the
 * database, or their contents in a folder beside it. What was kept in one place is found there also
 * when newer files go to the other.
 */
@Repository
public class ArtifactStore {

  /** A file without its content. */
  public record Entry(String name, String mediaType, long sizeBytes) {}

  private final JdbcClient jdbc;
  private final Optional<Blobs> blobs;

  public ArtifactStore(JdbcClient jdbc, RingmasterProperties properties) {
    this.jdbc = jdbc;
    this.blobs = Optional.ofNullable(properties.artifacts().folder()).map(FolderBlobs::new);
  }

  /** Where contents lie outside the database, if anywhere. */
  public Optional<Blobs> blobs() {
    return blobs;
  }

  /** Keeps a file; a run has one of each name. */
  public void save(String runId, String name, String mediaType, byte[] content) {
    // First the content: a row without one would be a lie, a content without a row is removed some
    // time.
    blobs.ifPresent(some -> some.put(runId, name, content));
    jdbc.sql(
            """
            insert into artifact (run_id, name, media_type, size_bytes, content)
            values (:run, :name, :type, :size, :content)
            """)
        .param("run", runId)
        .param("name", name)
        .param("type", mediaType)
        .param("size", (long) content.length)
        .param("content", blobs.isPresent() ? null : content, Types.BINARY)
        .update();
  }

  /**
   * A file's content; empty when the run has none of that name.
   *
   * @throws ProblemException UNAVAILABLE when the run has one, but the content isn't where this
   *     process looks
   */
  public Optional<byte[]> load(String runId, String name) {
    return jdbc.sql("select content from artifact where run_id = :run and name = :name")
        .param("run", runId)
        .param("name", name)
        .query((row, _) -> Optional.ofNullable(row.getBytes(1)))
        .optional()
        .flatMap(content -> content.or(() -> outside(runId, name)));
  }

  private Optional<byte[]> outside(String runId, String name) {
    var content = blobs.flatMap(some -> some.get(runId, name));
    // It may have been removed since the row was read: first goes the row, then the content.
    if (content.isEmpty() && list(runId, name).stream().anyMatch(one -> one.name().equals(name))) {
      throw new ProblemException(
          ProblemCode.UNAVAILABLE,
          ("The content of %s of %s is neither in the database nor in the folder of this process."
                  + " Let ringmaster.artifacts.folder name the folder that was in use when it was"
                  + " kept, and see that it is mounted.")
              .formatted(name, runId));
    }
    return content;
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
