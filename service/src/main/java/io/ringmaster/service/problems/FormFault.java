package io.ringmaster.service.problems;

import jakarta.servlet.http.HttpServletRequest;
import java.util.Optional;
import java.util.OptionalLong;
import org.apache.tomcat.util.http.fileupload.InvalidFileNameException;
import org.apache.tomcat.util.http.fileupload.impl.FileCountLimitExceededException;
import org.apache.tomcat.util.http.fileupload.impl.SizeException;
import org.springframework.http.InvalidMediaTypeException;
import org.springframework.http.MediaType;

/** Says what is wrong with a multipart form that the container could not take apart. */
final class FormFault {

  /** More than the limit of any part's headers, less than that of any form. */
  private static final long MOST_PART_HEADERS = 64 << 10;

  /** RFC 2046. */
  private static final int MOST_BOUNDARY = 70;

  /** All fields but files together; the container keeps it. */
  static final int MOST_FIELDS = 2 << 20;

  private FormFault() {}

  /** MALFORMED_BODY or TOO_LARGE, after what is at the bottom of the failure. */
  static ProblemException problem(Exception failure, HttpServletRequest request) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      switch (cause) {
        case SizeException size -> {
          return tooLarge(size, request);
        }
        case InvalidFileNameException _ -> {
          return malformed(
              "The name of a file of the form (filename=...) holds a NUL; no file's name does.");
        }
        case FileCountLimitExceededException count -> {
          return new ProblemException(
              ProblemCode.TOO_LARGE,
              "The form has more than %d fields. Give arguments and labels as one JSON field each."
                  .formatted(count.getLimit()));
        }
        case IllegalStateException state when state.getCause() == null -> {
          return new ProblemException(
                  ProblemCode.TOO_LARGE,
                  "The fields of the form that are no files are longer than %,d bytes together. Send"
                          .formatted(MOST_FIELDS)
                      + " the script as a file (-F script=@kernel.py); a list of devices has at"
                      + " most 65,536 ids.")
              .withSizes(MOST_FIELDS, OptionalLong.empty());
        }
        default -> {}
      }
    }
    return malformed(brokenOff(request));
  }

  private static ProblemException malformed(String detail) {
    return new ProblemException(ProblemCode.MALFORMED_BODY, detail);
  }

  private static String brokenOff(HttpServletRequest request) {
    var boundary = boundary(request);
    if (boundary.isEmpty() || boundary.get().length() > MOST_BOUNDARY) {
      return "The form's Content-Type must name a boundary of 1 to %d characters. Let the client make it, as curl -F does."
          .formatted(MOST_BOUNDARY);
    }
    return "The form cannot be taken apart: it must end with the line --%s--, and each of its parts must begin with a Content-Disposition header and an empty line."
        .formatted(boundary.get());
  }

  private static Optional<String> boundary(HttpServletRequest request) {
    try {
      var type = MediaType.parseMediaType(request.getContentType());
      return Optional.ofNullable(type.getParameter("boundary"));
    } catch (InvalidMediaTypeException e) {
      return Optional.empty();
    }
  }

  private static ProblemException tooLarge(SizeException size, HttpServletRequest request) {
    long limit = size.getPermittedSize();
    if (limit < MOST_PART_HEADERS) {
      return new ProblemException(
              ProblemCode.TOO_LARGE,
              "The headers of a part of the form are longer than %,d bytes. Send shorter names."
                  .formatted(limit))
          .withSizes(limit, OptionalLong.empty());
    }
    long actual = Math.max(request.getContentLengthLong(), size.getActualSize());
    return new ProblemException(
            ProblemCode.TOO_LARGE,
            "The form is "
                + (actual < 0 ? "larger than" : "%,d bytes; accepted are at most".formatted(actual))
                + " %,d bytes. Submit a smaller script.".formatted(limit))
        .withSizes(limit, actual < 0 ? OptionalLong.empty() : OptionalLong.of(actual));
  }
}
