package io.ringmaster.service.problems;

import java.util.Optional;

/** One fault of a request: where, what, and the way out. */
public record RequestError(Where where, String name, Kind kind, String message) {

  /** The part of the request that {@code name} belongs to. */
  public enum Where {
    /** {@code name} is a JSON pointer. */
    BODY,
    PARAMETER,
    HEADER
  }

  /** What kind of fault; part of the contract. */
  public enum Kind {
    UNKNOWN,
    MISSING,
    WRONG_TYPE,
    OUT_OF_RANGE,
    DUPLICATE,
    BAD_VALUE,
    TOO_MANY,
    TOO_LONG
  }

  /** The name, if it belongs to that part. */
  public Optional<String> in(Where part) {
    return where == part ? Optional.of(name) : Optional.empty();
  }
}
