package io.ringmaster.service.problems;

import io.ringmaster.service.problems.RequestError.Kind;
import io.ringmaster.service.problems.RequestError.Where;
import java.util.ArrayList;
import java.util.List;

/** Collects the faults of a request, so that one round is enough to mend them all. */
public final class RequestErrors {

  /**
   * Nobody reads more; a list of a million bad ids must not become a reply of a hundred megabytes.
   */
  private static final int MOST_REPORTED = 20;

  private final List<RequestError> errors = new ArrayList<>();
  private int count;

  /** A fault in the body, at a JSON pointer. */
  public void body(String pointer, Kind kind, String message) {
    add(new RequestError(Where.BODY, pointer, kind, message));
  }

  /** A fault of a query or path parameter. */
  public void parameter(String name, Kind kind, String message) {
    add(new RequestError(Where.PARAMETER, name, kind, message));
  }

  /** A fault of a header. */
  public void header(String name, Kind kind, String message) {
    add(new RequestError(Where.HEADER, name, kind, message));
  }

  private void add(RequestError error) {
    count++;
    if (errors.size() < MOST_REPORTED) {
      errors.add(error);
    }
  }

  /** How many there are so far. */
  public int count() {
    return count;
  }

  /**
   * Ends the request when anything was wrong with it.
   *
   * @throws ProblemException INVALID_REQUEST with the faults
   */
  public void throwIfAny() {
    if (count == 0) {
      return;
    }
    var first = errors.getFirst().message();
    var detail =
        switch (count) {
          case 1 -> first;
          case 2 -> first + " There is 1 more fault.";
          default -> first + " There are " + (count - 1) + " more faults.";
        };
    throw new ProblemException(ProblemCode.INVALID_REQUEST, detail).withErrors(errors);
  }
}
