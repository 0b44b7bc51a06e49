package io.ringmaster.service.artifacts;

import io.ringmaster.service.config.RingmasterProperties;
import io.ringmaster.service.config.Sha256;
import io.ringmaster.service.problems.ProblemCode;
import io.ringmaster.service.problems.ProblemException;
import java.io.FileNotFoundException;
import java.io.InputStream;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.core.io.ByteArrayResource;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;

/**
 * Keeps the files of runs, under the run's id and a name such as {@code report.json}: in the
 * database, or their contents in a bucket or a folder beside it. What was kept in one place is
 * found there also when newer files go to another.
 */
@Repository
public class ArtifactStore {

  private static final Logger LOG = LoggerFactory.getLogger(ArtifactStore.class);

  /** So much of a digest tells the contents apart that one run may leave under one name. */
  private static final int KEY_DIGITS = 16;

  /** A file without its content. */
  public record Entry(String name, String mediaType, long sizeBytes) {}

  private final JdbcClient jdbc;

  /** New contents go to the first of them; to the database when there is none. */
  private final List<Blobs> places;

  public ArtifactStore(
      JdbcClient jdbc, RingmasterProperties properties, ApplicationEventPublisher events) {
    this.jdbc = jdbc;
    var all = new ArrayList<Blobs>();
    var settings = properties.artifacts();
    if (settings.s3().name().isPresent()) {
      all.add(new S3Blobs(settings.s3())); // nothing of that library is loaded without a bucket
    }
    var folder = settings.folder();
    if (folder != null) {
      all.add(new FolderBlobs(folder));
    }
    this.places =
        all.stream().<Blobs>map(one -> new WatchedBlobs(one, events::publishEvent)).toList();
  }

  /** Where contents lie outside the database, if anywhere; new ones go to the first. */
  public List<Blobs> places() {
    return places;
  }

  /**
   * Files whose contents are safe, but nobody can find them yet.
   *
   * @see #record(Kept)
   */
  public static final class Kept {
    private final String runId;
    private final List<NewFile> files;

    private Kept(String runId, List<NewFile> files) {
      this.runId = runId;
      this.files = files;
    }
  }

  /**
   * Keeps the contents of files, outside the database if they go there. To be called before the
   * transaction that records them: a bucket may take its time, and nobody is to wait for a row that
   * is locked meanwhile. A row without a content would be a lie; a content without a row is removed
   * some time.
   *
   * @throws ProblemException UNAVAILABLE when their place can't be used
   */
  public Kept keep(String runId, List<NewFile> files) {
    places.stream()
        .findFirst()
        .ifPresent(
            place ->
                files.forEach(
                    file ->
                        place.put(
                            runId, key(file.name(), Optional.of(file.sha256())), file.content())));
    return new Kept(runId, files);
  }

  /** Makes files known; a run has one of each name. */
  public void record(Kept kept) {
    for (var file : kept.files) {
      jdbc.sql(
              """
              insert into artifact (run_id, name, media_type, size_bytes, sha256, content)
              values (:run, :name, :type, :size, :sha256, :content)
              """)
          .param("run", kept.runId)
          .param("name", file.name())
          .param("type", file.mediaType())
          .param("size", (long) file.content().length)
          .param("sha256", file.sha256())
          .param("content", places.isEmpty() ? file.content() : null, Types.BINARY)
          .update();
    }
  }

  /** Under which key the content of a file lies outside. */
  private static String key(String name, Optional<String> sha256) {
    return sha256.map(digest -> name + "@" + digest.substring(0, KEY_DIGITS)).orElse(name);
  }

  /** A file with its content, if that is in the database. */
  private record Row(String name, long size, Optional<String> sha256, Optional<byte[]> content) {

    static Row of(ResultSet row, int number) throws SQLException {
      return new Row(
          row.getString(1),
          row.getLong(2),
          Optional.ofNullable(row.getString(3)),
          Optional.ofNullable(row.getBytes(4)));
    }

