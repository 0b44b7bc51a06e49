package io.ringmaster.service.artifacts;

import io.ringmaster.service.config.S3Settings;
import io.ringmaster.worker.agent.ServiceTrust;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import javax.net.ssl.TrustManager;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.AwsCredentials;
import software.amazon.awssdk.auth.credentials.AwsCredentialsProvider;
import software.amazon.awssdk.auth.credentials.DefaultCredentialsProvider;
import software.amazon.awssdk.core.checksums.RequestChecksumCalculation;
import software.amazon.awssdk.core.checksums.ResponseChecksumValidation;
import software.amazon.awssdk.http.urlconnection.UrlConnectionHttpClient;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.retries.StandardRetryStrategy;
import software.amazon.awssdk.services.s3.S3Client;

/** Makes clients of the server that has the bucket. */
final class S3Access {

  private static final int ATTEMPTS = 2;

  /** Attempts, the pauses between them, and the way of the bytes. */
  private static final int CALL_TIMEOUTS = 6;

  private S3Access() {}

  static S3Client client(S3Settings settings) {
    var http =
        UrlConnectionHttpClient.builder()
            .connectionTimeout(shorter(settings.timeout(), Duration.ofSeconds(5)))
            .socketTimeout(settings.timeout());
    var authorities = settings.caFile();
    if (authorities != null) {
      var trust = trust(authorities);
      http.tlsTrustManagersProvider(() -> trust);
    }
    var client =
        S3Client.builder()
            .httpClientBuilder(http)
            .region(Region.of(settings.region()))
            .forcePathStyle(settings.isPathStyle())
            .credentialsProvider(credentials(settings))
            // We have digests of our own; those of Amazon's newest kind aren't known to all
            // servers.
            .requestChecksumCalculation(RequestChecksumCalculation.WHEN_REQUIRED)
            .responseChecksumValidation(ResponseChecksumValidation.WHEN_REQUIRED)
            .serviceConfiguration(s3 -> s3.chunkedEncodingEnabled(false))
            .overrideConfiguration(
                calls ->
                    calls
                        .retryStrategy(
                            StandardRetryStrategy.builder().maxAttempts(ATTEMPTS).build())
                        .apiCallTimeout(settings.timeout().multipliedBy(CALL_TIMEOUTS)));
    var endpoint = settings.endpoint();
    if (endpoint != null) {
      client.endpointOverride(endpoint);
    }
    return client.build();
  }

  private static Duration shorter(Duration one, Duration other) {
    return one.compareTo(other) < 0 ? one : other;
  }

  private static TrustManager[] trust(Path file) {
    try {
      return ServiceTrust.managers(file);
    } catch (IOException e) {
      throw new IllegalArgumentException(
          "ringmaster.artifacts.s3.ca-file is %s, and %s. Name a file of PEM certificates."
              .formatted(file, e.getMessage()),
          e);
    }
  }

  private static AwsCredentialsProvider credentials(S3Settings settings) {
    var name = settings.accessKeyFile();
    var secret = settings.secretKeyFile();
    return name == null || secret == null
        ? DefaultCredentialsProvider.builder().build()
        : new KeyFiles(name, secret);
  }

  /** Reads the key whenever it is used: a new one needs no restart. */
  private record KeyFiles(Path name, Path secret) implements AwsCredentialsProvider {

    @Override
    public AwsCredentials resolveCredentials() {
      return AwsBasicCredentials.create(read(name), read(secret));
    }

    private static String read(Path file) {
      return S3Faults.key(file);
    }
  }
}
