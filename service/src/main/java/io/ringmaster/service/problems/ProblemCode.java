package io.ringmaster.service.problems;

import java.util.Locale;

/** The kinds of problems a client can meet; names and statuses are part of the contract. */
public enum ProblemCode {
  INVALID_REQUEST(400, "The request is not valid"),
  MALFORMED_BODY(400, "The body cannot be read"),
  NOT_UTF8(400, "The text is not UTF-8"),
  UNAUTHENTICATED(401, "A token is needed"),
  FORBIDDEN(403, "This is not allowed"),
  NOT_FOUND(404, "There is no such thing"),
  METHOD_NOT_ALLOWED(405, "The resource does not support this method"),
  NOT_ACCEPTABLE(406, "The answer exists in other media types only"),
  NOT_FINISHED(409, "The job is not finished"),
  NOT_COMPARABLE(409, "The runs cannot be compared"),
  LEASE_ENDED(409, "The lease has ended"),
  PRECONDITION_FAILED(412, "Somebody has changed it meanwhile"),
  TOO_LARGE(413, "Too large"),
  URI_TOO_LONG(414, "The address is too long"),
  UNSUPPORTED_MEDIA_TYPE(415, "The body's media type is not supported"),
  RANGE_NOT_SATISFIABLE(416, "The file has no such part"),
  EXPECTATION_FAILED(417, "The expectation cannot be met"),
  IDEMPOTENCY_KEY_REUSED(422, "The Idempotency-Key belongs to another submission"),
  CANNOT_BE_PLACED(422, "No worker can ever run this"),
  BEYOND_QUOTA(422, "The quota never allows this"),
  SOURCE_REJECTED(422, "The source breaks a rule"),
  NOT_PASSED(422, "The job is not PASSED"),
  PRECONDITION_REQUIRED(428, "Say which version this is about"),
  QUOTA_EXCEEDED(429, "The quota is used up"),
  HEADERS_TOO_LARGE(431, "The headers are too large"),
  INTERNAL(500, "The service failed"),
  NOT_IMPLEMENTED(501, "The request needs something that is not supported"),
  UNAVAILABLE(503, "The service cannot answer now"),
  HTTP_VERSION_NOT_SUPPORTED(505, "The version of HTTP is not supported");

  private final int status;
  private final String title;

  ProblemCode(int status, String title) {
    this.status = status;
    this.title = title;
  }

  /**
   * The kind that a bare status stands for, where nobody said more than that.
   *
   * @param status at least 400
   */
  static ProblemCode ofStatus(int status) {
    return switch (status) {
      case 401 -> UNAUTHENTICATED;
      case 403 -> FORBIDDEN;
      case 404 -> NOT_FOUND;
      case 405 -> METHOD_NOT_ALLOWED;
      case 406 -> NOT_ACCEPTABLE;
      case 413 -> TOO_LARGE;
      case 414 -> URI_TOO_LONG;
      case 415 -> UNSUPPORTED_MEDIA_TYPE;
      case 416 -> RANGE_NOT_SATISFIABLE;
      case 417 -> EXPECTATION_FAILED;
      case 429 -> QUOTA_EXCEEDED;
      case 431 -> HEADERS_TOO_LARGE;
      case 501 -> NOT_IMPLEMENTED;
      case 503 -> UNAVAILABLE;
      case 505 -> HTTP_VERSION_NOT_SUPPORTED;
      default -> status < 500 ? INVALID_REQUEST : INTERNAL;
    };
  }

  public int status() {
    return status;
  }

  public String title() {
    return title;
  }

  /** The stable identifier of RFC 9457. */
  public String type() {
    return "urn:ringmaster:problem:" + name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
