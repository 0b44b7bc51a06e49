package io.ringmaster.service.config;

import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * A bucket for the contents of files, prefix {@code ringmaster.artifacts.s3}. The key itself is
 * never a setting, so that no list of settings can show it: it is in files, or where Amazon's tools
 * look for it.
 *
 * @param bucket its name; no bucket is used without it
 * @param endpoint the server, when it isn't Amazon's
 * @param region where the bucket is; most other servers take any
 * @param pathStyle whether the bucket stands in the path and not in the host name; so when an
 *     endpoint is set and this isn't
 * @param prefix what names of objects start with; a bucket and a prefix belong to one database
 * @param accessKeyFile a file with the name of the key
 * @param secretKeyFile a file with the key
 * @param caFile the authorities that may have signed the server's certificate, as PEM; those of
 *     Java without it
 * @param timeout how long the server may say nothing
 */
public record S3Settings(
    @Nullable String bucket,
    @Nullable URI endpoint,
    @DefaultValue("us-east-1") String region,
    @Nullable Boolean pathStyle,
    @DefaultValue("") String prefix,
    @Nullable Path accessKeyFile,
    @Nullable Path secretKeyFile,
    @Nullable Path caFile,
    @DefaultValue("10s") Duration timeout) {

  private static final String NAME = "ringmaster.artifacts.s3.";
  private static final Pattern BUCKET = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{1,62}");

  public S3Settings {
    bucket = bucket == null || bucket.isBlank() ? null : bucket;
    prefix = prefix.isEmpty() || prefix.endsWith("/") ? prefix : prefix + "/";
    require(
        bucket != null || (endpoint == null && accessKeyFile == null && caFile == null),
        "bucket isn't set, but other settings of a bucket are; name the bucket, or remove them.");
    require(
        bucket == null || BUCKET.matcher(bucket).matches(),
        "bucket is %s; names of buckets have 2 to 63 letters, digits, dots and hyphens."
            .formatted(bucket));
    require(
        endpoint == null || isAddress(endpoint),
        "endpoint must be an address such as https://s3.example.org:9000, without a user, a path or"
            + " a query.");
    require(
        (accessKeyFile == null) == (secretKeyFile == null),
        "access-key-file and secret-key-file belong together; set both, or none for the key that"
            + " AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY hold.");
    require(!prefix.startsWith("/"), "prefix must not start with a slash: " + prefix);
    require(
        timeout.isPositive(),
        "timeout is %s; it must be longer than nothing, such as 10s.".formatted(timeout));
  }

  private static void require(boolean holds, String otherwise) {
    if (!holds) {
      throw new IllegalArgumentException(NAME + otherwise);
    }
  }

  private static boolean isAddress(URI address) {
    return ("http".equals(address.getScheme()) || "https".equals(address.getScheme()))
        && address.getHost() != null
        && address.getUserInfo() == null
        && address.getQuery() == null
        && (address.getPath().isEmpty() || address.getPath().equals("/"));
  }

  /** The bucket's name, if one is to be used. */
  public Optional<String> name() {
    return Optional.ofNullable(bucket);
  }

  /** Whether the bucket stands in the path of addresses. */
  public boolean isPathStyle() {
    return pathStyle == null ? endpoint != null : pathStyle;
  }
}
