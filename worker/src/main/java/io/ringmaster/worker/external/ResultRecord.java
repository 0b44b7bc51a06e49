package io.ringmaster.worker.external;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

/**
 * What a run says of itself, signed with a key that only this run was given.
 *
 * @param status how the script ended
 * @param message what ended it when it didn't finish
 * @param checks the comparisons it made, in their order
 */
public record ResultRecord(Status status, String message, List<Check> checks) {

  private static final long MOST_BYTES = 16L << 20;
  private static final JsonMapper MAPPER = JsonMapper.builder().build();

  /** How a script ended. */
  public enum Status {
    FINISHED,
    ASSERTION,
    RAISED
  }

  /**
   * A comparison that the script made.
   *
   * @param wantsDifference whether the script wants it not to hold, which proves nothing
   * @param itself whether both sides were the same tensor, which proves nothing either
   */
  public record Check(
      String name,
      String kind,
      boolean passed,
      int line,
      long elements,
      long mismatches,
      @Nullable Double maxAbsDifference,
      @Nullable Double rtol,
      @Nullable Double atol,
      boolean wantsDifference,
      boolean itself) {}

  /** What was found where a record belongs. */
  public sealed interface Reading {}

  /** A record of this run. */
  public record Found(ResultRecord result) implements Reading {}

  /** There is none. */
  public record Absent() implements Reading {}

  /** There is something, but nothing that this run wrote whole. */
  public record Unusable(String why) implements Reading {}

  private record Envelope(@Nullable String body, @Nullable String hmac) {}

  private record Body(
      @Nullable Integer version,
      @Nullable String run,
      @Nullable String platform,
      @Nullable List<Integer> devices,
      @Nullable Status status,
      @Nullable String message,
      @Nullable List<Check> checks) {}

  /**
   * Reads the record of a run whose processes have all ended.
   *
   * @param key what the run was given to sign with
   * @param run the name it was given
   */
  static Reading read(Path file, byte[] key, String run, String platform, List<Integer> devices) {
    if (!Files.exists(file, LinkOption.NOFOLLOW_LINKS)) {
      return new Absent();
    }
    if (!Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
      return new Unusable("it isn't a file");
    }
    try {
      if (Files.size(file) > MOST_BYTES) {
        return new Unusable(
            "it has %d bytes; at most %d are read".formatted(Files.size(file), MOST_BYTES));
      }
      return parse(Files.readString(file), key, run, platform, devices);
    } catch (IOException e) {
      return new Unusable("it can't be read: " + e);
    } catch (JacksonException e) {
      return new Unusable("it isn't whole: " + e.getOriginalMessage());
    }
  }

  private static Reading parse(
      String text, byte[] key, String run, String platform, List<Integer> devices) {
    var envelope = MAPPER.readValue(text, Envelope.class);
    if (envelope == null || envelope.body() == null || envelope.hmac() == null) {
      return new Unusable("it has no body or no signature");
    }
    if (!isSigned(envelope.body(), envelope.hmac(), key)) {
      return new Unusable("its signature isn't this run's");
    }
    var body = MAPPER.readValue(envelope.body(), Body.class);
    if (!Objects.equals(body.version(), 1)
        || !run.equals(body.run())
        || !platform.equals(body.platform())
        || !devices.equals(body.devices())) {
      return new Unusable("it is signed, but speaks of another run, platform or devices");
    }
    var checks = Objects.requireNonNullElse(body.checks(), List.<Check>of());
    if (body.status() == null || checks.stream().anyMatch(ResultRecord::isUnnamed)) {
      return new Unusable("it has no status, or a check without a name");
    }
    return new Found(
        new ResultRecord(body.status(), Objects.requireNonNullElse(body.message(), ""), checks));
  }

  /** JSON may leave out what a record of ours needs. */
  @SuppressWarnings("NullAway")
  private static boolean isUnnamed(Check check) {
    return check == null || check.name() == null || check.kind() == null;
  }

  private static boolean isSigned(String body, String hmac, byte[] key) {
    try {
      return MessageDigest.isEqual(
          signature(body, key), HexFormat.of().parseHex(hmac.toLowerCase(java.util.Locale.ROOT)));
    } catch (IllegalArgumentException e) {
      return false;
    }
  }

  /** HMAC-SHA256 of a body. */
  static byte[] signature(String body, byte[] key) {
    try {
      var mac = Mac.getInstance("HmacSHA256");
      mac.init(new SecretKeySpec(key, "HmacSHA256"));
      return mac.doFinal(body.getBytes(StandardCharsets.UTF_8));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every Java has HmacSHA256", e);
    }
  }
}
