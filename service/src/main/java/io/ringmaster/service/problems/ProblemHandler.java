package io.ringmaster.service.problems;

import io.ringmaster.service.problems.RequestError.Kind;
import io.ringmaster.service.problems.RequestError.Where;
import jakarta.servlet.http.HttpServletRequest;
import java.util.OptionalLong;
import java.util.stream.Collectors;
import org.apache.tomcat.util.http.InvalidParameterException;
import org.apache.tomcat.util.http.fileupload.impl.SizeException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.dao.DataAccessResourceFailureException;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.transaction.CannotCreateTransactionException;
import org.springframework.web.ErrorResponse;
import org.springframework.web.HttpMediaTypeNotAcceptableException;
import org.springframework.web.HttpMediaTypeNotSupportedException;
import org.springframework.web.HttpRequestMethodNotSupportedException;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.RestControllerAdvice;
import org.springframework.web.context.request.ServletWebRequest;
import org.springframework.web.context.request.WebRequest;
import org.springframework.web.method.annotation.MethodArgumentTypeMismatchException;
import org.springframework.web.multipart.MaxUploadSizeExceededException;
import org.springframework.web.multipart.MultipartException;
import org.springframework.web.servlet.mvc.method.annotation.ResponseEntityExceptionHandler;

/** Turns whatever ends a request into an RFC 9457 problem. */
@RestControllerAdvice
class ProblemHandler extends ResponseEntityExceptionHandler {

  private static final Logger LOG = LoggerFactory.getLogger(ProblemHandler.class);
  private static final long RETRY_SECONDS = 5;

  @ExceptionHandler
  ResponseEntity<Object> problem(ProblemException problem, HttpServletRequest request) {
    return ProblemReplies.reply(problem, request.getRequestURI(), HttpHeaders.EMPTY);
  }

  @ExceptionHandler({
    DataAccessResourceFailureException.class,
    CannotCreateTransactionException.class
  })
  ResponseEntity<Object> databaseGone(Exception cause, HttpServletRequest request) {
    LOG.warn("No database for {} {}", request.getMethod(), request.getRequestURI(), cause);
    var problem =
        new ProblemException(
                ProblemCode.UNAVAILABLE, "The database does not answer. Try again in some seconds.")
            .withRetryAfter(RETRY_SECONDS);
    return problem(problem, request);
  }

  @ExceptionHandler
  ResponseEntity<Object> anythingElse(Exception cause, HttpServletRequest request) {
    LOG.error("Failed to serve {} {}", request.getMethod(), request.getRequestURI(), cause);
    var problem =
        new ProblemException(
            ProblemCode.INTERNAL,
            "The service failed; this is not the request's fault. Its log has more under the traceId.");
    return problem(problem, request);
  }

  @ExceptionHandler
  ResponseEntity<Object> badParameter(InvalidParameterException cause, HttpServletRequest request) {
    var problem =
        new ProblemException(
            ProblemCode.INVALID_REQUEST,
            "A query parameter is not percent-encoded UTF-8. Encode its name and value again.");
    return problem(problem, request);
  }

  @ExceptionHandler
  ResponseEntity<Object> badMultipart(MultipartException cause, HttpServletRequest request) {
    var problem =
        new ProblemException(
            ProblemCode.MALFORMED_BODY, "The form cannot be read: " + rootMessage(cause));
    return problem(problem, request);
  }

  @Override
  protected @Nullable ResponseEntity<Object> handleExceptionInternal(
      Exception cause,
      @Nullable Object body,
      HttpHeaders headers,
      HttpStatusCode status,
      WebRequest request) {
    var servlet = ((ServletWebRequest) request).getRequest();
    return ProblemReplies.reply(
        translate(cause, status, servlet), servlet.getRequestURI(), headers);
  }

  private static ProblemException translate(
      Exception cause, HttpStatusCode status, HttpServletRequest request) {
    return switch (cause) {
      case HttpRequestMethodNotSupportedException e ->
          new ProblemException(
              ProblemCode.METHOD_NOT_ALLOWED,
              e.getMethod()
                  + " is not possible here. Possible: "
                  + String.join(
                      ", ",
                      e.getSupportedMethods() == null ? new String[0] : e.getSupportedMethods())
                  + ".");
      case HttpMediaTypeNotSupportedException e ->
          new ProblemException(
              ProblemCode.UNSUPPORTED_MEDIA_TYPE,
              (e.getContentType() == null
                      ? "The body has no media type."
                      : "The body's media type is " + e.getContentType() + ".")
                  + " Accepted: "
                  + e.getSupportedMediaTypes().stream()
                      .map(MediaType::toString)
                      .collect(Collectors.joining(", "))
                  + ".");
      case HttpMediaTypeNotAcceptableException e ->
          new ProblemException(
              ProblemCode.NOT_ACCEPTABLE,
              "Nothing that the Accept header names can be sent. Possible: "
                  + e.getSupportedMediaTypes().stream()
                      .map(MediaType::toString)
                      .collect(Collectors.joining(", "))
                  + ".");
      case MaxUploadSizeExceededException e -> tooLarge(e, request);
      case MethodArgumentTypeMismatchException e ->
          ProblemException.of(
              ProblemCode.INVALID_REQUEST,
              new RequestError(
                  Where.PARAMETER, e.getName(), Kind.BAD_VALUE, e.getName() + " cannot be read."));
      case ErrorResponse e when status.value() == 404 ->
          ProblemException.notFound(
              "There is nothing at "
                  + request.getRequestURI()
                  + ". The contract is at /openapi.yaml.");
      default ->
          new ProblemException(
              status.is5xxServerError() ? ProblemCode.INTERNAL : ProblemCode.INVALID_REQUEST,
              rootMessage(cause));
    };
  }

  private static ProblemException tooLarge(
      MaxUploadSizeExceededException cause, HttpServletRequest request) {
    long limit = cause.getMaxUploadSize();
    long actual = request.getContentLengthLong();
    for (Throwable t = cause; t != null; t = t.getCause()) {
      if (t instanceof SizeException size) {
        limit = size.getPermittedSize();
        actual = Math.max(actual, size.getActualSize());
      }
    }
    if (limit < 0) {
      // The server's own limit on fields, which it doesn't tell.
      return new ProblemException(
          ProblemCode.TOO_LARGE,
          "A field of the form is too long. Send the script as a file (-F script=@kernel.py); lists"
              + " of devices or arguments may have thousands of entries, not millions.");
    }
    return new ProblemException(
            ProblemCode.TOO_LARGE,
            "The form is "
                + (actual < 0 ? "larger than" : "%,d bytes; accepted are at most".formatted(actual))
                + " %,d bytes. Submit a smaller script.".formatted(limit))
        .withSizes(limit, actual < 0 ? OptionalLong.empty() : OptionalLong.of(actual));
  }

  private static String rootMessage(Throwable cause) {
    Throwable root = cause;
    while (root.getCause() != null) {
      root = root.getCause();
    }
    return String.valueOf(root.getMessage());
  }
}
