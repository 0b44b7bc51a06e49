package io.ringmaster.service.artifacts;

import io.ringmaster.service.config.S3Settings;
import io.ringmaster.service.problems.ProblemCode;
import io.ringmaster.service.problems.ProblemException;
import io.ringmaster.worker.agent.ServiceTrust;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import software.amazon.awssdk.awscore.exception.AwsServiceException;
import software.amazon.awssdk.core.exception.SdkClientException;
import software.amazon.awssdk.core.exception.SdkException;

/**
 * Says what is wrong with a bucket, and the way out. Of what the server says only the name of the
 * error is passed on: the rest may quote the key's name and signatures.
 */
final class S3Faults {

  private static final long RETRY_SECONDS = 5;
  private static final Set<String> ELSEWHERE =
      Set.of(
          "PermanentRedirect",
          "AuthorizationHeaderMalformed",
          "IllegalLocationConstraintException");
  private static final Set<Integer> REFUSED = Set.of(401, 403);

  private final S3Settings settings;

  S3Faults(S3Settings settings) {
    this.settings = settings;
  }

  String place() {
    var endpoint = settings.endpoint();
    return "bucket %s at %s"
        .formatted(
            settings.name().orElseThrow(),
            endpoint == null ? "Amazon S3, " + settings.region() : endpoint);
  }

  ProblemException problem(SdkException cause) {
    var problem =
        new ProblemException(
                ProblemCode.UNAVAILABLE,
                "The %s can't be used: %s. What waits for it goes on by itself then."
                    .formatted(place(), why(cause)))
            .withRetryAfter(RETRY_SECONDS);
    problem.initCause(cause);
    return problem;
  }

  private String why(SdkException cause) {
    return switch (cause) {
      case AwsServiceException e -> answer(e.statusCode(), code(e));
      case SdkClientException e when isWithoutKey(e) ->
          "this process has no key. Set ringmaster.artifacts.s3.access-key-file and"
              + " .secret-key-file, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY";
      default ->
          ServiceTrust.fault(cause)
              .map(
                  fault ->
                      "its certificate isn't trusted (%s). Name its authority with ringmaster.artifacts.s3.ca-file"
                          .formatted(root(cause).getClass().getSimpleName()))
              .orElseGet(
                  () ->
                      cause instanceof UnreadableKey
                          ? String.valueOf(cause.getMessage())
                          : "it does not answer (%s). See that it runs and that ringmaster.artifacts.s3.endpoint is right"
                              .formatted(root(cause)));
    };
  }

  private String answer(int status, String code) {
    if (code.equals("NoSuchBucket")) {
      return "there is no such bucket. Make it, or correct ringmaster.artifacts.s3.bucket";
    }
    if (ELSEWHERE.contains(code) || status == 301) {
      return "it is in another region than %s (%s). Correct ringmaster.artifacts.s3.region"
          .formatted(settings.region(), code);
    }
    if (REFUSED.contains(status)) {
      return "it refuses the key (%s). Correct the key in %s, and see that it may read, write, list and delete objects"
          .formatted(
              code,
              settings.secretKeyFile() == null
                  ? "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY"
                  : settings.accessKeyFile() + " and " + settings.secretKeyFile());
    }
    return "it answers %d %s. See the log of that server".formatted(status, code);
  }

  private static String code(AwsServiceException cause) {
    var details = cause.awsErrorDetails();
    return details == null || details.errorCode() == null
        ? "without a reason"
        : details.errorCode();
  }

  private static boolean isWithoutKey(SdkClientException cause) {
    return String.valueOf(cause.getMessage()).startsWith("Unable to load credentials");
  }

  private static Throwable root(Throwable failure) {
    Throwable root = failure;
    while (root.getCause() != null) {
      root = root.getCause();
    }
    return root;
  }

  /** A part of the key that isn't where it should be. */
  private static final class UnreadableKey extends SdkException {

    private static final long serialVersionUID = 1L;

    UnreadableKey(String message) {
      super(SdkException.builder().message(message));
    }
  }

  /** What a file of a key holds. */
  static String key(Path file) {
    try {
      var key = Files.readString(file).strip();
      if (key.isEmpty()) {
        throw new UnreadableKey("the file %s of its key is empty".formatted(file));
      }
      return key;
    } catch (IOException e) {
      // Its own message may not be shown: what can't be decoded is a part of the key.
      throw new UnreadableKey(
          "the file %s of its key can't be read (%s)"
              .formatted(file, e.getClass().getSimpleName()));
    }
  }
}
