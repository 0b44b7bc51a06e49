package io.ringmaster.service.artifacts;

import io.ringmaster.service.config.S3Settings;
import io.ringmaster.service.config.Sha256;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import java.util.Base64;
import java.util.Comparator;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Stream;
import software.amazon.awssdk.core.ResponseInputStream;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.GetObjectResponse;
import software.amazon.awssdk.services.s3.model.NoSuchKeyException;
import software.amazon.awssdk.services.s3.model.S3Exception;
import software.amazon.awssdk.services.s3.model.S3Object;

/**
 * Contents as objects of a bucket: {@code PREFIX RUN/NAME@DIGEST}. It needs no more of the server
 * than to put, get, list and delete single objects, which all kinds of servers can. Several
 * processes may share the bucket.
 */
final class S3Blobs implements Blobs {

  /** What servers take as a key is 1,024 bytes; longer names are known by their digest. */
  private static final int MOST_NAME = 800;

  private static final int NO_SUCH_RANGE = 416;

  private final S3Client client;
  private final S3Faults faults;
  private final String bucket;
  private final String prefix;

  S3Blobs(S3Settings settings) {
    this.bucket = settings.name().orElseThrow();
    this.prefix = settings.prefix();
    this.faults = new S3Faults(settings);
    this.client = S3Access.client(settings);
  }

  private String run(String runId) {
    return prefix + runId + "/";
  }

  /** One segment that cannot lead elsewhere, whatever an output is called. */
  private String object(String runId, String key) {
    var name = URLEncoder.encode(key, StandardCharsets.UTF_8).replace("+", "%20");
    return run(runId)
        + (name.length() > MOST_NAME
            ? "sha256-" + Sha256.hex(key.getBytes(StandardCharsets.UTF_8))
            : name);
  }

  private <T> T call(Supplier<T> request) {
    try {
      return request.get();
    } catch (SdkException e) {
      throw faults.problem(e);
    }
  }

  @Override
  public String place() {
    return faults.place();
  }

  @Override
  public void check() {
    var _ = call(() -> client.listObjectsV2(list -> list.bucket(bucket).prefix(prefix).maxKeys(1)));
  }

  @Override
  public void put(String runId, String key, byte[] content) {
    var _ =
        call(
            () ->
                client.putObject(
                    put -> put.bucket(bucket).key(object(runId, key)).contentMD5(digest(content)),
                    RequestBody.fromBytes(content)));
  }

  /** With it the server refuses what arrives otherwise than it was sent; every server knows it. */
  private static String digest(byte[] content) {
    try {
      return Base64.getEncoder().encodeToString(MessageDigest.getInstance("MD5").digest(content));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("Every Java has MD5.", e);
    }
  }

  @Override
  public Optional<byte[]> get(String runId, String key) {
    return call(
        () -> {
          try {
            return Optional.of(
                client
                    .getObjectAsBytes(get -> get.bucket(bucket).key(object(runId, key)))
                    .asByteArray());
          } catch (NoSuchKeyException e) {
            return Optional.<byte[]>empty();
          }
        });
  }

  /** By reading a byte: a reply to HEAD has no body, so it couldn't say what is wrong. */
  @Override
  public boolean has(String runId, String key) {
    return call(
        () -> {
          try {
            var _ =
                client.getObjectAsBytes(
                    get -> get.bucket(bucket).key(object(runId, key)).range("bytes=0-0"));
            return true;
          } catch (NoSuchKeyException e) {
            return false;
          } catch (S3Exception e) {
            if (e.statusCode() == NO_SUCH_RANGE) {
              return true; // it is there, and empty
            }
            throw e;
          }
        });
  }

  @Override
  public Optional<InputStream> open(String runId, String key, long from) {
    return call(
        () -> {
          try {
            return Optional.of(
                new Download(
                    client.getObject(
                        get -> {
                          get.bucket(bucket).key(object(runId, key));
                          if (from > 0) {
                            get.range("bytes=" + from + "-");
                          }
                        })));
          } catch (NoSuchKeyException e) {
            return Optional.<InputStream>empty();
          }
        });
  }

  /** Who goes away in the middle doesn't wait for the rest. */
  private static final class Download extends FilterInputStream {

    private final ResponseInputStream<GetObjectResponse> response;

    Download(ResponseInputStream<GetObjectResponse> response) {
      super(response);
      this.response = response;
    }

    @Override
    public int read(byte[] into, int from, int most) throws IOException {
      try {
        return super.read(into, from, most);
      } catch (SdkException e) {
        throw new IOException(e);
      }
    }

    @Override
    public void close() {
      response.abort();
    }
  }

  @Override
  public void delete(String runId, String key) {
    deleteObject(object(runId, key));
  }

  private void deleteObject(String object) {
    var _ = call(() -> client.deleteObject(delete -> delete.bucket(bucket).key(object)));
  }

  @Override
  public void eachRun(Consumer<String> seer) {
    var _ =
        call(
            () -> {
              client
                  .listObjectsV2Paginator(list -> list.bucket(bucket).prefix(prefix).delimiter("/"))
                  .commonPrefixes()
                  .stream()
                  .map(run -> run.prefix().substring(prefix.length(), run.prefix().length() - 1))
                  .filter(run -> run.startsWith("run_")) // the bucket may hold what isn't ours
                  .forEach(seer);
              return prefix;
            });
  }

  private Stream<S3Object> objects(String runId) {
    return client
        .listObjectsV2Paginator(list -> list.bucket(bucket).prefix(run(runId)))
        .contents()
        .stream();
  }

  @Override
  public Optional<Instant> lastPut(String runId) {
    return call(() -> objects(runId).map(S3Object::lastModified).max(Comparator.naturalOrder()));
  }

  @Override
  public void deleteAll(String runId) {
    call(() -> objects(runId).map(S3Object::key).toList()).forEach(this::deleteObject);
  }
}
