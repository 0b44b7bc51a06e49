package io.ringmaster.service.jobs;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.InstantSource;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.type.TypeReference;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.json.JsonMapper;

/** How values are kept in columns. */
public final class Columns {

  /** A row may have been written by another version. */
  private static final JsonMapper JSON =
      JsonMapper.builder().disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES).build();

  private Columns() {}

  /** The time now, as exact as both databases keep it. */
  public static OffsetDateTime now(InstantSource clock) {
    return at(clock.instant());
  }

  /** A time, as exact as both databases keep it. */
  public static OffsetDateTime at(Instant time) {
    return time.truncatedTo(ChronoUnit.MICROS).atOffset(ZoneOffset.UTC);
  }

  /** The time in a column that is never null. */
  public static Instant instant(ResultSet row, String column) throws SQLException {
    return row.getObject(column, OffsetDateTime.class).toInstant();
  }

  /** The time in a column that may be null. */
  public static Optional<Instant> optionalInstant(ResultSet row, String column)
      throws SQLException {
    var time = row.getObject(column, OffsetDateTime.class);
    return time == null ? Optional.empty() : Optional.of(time.toInstant());
  }

  /** The text in a column that may be null. */
  public static Optional<String> optionalText(ResultSet row, String column) throws SQLException {
    return Optional.ofNullable(row.getString(column));
  }

  /** Text as PostgreSQL can keep it: it has no NUL. */
  public static String text(String value) {
    return value.replace("\0", "\\0");
  }

  /** A value as the JSON that a column keeps. */
  public static String json(Object value) {
    return JSON.writeValueAsString(value);
  }

  /** Reads what {@link #json} wrote. */
  public static <T> T parse(String json, TypeReference<T> type) {
    return JSON.readValue(json, type);
  }

  /** Null for null. */
  public static <T> Optional<T> parseOptional(@Nullable String json, Class<T> type) {
    return json == null ? Optional.empty() : Optional.of(JSON.readValue(json, type));
  }
}