    String key() {
      return ArtifactStore.key(name, sha256);
    }
  }

  private Optional<Row> row(String runId, String name) {
    return jdbc.sql(
            """
            select name, size_bytes, sha256, content from artifact
            where run_id = :run and name = :name
            """)
        .param("run", runId)
        .param("name", name)
        .query(Row::of)
        .optional();
  }

  /**
   * A file's content; empty when the run has none of that name.
   *
   * @throws ProblemException UNAVAILABLE when the run has one, but the content isn't where this
   *     process looks; INTERNAL when it isn't what was kept
   */
  public Optional<byte[]> load(String runId, String name) {
    return row(runId, name).flatMap(row -> row.content().or(() -> outside(runId, row)));
  }

  private Optional<byte[]> outside(String runId, Row row) {
    for (var place : places) {
      var content = place.get(runId, row.key());
      if (content.isPresent()) {
        return Optional.of(verified(content.get(), runId, row, place));
      }
    }
    return gone(runId, row);
  }

  private static byte[] verified(byte[] content, String runId, Row row, Blobs place) {
    if (row.sha256().map(digest -> digest.equals(Sha256.hex(content))).orElse(true)) {
      return content;
    }
    LOG.error("{} of {} isn't what was kept in {}", row.name(), runId, place.place());
    throw new ProblemException(
        ProblemCode.INTERNAL,
        "%s of %s isn't what was kept: its %d bytes in the %s have another SHA-256. Put back object %s from a copy of that place."
            .formatted(row.name(), runId, content.length, place.place(), row.key()));
  }

  /** It may have been removed since the row was read: first goes the row, then the content. */
  private <T> Optional<T> gone(String runId, Row row) {
    if (row(runId, row.name()).isEmpty()) {
      return Optional.empty();
    }
    var looked =
        places.isEmpty()
            ? "nowhere else was looked"
            : "it isn't in the "
                + places.stream().map(Blobs::place).collect(Collectors.joining(", nor in the "));
    throw new ProblemException(
        ProblemCode.UNAVAILABLE,
        ("The content of %s of %s isn't in the database, and %s. Let ringmaster.artifacts.s3.bucket"
                + " or ringmaster.artifacts.folder name the place that was in use when it was kept,"
                + " and see that it is mounted.")
            .formatted(row.name(), runId, looked));
  }

  /**
   * A file that is read while it is passed on; empty when the run has none of that name.
   *
   * @throws ProblemException as {@link #load} does
   */
  public Optional<StoredFile> open(String runId, String name) {
    return row(runId, name).flatMap(row -> open(runId, row));
  }

  private Optional<StoredFile> open(String runId, Row row) {
    if (row.content().isPresent()) {
      var content = new ByteArrayResource(row.content().get());
      return Optional.of(file(row, offset -> skipped(content.getInputStream(), offset)));
    }
    for (var place : places) {
      if (place.has(runId, row.key())) {
        return Optional.of(
            file(
                row,
                offset ->
                    place
                        .open(runId, row.key(), offset)
                        .orElseThrow(() -> new FileNotFoundException(row.key()))));
      }
    }
    return gone(runId, row);
  }

  private static InputStream skipped(InputStream in, long offset) throws java.io.IOException {
    in.skipNBytes(offset);
    return in;
  }

  private static StoredFile file(Row row, StoredFile.Source source) {
    return new StoredFile(row.name(), row.size(), row.sha256(), source);
  }

  /** Forgets a file, and removes its content. */
  public boolean remove(String runId, String name) {
    var row =
        jdbc.sql(
                "select name, size_bytes, sha256, null from artifact where run_id = :run and name ="
                    + " :name")
            .param("run", runId)
            .param("name", name)
            .query(Row::of)
            .optional();
    boolean removed =
        jdbc.sql("delete from artifact where run_id = :run and name = :name")
                .param("run", runId)
                .param("name", name)
                .update()
            == 1;
    row.ifPresent(some -> places.forEach(place -> place.delete(runId, some.key())));
    return removed;
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
