package io.ringmaster.service.problems;

import java.util.Locale;

/** The kinds of problems a client can meet; names and statuses are part of the contract. */
public enum ProblemCode {
  INVALID_REQUEST(400, "The request is not valid"),
  MALFORMED_BODY(400, "The body cannot be read"),
  NOT_UTF8(400, "The text is not UTF-8"),
  NOT_FOUND(404, "There is no such thing"),
  METHOD_NOT_ALLOWED(405, "The resource does not support this method"),
  NOT_ACCEPTABLE(406, "The answer exists in other media types only"),
  NOT_FINISHED(409, "The job is not finished"),
  TOO_LARGE(413, "Too large"),
  UNSUPPORTED_MEDIA_TYPE(415, "The body's media type is not supported"),
  IDEMPOTENCY_KEY_REUSED(422, "The Idempotency-Key belongs to another submission"),
  CANNOT_BE_PLACED(422, "No worker can ever run this"),
  SOURCE_REJECTED(422, "The source breaks a rule"),
  INTERNAL(500, "The service failed"),
  UNAVAILABLE(503, "The service cannot answer now");

  private final int status;
  private final String title;

  ProblemCode(int status, String title) {
    this.status = status;
    this.title = title;
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
